// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Array<T>: the name of an array of T's on all processes, and array[index], the name of an element. They are small
// values that may be sent in messages.
//
//     cells[7].send<&Cell::exchange>(left, values);      typed and checked like a call
//     cells.broadcast<&Cell::step>(n);                   each element exactly once
//     cells[8].create(0.5);  cells[8].destroy();         at any time, from anywhere
//     Future<double> heat = cells[7].call<&Cell::heat>();
//
// **Thread safety**: used by the thread of their session. **Invariants**: a message to an element that is not there yet
// waits for it; one to an element that was deleted is an Error. Messages of one process to another arrive in order as
// long as the element stays where it is.
#pragma once

#include <concepts>
#include <new>
#include <starling/array/core.hpp>
#include <starling/array/future.hpp>
#include <starling/array/method.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace starling::array {

/// Where a reduction's result of type V goes.
template <class V>
struct Callback : detail::Callback {
  Callback() = default;
  explicit Callback(detail::Callback to) : detail::Callback(std::move(to)) {}
  /// Into a future, which its holder may wait for.
  Callback(const Future<V>& future)
      : detail::Callback(future.callback()) {}  // NOLINT: a future is a place for a result
  void serialize(Archive& archive) { detail::Callback::serialize(archive); }
};

/// To void F(Session&, V) on a process.
template <auto F, class V>
Callback<V> to_function(int rank) {
  detail::Callback to;
  to.destination = detail::Callback::Destination::kFunction;
  to.rank = rank;
  to.method = detail::Function<F, V>::kNumber;
  return Callback<V>(to);
}

/// One element, by name.
template <class T>
class Target {
 public:
  Target(detail::ArrayCore& array, Index index) : array_(&array), index_(std::move(index)) {}

  /// The same with a priority for what is sent; smaller is sooner, 0 is usual.
  Target at_priority(std::int32_t priority) const {
    Target result = *this;
    result.options_.priority = priority;
    return result;
  }

  /// The same; messages that are sent so, by one element or by one process outside of elements, are handled in the
  /// order in which they were sent, however both move, and whatever their priorities. The element must not be
  /// deleted and created anew in between. Both ends remember each pair that was used so.
  Target in_order() const {
    Target result = *this;
    result.options_.in_order = true;
    return result;
  }

  /// Calls method M on the element, some time, where it is. Returns at once.
  template <auto M, class... A>
  void send(A&&... arguments) const {
    deliver<M>(options_, std::forward<A>(arguments)...);
  }

  /// The same; the future gets what M returns.
  template <auto M, class... A>
  auto call(A&&... arguments) const {
    Future<UnwrappedTask<typename detail::Method<T, M>::Result>> future(detail::session_of(*array_));
    detail::SendOptions options = options_;
    options.reply = future.slot_for_reply();
    deliver<M>(options, std::forward<A>(arguments)...);
    return future;
  }

  /// Makes the element, on its home process. There must be none at this index.
  template <class... A>
  void create(A&&... arguments) const {
    create_on(-1, std::forward<A>(arguments)...);
  }
  /// Makes the element on a process.
  template <class... A>
  void create_on(int rank, A&&... arguments) const {
    static_assert(std::is_constructible_v<T, detail::Stored<A>...>, "no constructor takes these arguments");
    detail::Packed packed = detail::pack_now<std::tuple<detail::Stored<A>...>>(arguments...);
    detail::create(*array_, index_, detail::Constructor<T, detail::Stored<A>...>::kNumber, rank, packed.data(),
                   packed.size());
  }
  /// Deletes it once it has the messages that came before this one.
  void destroy() const { detail::destroy(*array_, index_); }
  /// Moves it to a process.
  void migrate_to(int rank) const { detail::migrate(*array_, index_, rank); }

  std::uint16_t array_number() const { return detail::number_of(*array_); }
  const Index& name() const { return index_; }

  /// Results of a reduction go to method M of this element.
  template <auto M>
  auto to() const {
    using Arguments = typename detail::Method<T, M>::Arguments;
    static_assert(std::tuple_size_v<Arguments> <= 1, "the method takes the result and nothing else");
    detail::Callback to;
    to.destination = detail::Callback::Destination::kElement;
    to.array = detail::number_of(*array_);
    to.method = detail::Method<T, M>::kNumber;
    to.index = index_;
    if constexpr (std::tuple_size_v<Arguments> == 0) {
      return Callback<void>(to);
    } else {
      return Callback<std::tuple_element_t<0, Arguments>>(to);
    }
  }

 private:
  template <auto M, class... A>
  void deliver(detail::SendOptions options, A&&... arguments) const {
    using Method = detail::Method<T, M>;
    using Arguments = typename Method::Arguments;
    static_assert(std::is_base_of_v<typename Method::Traits::Class, T>,
                  "the method is not one of this array's elements");
    static_assert(Method::Traits::template kTakes<A...>, "the method takes other arguments");
    const auto write_to = [&](char* room, std::size_t size) {
      Archive write = Archive::writing(room, size);
      detail::pack(write, static_cast<const Arguments*>(nullptr), arguments...);
    };
    if (options.in_order) {
      const std::size_t size = detail::packed_size<Arguments>(arguments...);
      char* room = detail::ordered_room(*array_, index_, Method::kNumber, options, size);
      if (room != nullptr) write_to(room, size);
      return;
    }
    if constexpr (!Method::kBytes) {
      bool counts = false;
      if (void* room = detail::held_room(*array_, index_, Method::kNumber, options, sizeof(Arguments), counts)) {
        new (room) Arguments(std::forward<A>(arguments)...);
        if (counts) detail::count_link(*array_, index_, options.reply, detail::held_size<Method>(room));
        return;
      }
    }
    const std::size_t size = detail::packed_size<Arguments>(arguments...);
    if (char* room = detail::message_room(*array_, index_, Method::kNumber, options, size)) write_to(room, size);
  }

  detail::ArrayCore* array_;
  Index index_;
  detail::SendOptions options_;
};

/// The extents of a dense array of up to six dimensions; neighbours in memory order start on the same process.
template <std::size_t D>
using Extents = std::array<int, D>;

template <class T>
class Array {
 public:
  using IndexType = typename T::IndexType;

  /// A name of no array, to be read into.
  Array() = default;
  using Options = ArrayOptions<IndexType>;
  /// An empty array. All processes make it together, and their arrays in the same order.
  explicit Array(Session& session, const Options& options = {}) { add(session, options, {}); }
  /// Elements 0 to count - 1, in equal parts.
  Array(Session& session, int count, const Options& options = {}) requires std::integral<IndexType> {
    add(session, options, [count](const Index& index, int ranks) {
      const auto number = static_cast<std::int64_t>(detail::IndexBytes<IndexType>::unpack(index));
      return number >= 0 && number < count ? static_cast<int>(number * ranks / count)
                                           : detail::usual_home(index, ranks);
    });
    for (int i = 0; i < count; ++i) {
      detail::create_first(*array_, detail::IndexBytes<IndexType>::pack(static_cast<IndexType>(i)));
    }
  }
  /// All elements of a box.
  template <std::size_t D>
  Array(Session& session, const Extents<D>& extents,
        const ArrayOptions<Extents<D>>& options = {}) requires std::same_as<IndexType, Extents<D>> {
    static_assert(D >= 1 && D <= 6);
    std::int64_t total = 1;
    for (const int extent : extents) total *= extent;
    add(session, options, [extents, total](const Index& index, int ranks) {
      const Extents<D> at = detail::IndexBytes<Extents<D>>::unpack(index);
      std::int64_t number = 0;
      bool inside = true;
      for (std::size_t d = 0; d < D; ++d) {
        inside = inside && at[d] >= 0 && at[d] < extents[d];
        number = number * extents[d] + at[d];
      }
      return inside ? static_cast<int>(number * ranks / total) : detail::usual_home(index, ranks);
    });
    for (std::int64_t number = 0; number < total; ++number) {
      Extents<D> at;
      std::int64_t rest = number;
      for (std::size_t d = D; d-- > 0; rest /= extents[d]) at[d] = static_cast<int>(rest % extents[d]);
      detail::create_first(*array_, detail::IndexBytes<Extents<D>>::pack(at));
    }
  }
  Array(const Array& other) : array_(other.array_) {}
  Array& operator=(const Array& other) {
    array_ = other.array_;
    return *this;
  }

  Target<T> operator[](const IndexType& index) const {
    return Target<T>(*array_, detail::IndexBytes<IndexType>::pack(index));
  }

  /// Calls method M on every element exactly once: those that exist when it reaches their process. Broadcasts to an
  /// array reach all elements in one order.
  template <auto M, class... A>
  void broadcast(A&&... arguments) const {
    using Method = detail::Method<T, M>;
    static_assert(Method::Traits::template kTakes<A...>, "the method takes other arguments");
    detail::Packed packed = detail::pack_now<typename Method::Arguments>(arguments...);
    detail::broadcast(*array_, Method::kNumber, packed.data(), packed.size());
  }

  /// Results of a reduction are broadcast to method M.
  template <auto M>
  auto to_all() const {
    using Arguments = typename detail::Method<T, M>::Arguments;
    detail::Callback to;
    to.destination = detail::Callback::Destination::kBroadcast;
    to.array = detail::number_of(*array_);
    to.method = detail::Method<T, M>::kNumber;
    return Callback<std::tuple_element_t<0, Arguments>>(to);
  }

  /// From main: begins to measure, or stops, the processor time of each element's methods. Costs some 50 ns for each
  /// message.
  void measure(bool on = true) const { detail::measure(*array_, on); }
  /// From main: begins to measure what a step with these options will want to know: for `graph` also, at some 5 ns
  /// more, how much each element sends to which others, of this array or another one, and what main and elements of
  /// other arrays send to it, with the answers to calls. Those others stay where they are in this array's steps.
  /// Without this a first step with `graph` knows of no links.
  void measure(const BalanceOptions& options) const { detail::measure_for(*array_, options); }
  /// From main, between steps: moves elements so that all processes have the same measured load, if that gains more
  /// than it costs. Returns when they have arrived; the report explains.
  BalanceReport balance(const BalanceOptions& options = {}) const { return detail::balance_now(*array_, options); }
  /// From main: measures, and from now on looks by itself whether moving elements gains more than it costs, whenever a
  /// period of work is over; while elements work, without waiting for a step of the program to end. Looking takes 1 %
  /// of the time at most: with very many elements the period grows. measure(false) ends it; after a loss main asks
  /// anew. Throws Error for a period below 0.
  void balance_every(double seconds = 1, const BalanceOptions& options = {.tolerated = 1.05}) const {
    detail::balance_every(*array_, seconds, options);
  }
  /// From main: what that has done so far.
  BalanceHistory balanced() const { return detail::balanced(*array_); }
  /// From main, after measure({.strategy = "graph"}): which elements talked with which, to be shown or written. As with
  /// a balancing step, loads and links count from zero afterwards.
  CommunicationGraph communication() const { return detail::communication(*array_); }

  Session& session() const { return detail::session_of(*array_); }
  detail::ArrayCore& core() const { return *array_; }

  void serialize(Archive& archive) {
    std::uint16_t number = archive.is_reading() ? std::uint16_t{0} : detail::number_of(*array_);
    archive(number);
    if (archive.is_reading()) array_ = &detail::array_of(*archive.session(), number);
  }

 private:
  /// usual_home: where the options name no home.
  void add(Session& session, const Options& options, std::function<int(const Index&, int)> usual_home) {
    static_assert(std::is_default_constructible_v<T>, "an element that arrives is made by its default constructor");
    detail::ArrayPlan plan{std::move(usual_home), options.homes, options.cached_places, options.cached_for_s,
                           options.branches};
    if (options.home) {
      plan.home = [home = options.home](const Index& index, int ranks) {
        return home(detail::IndexBytes<IndexType>::unpack(index), ranks);
      };
    }
    array_ = &detail::add_array(session, detail::kElementType<T>, detail::Constructor<T>::kNumber, std::move(plan));
  }

  template <class E>
  friend Array<E> array_named(detail::ArrayCore& core);
  detail::ArrayCore* array_ = nullptr;
};

template <class T>
Array<T> array_named(detail::ArrayCore& core) {
  Array<T> array;
  array.array_ = &core;
  return array;
}

}  // namespace starling::array
