// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling/farm.hpp: independent work on every core of every machine. Three functions: Input gives the pieces,
// Calculate computes one, Output takes the results. docs/howto/farm.md starts with a first program.
//
// Thread safety: Input runs on one thread and Output on another, each one call at a time; each Calculate thread has a
// copy of Calculate of its own.
#pragma once

#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "starling/farm/pack.hpp"
#include "starling/farm/program.hpp"
#include "starling/farm/stages.hpp"

namespace starling::farm {
namespace detail {

template <class T>
struct InputValue;
template <class T>
struct InputValue<std::optional<T>> {
  using Type = T;
};

/// Behind std::ref stands the object itself, with all its functions.
template <class T>
T& plain(T& object) {
  return object;
}
template <class T>
T& plain(std::reference_wrapper<T>& object) {
  return object.get();
}
template <class T>
T& plain(const std::reference_wrapper<T>& object) {
  return object.get();
}

template <class Input, class Calculate, class Output>
class TypedProgram final : public Program {
 public:
  using In = typename InputValue<std::remove_cvref_t<std::invoke_result_t<Input&>>>::Type;
  using Form = Shape<In, Calculate>;
  using Piece = typename Form::Piece;
  using Result = typename Form::Result;
  static constexpr bool kPackable = Packable<In> && Packable<typename Form::Out> && Packable<Piece>;
  static_assert(Packable<In>, "starling::farm cannot pack what Input returns: see docs/howto/farm.md, 'Data'");
  static_assert(Packable<typename Form::Out>,
                "starling::farm cannot pack what Calculate returns: see docs/howto/farm.md, 'Data'");
  static_assert(!Packable<In> || Packable<Piece>,
                "starling::farm cannot pack what a stage returns: see docs/howto/farm.md, 'Data'");

  TypedProgram(Input& input, const Calculate& calculate, Output& output)
      : input_(input), calculate_(calculate), output_(output) {}

  void start_input([[maybe_unused]] Place place) override {
    if constexpr (requires { plain(input_).start(place); }) plain(input_).start(place);
  }
  bool next(Value& in) override {
    std::optional<In> got = input_();
    if (got) in = Value(Form::piece(std::move(*got)));
    return got.has_value();
  }

  void start_output([[maybe_unused]] Place place) override {
    if constexpr (requires { plain(output_).start(place); }) plain(output_).start(place);
  }
  void take(Value& out, TaskInfo task) override {
    make_typed(out);
    if constexpr (std::is_invocable_v<Output&, typename Form::Out&&, TaskInfo>) {
      output_(std::move(Form::out(out.as<Result>())), task);
    } else {
      output_(std::move(Form::out(out.as<Result>())));
    }
  }

  bool has_stages() const override { return Form::kStages; }
  bool expand([[maybe_unused]] Value& out, [[maybe_unused]] std::vector<Value>& pieces) const override {
    if constexpr (Form::kStages) {
      make_typed(out);
      if (out.as<Result>().index() == 0) return false;
      for (Piece& piece : std::get<1>(out.as<Result>())) pieces.emplace_back(std::move(piece));
      return true;
    }
    return false;
  }

  static constexpr bool kHasMark = requires(Output & output) { plain(output).mark(); };
  static constexpr bool kHasResume = requires(Output & output) { plain(output).resume(std::uint64_t{}); };
  static_assert(kHasMark == kHasResume,
                "starling::farm: an Output has both mark() and resume(std::uint64_t), or neither: see "
                "docs/howto/farm.md, 'Killed and resumed'");
  bool has_mark() const override { return kHasMark; }
  std::uint64_t mark() override {
    if constexpr (kHasMark) return plain(output_).mark();
    return 0;
  }
  void resume([[maybe_unused]] std::uint64_t mark) override {
    if constexpr (kHasResume) plain(output_).resume(mark);
  }

  std::unique_ptr<Calculator> calculator(Worker worker) override {
    auto mine = std::make_unique<TypedCalculator>(calculate_);
    start_kernel(mine->calculate_, worker);
    return mine;
  }

  bool can_retry() const override { return Form::kCanRetry; }
  // What cannot be packed has been refused above, in one line; nothing is added to it here.
  void pack_in(const Value& in, Buffer& to) const override {
    if constexpr (kPackable) Writer{to}(in.as<Piece>());
  }
  void pack_out(const Value& out, Buffer& to) const override {
    if constexpr (kPackable) Writer{to}(out.as<Result>());
  }
  Value unpack_in(const Slice& bytes) const override { return unpack<Piece>(bytes); }

 private:
  struct TypedCalculator final : Calculator {
    explicit TypedCalculator(const Calculate& calculate) : calculate_(calculate) {}
    Value calculate(Value& in) override { return Value(Form::calculate(calculate_, in.as<Piece>())); }
    Calculate calculate_;
  };

  template <class T>
  static Value unpack(const Slice& bytes) {
    T object{};
    if constexpr (kPackable) Reader{bytes.data(), bytes.size}(object);
    return Value(std::move(object));
  }
  static void make_typed(Value& out) {
    if (out.holds<Slice>()) out = unpack<Result>(out.as<Slice>());
  }

  Input& input_;
  const Calculate& calculate_;
  Output& output_;
};

}  // namespace detail

/// Runs the farm until Input has no more and Output has taken every result; every process of the job calls it.
/// Input: `std::optional<In> input()`, without a value at the end. Calculate: `Out calculate(const In&)`, copied for
/// each thread; a class may have `void start(starling::farm::Worker)`, called once on its thread. Output: `void
/// output(Out)` or `void output(Out, starling::farm::TaskInfo)`; a class may have `uint64_t mark()` and `void
/// resume(uint64_t)` (docs/howto/farm.md, 'Killed and resumed'). Input and Output may be classes with `void
/// start(starling::farm::Place)`, called once where they run. Throws what Input or Output threw, after everything
/// was stopped in order, and std::runtime_error for what cannot be run. What Calculate throws counts as a failure of
/// its task.
template <class Input, class Calculate, class Output>
Summary run(const Options& options, Input&& input, Calculate&& calculate, Output&& output) {
  detail::TypedProgram<std::remove_reference_t<Input>, std::remove_cvref_t<Calculate>, std::remove_reference_t<Output>>
      program(input, calculate, output);
  return run(options, program);
}

/// A Calculate made of several, each fed by the one before it, all on one core while the data are warm.
template <class First, class... Rest>
class Chain {
 public:
  explicit Chain(First first, Rest... rest) : kernels_(std::move(first), std::move(rest)...) {}
  void start(Worker worker) {
    std::apply([&](auto&... kernel) { (detail::start_kernel(kernel, worker), ...); }, kernels_);
  }
  template <class In>
  auto operator()(const In& in) {
    return run<0>(in);
  }

 private:
  template <std::size_t I, class In>
  auto run(In& in) {
    if constexpr (I == sizeof...(Rest)) {
      return detail::call(std::get<I>(kernels_), in);
    } else {
      auto between = detail::call(std::get<I>(kernels_), in);
      return run<I + 1>(between);
    }
  }
  std::tuple<First, Rest...> kernels_;
};
template <class First, class... Rest>
auto chain(First first, Rest... rest) {
  return Chain<First, Rest...>(std::move(first), std::move(rest)...);
}

/// A Calculate for several kinds of input: Input gives a std::variant, and the kernel whose argument fits is called.
/// All return the same type (which may be a variant as well).
template <class... Kernels>
class KernelsByKind {
 public:
  explicit KernelsByKind(Kernels... kernel) : all_{std::move(kernel)...} {}
  void start(Worker worker) { (detail::start_kernel(static_cast<Kernels&>(all_), worker), ...); }
  template <class Variant>
  auto operator()(const Variant& variant) {
    return std::visit([this](const auto& in) { return all_(in); }, variant);
  }

 private:
  struct All : Kernels... {
    using Kernels::operator()...;
  };
  All all_;
};
template <class... Kernels>
auto kernels(Kernels... kernel) {
  return KernelsByKind<Kernels...>(std::move(kernel)...);
}

}  // namespace starling::farm
