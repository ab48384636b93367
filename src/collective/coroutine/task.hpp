// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Task: the coroutine type of every collective algorithm.
//
//   Task bcast_binomial(Call& call, const Arguments& arguments) { ... co_await call.receive(...); ... }
//
// An algorithm may await another: `co_await reduce_binomial(call, arguments)`. A task that never has to wait runs to
// its end inside the caller's stack frame and costs a pooled frame and two calls. Failures are noted in the Call, not
// returned, because an algorithm goes on after a failure so that no other rank waits for it in vain. Thread safety: the
// holder of the world's lock. Invariants: the first parameter is the Call, whose pool the frame comes from; parameters
// taken by reference outlive the task. A child that ends inside its parent's await hands control back by returning,
// otherwise by symmetric transfer.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

#include "collective/coroutine/executor.hpp"

namespace starling::collective {

class Call;
FramePool& frame_pool(Call& call) noexcept;

class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type {
    std::coroutine_handle<> parent;  ///< set once the parent has to wait
    Executor* executor = nullptr;    ///< of a root task: where its end is announced
    ReadyItem* at_end = nullptr;

    template <typename... Rest>
    static void* operator new(std::size_t bytes, Call& call, Rest&&...) noexcept {
      return frame_pool(call).allocate(bytes);
    }
    static void operator delete(void* frame) noexcept { FramePool::release(frame); }
    static Task get_return_object_on_allocation_failure() noexcept { std::terminate(); }

    Task get_return_object() noexcept { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }

    struct Final {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(Handle ended) const noexcept {
        promise_type& promise = ended.promise();
        if (promise.parent) return promise.parent;
        if (promise.at_end) promise.executor->queue(*promise.at_end);
        return std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    Final final_suspend() const noexcept { return {}; }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Runs a root task as far as it goes; true: to its end.
  bool start() {
    handle_.resume();
    return handle_.done();
  }
  [[nodiscard]] bool done() const noexcept { return handle_.done(); }
  /// Ends the task where it waits, with all that it awaits.
  void destroy() noexcept {
    if (handle_) std::exchange(handle_, nullptr).destroy();
  }
  /// Queues the item when the task ends. Only for a task that start() did not bring to its end.
  void at_end(Executor& executor, ReadyItem& item) noexcept {
    handle_.promise().executor = &executor;
    handle_.promise().at_end = &item;
  }

  // Awaiting a task runs it.
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> parent) {
    if (start()) return false;
    handle_.promise().parent = parent;
    return true;
  }
  void await_resume() const noexcept {}

 private:
  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Handle handle_;
};

}  // namespace starling::collective
