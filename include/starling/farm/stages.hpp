// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a Calculate makes of a piece: something for Output, or, with stages(), pieces for the next stage, which are
// tasks of their own and go anywhere in the farm.
//
// Thread safety: each Calculate thread has a copy of its own.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "starling/farm/program.hpp"

namespace starling::farm {
namespace detail {

/// A task is calculated again when it fails, so Calculate gets what Input made by reference; a type that only moves and
/// is taken by value is given away, and cannot be tried again.
template <class Calculate, class In>
decltype(auto) call(Calculate& calculate, In& in) {
  if constexpr (std::is_invocable_v<Calculate&, const In&>) {
    return calculate(std::as_const(in));
  } else if constexpr (std::is_invocable_v<Calculate&, In&>) {
    return calculate(in);
  } else {
    return calculate(std::move(in));
  }
}
template <class Calculate, class In>
using Called = std::remove_cvref_t<decltype(call(std::declval<Calculate&>(), std::declval<In&>()))>;
template <class Calculate, class In>
constexpr bool kKeepsInput = std::is_invocable_v<Calculate&, const In&> || std::is_invocable_v<Calculate&, In&>;

/// Sets up a kernel that wants to be, also behind std::ref; the farm's own combinations pass it on.
template <class Kernel>
void start_kernel([[maybe_unused]] Kernel& kernel, [[maybe_unused]] Worker worker) {
  if constexpr (requires { kernel.start(worker); }) {
    kernel.start(worker);
  } else if constexpr (requires { kernel.get().start(worker); }) {
    kernel.get().start(worker);
  }
}

/// What tasks carry: one kernel.
template <class In, class Calculate>
struct Shape {
  using Piece = In;
  using Out = Called<Calculate, In>;
  using Result = Out;
  static constexpr bool kStages = false;
  static constexpr bool kCanRetry = kKeepsInput<Calculate, In>;

  static Piece piece(In&& in) { return std::move(in); }
  static Out& out(Result& result) { return result; }
  static Result calculate(Calculate& calculate, Piece& piece) { return call(calculate, piece); }
};

}  // namespace detail

/// A Calculate of several kernels: each but the last returns a list (any container), whose elements are pieces for the
/// next one and are calculated wherever a core is free; what the last returns goes to Output. Kernels take their
/// argument by reference, and the same piece must always give the same list, or --resume cannot know what is done.
template <class... Kernels>
class Stages {
 public:
  explicit Stages(Kernels... kernel) : kernels(std::move(kernel)...) {}
  void start(Worker worker) {
    std::apply([&](auto&... kernel) { (detail::start_kernel(kernel, worker), ...); }, kernels);
  }
  std::tuple<Kernels...> kernels;
};
template <class First, class Second, class... Rest>
auto stages(First first, Second second, Rest... rest) {
  return Stages<First, Second, Rest...>(std::move(first), std::move(second), std::move(rest)...);
}

namespace detail {

template <class In, class... Kernels>
struct StageTypes;
template <class In, class Last>
struct StageTypes<In, Last> {
  template <class... Before>
  using Piece = std::variant<Before..., In>;
  using Out = Called<Last, In>;
};
template <class In, class First, class... Rest>
struct StageTypes<In, First, Rest...> {
  using Then = StageTypes<typename Called<First, In>::value_type, Rest...>;
  template <class... Before>
  using Piece = typename Then::template Piece<Before..., In>;
  using Out = typename Then::Out;
};

/// What tasks carry: several stages. A piece knows by its index which stage it is for.
template <class In, class... Kernels>
struct Shape<In, Stages<Kernels...>> {
  using Types = StageTypes<In, Kernels...>;
  using Piece = typename Types::template Piece<>;
  using Out = typename Types::Out;
  using Result = std::variant<Out, std::vector<Piece>>;
  static constexpr bool kStages = true;
  static constexpr bool kCanRetry = true;

  static Piece piece(In&& in) { return Piece(std::in_place_index<0>, std::move(in)); }
  static Out& out(Result& result) { return std::get<0>(result); }
  static Result calculate(Stages<Kernels...>& stages, Piece& piece) { return run<0>(stages, piece); }

 private:
  template <std::size_t I>
  static Result run(Stages<Kernels...>& stages, Piece& piece) {
    auto& kernel = std::get<I>(stages.kernels);
    if constexpr (I + 1 == sizeof...(Kernels)) {
      return Result(std::in_place_index<0>, kernel(std::as_const(std::get<I>(piece))));
    } else {
      if (piece.index() != I) return run<I + 1>(stages, piece);
      std::vector<Piece> next;
      for (auto&& each : kernel(std::as_const(std::get<I>(piece)))) {
        next.emplace_back(std::in_place_index<I + 1>, std::move(each));
      }
      return Result(std::in_place_index<1>, std::move(next));
    }
  }
};

}  // namespace detail
}  // namespace starling::farm
