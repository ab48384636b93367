// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fiber.hpp"

#include <cxxabi.h>

#include <cstring>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define STARLING_FIBER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define STARLING_FIBER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STARLING_FIBER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define STARLING_FIBER_THREAD
#endif
#endif

#ifdef STARLING_FIBER_ADDRESS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef STARLING_FIBER_THREAD
#include <sanitizer/tsan_interface.h>
#endif

#ifdef _LIBCPP_VERSION
// Part of the ABI of exceptions (Itanium C++ ABI, 2.2.2); libc++'s header leaves it out.
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1
#endif

namespace starling::array::detail {

Fiber::Fiber(char* bottom, std::size_t bytes, void (*body)(void*), void* argument)
    : own_(), resumer_(), body_(body), argument_(argument), bottom_(bottom), bytes_(bytes) {
  prepare_stack(own_, bottom, bytes, &Fiber::start, this);
#ifdef STARLING_FIBER_THREAD
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

/// The first frame of the stack.
void Fiber::start(void* fiber) {
  auto& self = *static_cast<Fiber*>(fiber);
#ifdef STARLING_FIBER_ADDRESS
  __sanitizer_finish_switch_fiber(nullptr, &self.resumer_bottom_, &self.resumer_bytes_);
#endif
  self.body_(self.argument_);
  self.is_done_ = true;
#ifdef STARLING_FIBER_ADDRESS
  __sanitizer_start_switch_fiber(nullptr, self.resumer_bottom_, self.resumer_bytes_);
#endif
#ifdef STARLING_FIBER_THREAD
  __tsan_switch_to_fiber(self.sanitizer_resumer_, 0);
#endif
  switch_stack(self.own_, self.resumer_);
}

/// The thread's and the fiber's change places.
void Fiber::exchange_exceptions() {
  void* globals = abi::__cxa_get_globals();
  Exceptions threads;
  std::memcpy(&threads, globals, sizeof threads);
  std::memcpy(globals, &exceptions_, sizeof exceptions_);
  exceptions_ = threads;
}

void Fiber::resume() {
  exchange_exceptions();
#ifdef STARLING_FIBER_ADDRESS
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, bottom_, bytes_);
#endif
#ifdef STARLING_FIBER_THREAD
  sanitizer_resumer_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_fiber_, 0);
#endif
  switch_stack(resumer_, own_);
#ifdef STARLING_FIBER_ADDRESS
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  exchange_exceptions();
}

void Fiber::suspend() {
#ifdef STARLING_FIBER_ADDRESS
  __sanitizer_start_switch_fiber(&fake_stack_, resumer_bottom_, resumer_bytes_);
#endif
#ifdef STARLING_FIBER_THREAD
  __tsan_switch_to_fiber(sanitizer_resumer_, 0);
#endif
  switch_stack(own_, resumer_);
#ifdef STARLING_FIBER_ADDRESS
  __sanitizer_finish_switch_fiber(fake_stack_, &resumer_bottom_, &resumer_bytes_);
#endif
}

const char* Fiber::may_leave() {
  Exceptions now;
  std::memcpy(&now, abi::__cxa_get_globals(), sizeof now);
  if (now.caught != nullptr) return "within a handler of an exception (catch)";
  if (now.thrown != 0) return "in a destructor while an exception is thrown";
  return nullptr;
}

const char* Fiber::used_from() const {
#ifdef STARLING_FIBER_CONTEXT
  return bottom_;
#else
  return static_cast<const char*>(own_.pointer);
#endif
}

void Fiber::arrive() { exceptions_ = {}; }

void Fiber::end() {
#ifdef STARLING_FIBER_THREAD
  if (sanitizer_fiber_ != nullptr) __tsan_destroy_fiber(std::exchange(sanitizer_fiber_, nullptr));
#endif
  forget_stack_marks(bottom_, bytes_);
}

bool has_fake_stack() {
#ifdef STARLING_FIBER_ADDRESS
  return __asan_get_current_fake_stack() != nullptr;
#else
  return false;
#endif
}

void forget_stack_marks([[maybe_unused]] const char* from, [[maybe_unused]] std::size_t bytes) {
#ifdef STARLING_FIBER_ADDRESS
  __asan_unpoison_memory_region(from, bytes);
#endif
}

}  // namespace starling::array::detail
