// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Future<V>: a value that will come, from a call, a reduction or set(); Task<V>: what a method returns that waits for
// one.
//
//     Task<> Cell::work() {                       a method that is a coroutine
//       double left = co_await array()[index() - 1].call<&Cell::heat>();
//       ...
//     }
//
// A future may be sent in messages; only the process that made it can wait for it. Outside of elements, get() runs the
// scheduler meanwhile. An element with a coroutine that waits stays on its process until it ends.
//
// **Thread safety**: used by the thread of their session. **Invariants**: a future is set once; a value that is moved
// out by get() or co_await is gone.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <starling/array/core.hpp>
#include <type_traits>
#include <utility>

namespace starling::array {

template <class V>
class Future;
template <class V = void>
class Task;

namespace detail {

template <class T>
struct IsTask : std::false_type {
  using Result = T;
};
template <class V>
struct IsTask<Task<V>> : std::true_type {
  using Result = V;
};

template <class V>
void reply_with(const ReplyTo& reply, V& value) {
  Archive count = Archive::counting();
  count(value);
  Packed packed(count.used());
  Archive::writing(packed.data(), packed.size())(value);
  set_future(reply, packed.data(), packed.size());
}

}  // namespace detail

template <class T>
using UnwrappedTask = typename detail::IsTask<T>::Result;

template <class V>
class Future {
 public:
  /// No future, to be read into.
  Future() = default;
  explicit Future(Session& session)
      : core_(&detail::core_of(session)), rank_(detail::rank_of(*core_)), slot_(detail::new_future(*core_)) {}
  Future(const Future& other) : core_(other.core_), rank_(other.rank_), slot_(other.slot_) { share(); }
  Future(Future&& other) noexcept : core_(other.core_), rank_(other.rank_), slot_(std::exchange(other.slot_, 0)) {}
  Future& operator=(Future other) noexcept {
    std::swap(core_, other.core_);
    std::swap(rank_, other.rank_);
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~Future() {
    if (is_here()) detail::drop_future(*core_, slot_);
  }

  bool ready() const { return is_here() && detail::future_ready(*core_, slot_); }

  /// Runs the scheduler until the value is there. Throws Error if it cannot come. Only outside of elements: they
  /// co_await.
  V get() {
    detail::wait_for(*core_, slot_);
    return await_resume();
  }

  /// Gives the value, from anywhere.
  template <class W = V>
  void set(W value) requires(!std::is_void_v<V>) {
    V converted(std::move(value));
    detail::reply_with(reply(), converted);
  }
  void set() requires std::is_void_v<V> { detail::set_future(reply(), nullptr, 0); }

  bool await_ready() const { return ready(); }
  void await_suspend(std::coroutine_handle<> waiting) const {
    detail::resume_when_ready(*core_, slot_, waiting.address());
  }
  V await_resume() {
    [[maybe_unused]] Archive in = detail::future_bytes(*core_, slot_);
    if constexpr (!std::is_void_v<V>) {
      V value{};
      in(value);
      detail::finish_reading(in);
      return value;
    }
  }

  void serialize(Archive& archive) {
    if (archive.is_reading()) *this = Future();
    archive(rank_, slot_);
    if (!archive.is_reading()) return;
    core_ = &detail::core_of(*archive.session());
    share();
  }

  detail::Callback callback() const {
    detail::Callback to;
    to.destination = detail::Callback::Destination::kFuture;
    to.rank = rank_;
    to.method = slot_;
    return to;
  }
  std::uint32_t slot_for_reply() const { return slot_; }

 private:
  detail::ReplyTo reply() const { return {core_, rank_, slot_}; }
  bool is_here() const { return slot_ != 0 && core_ != nullptr && rank_ == detail::rank_of(*core_); }
  void share() const {
    if (is_here()) detail::share_future(*core_, slot_);
  }

  detail::Core* core_ = nullptr;
  std::int32_t rank_ = 0;
  std::uint32_t slot_ = 0;
};

inline Future<void> Session::quiet() {
  Future<void> future(*this);
  when_quiet(future.callback());
  return future;
}

inline Future<std::size_t> Session::collect_meanwhile(const References& roots) {
  Future<std::size_t> deleted(*this);
  detail::begin_collection(*core_, roots, deleted.callback());
  return deleted;
}

namespace detail {

/// What all coroutines of elements have: they run at once, and end themselves.
struct TaskPromiseBase {
  ReplyTo reply;

  std::suspend_never initial_suspend() const noexcept { return {}; }
  std::suspend_never final_suspend() const noexcept { return {}; }
  void unhandled_exception() const { report_exception(*running_core()); }
};

}  // namespace detail

template <class V>
class Task {
 public:
  struct promise_type : detail::TaskPromiseBase {
    Task* task = nullptr;
    Task get_return_object() { return Task(*this); }
    void return_value(V value) {
      if (task != nullptr) task->value_ = std::make_unique<V>(std::move(value));
      if (task == nullptr && reply.slot != 0) detail::reply_with(reply, value);
    }
    ~promise_type() {
      if (task != nullptr) task->promise_ = nullptr;
    }
  };
  // Some compilers move what a coroutine returns.
  Task(Task&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)), value_(std::move(other.value_)) {
    if (promise_ != nullptr) promise_->task = this;
  }
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (promise_ != nullptr) promise_->task = nullptr;
  }
  /// The result goes there, now or when it comes.
  void reply_to(const detail::ReplyTo& reply) {
    if (promise_ != nullptr) {
      promise_->reply = reply;
    } else if (reply.slot != 0 && value_) {
      detail::reply_with(reply, *value_);
    }
  }

 private:
  explicit Task(promise_type& promise) : promise_(&promise) { promise.task = this; }
  promise_type* promise_;
  std::unique_ptr<V> value_;
};

template <>
class Task<void> {
 public:
  struct promise_type : detail::TaskPromiseBase {
    Task* task = nullptr;
    Task get_return_object() { return Task(*this); }
    void return_void() const {
      if (task == nullptr && reply.slot != 0) detail::set_future(reply, nullptr, 0);
    }
    ~promise_type() {
      if (task != nullptr) task->promise_ = nullptr;
    }
  };
  Task(Task&& other) noexcept : promise_(std::exchange(other.promise_, nullptr)) {
    if (promise_ != nullptr) promise_->task = this;
  }
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (promise_ != nullptr) promise_->task = nullptr;
  }
  void reply_to(const detail::ReplyTo& reply) {
    if (promise_ != nullptr) {
      promise_->reply = reply;
    } else if (reply.slot != 0) {
      detail::set_future(reply, nullptr, 0);
    }
  }

 private:
  explicit Task(promise_type& promise) : promise_(&promise) { promise.task = this; }
  promise_type* promise_;
};

}  // namespace starling::array
