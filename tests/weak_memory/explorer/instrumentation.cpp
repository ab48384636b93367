// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the compiler calls where code that it has compiled with -fsanitize=thread touches memory. ThreadSanitizer's own
// library is not linked; these functions are in its place.
//
// The names and arguments are the compiler's: GCC's and Clang's documents of -fsanitize=thread.
// Thread safety: none.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "weak_memory/explorer/machine.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier)
namespace starling::weak {
namespace {

/// As compilers number __ATOMIC_...
Order order_of(int number) noexcept {
  switch (number) {
    case __ATOMIC_RELAXED: return Order::kRelaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE: return Order::kAcquire;
    case __ATOMIC_RELEASE: return Order::kRelease;
    case __ATOMIC_ACQ_REL: return Order::kAcqRel;
    default: return Order::kSeqCst;
  }
}

void touch(Touch kind, const void* address, std::size_t bytes) {
  if (Machine* machine = Machine::of_running_code()) machine->touch(kind, address, bytes);
}

template <typename T>
T load(const volatile void* address, int order) {
  Machine* machine = Machine::of_running_code();
  auto* at = const_cast<void*>(address);
  if (machine == nullptr) return __atomic_load_n(static_cast<T*>(at), __ATOMIC_SEQ_CST);
  Action action;
  action.kind = Kind::kLoad;
  action.order = order_of(order);
  return static_cast<T>(machine->access(at, sizeof(T), action));
}

template <typename T>
void store(volatile void* address, T value, int order) {
  Machine* machine = Machine::of_running_code();
  auto* at = const_cast<void*>(address);
  if (machine == nullptr) return __atomic_store_n(static_cast<T*>(at), value, __ATOMIC_SEQ_CST);
  Action action;
  action.kind = Kind::kStore;
  action.order = order_of(order);
  action.value = static_cast<std::make_unsigned_t<T>>(value);
  machine->access(at, sizeof(T), action);
}

/// change(value): what the object then holds.
template <typename T, typename Change>
T modify(volatile void* address, int order, Change change) {
  Machine* machine = Machine::of_running_code();
  auto* at = static_cast<T*>(const_cast<void*>(address));
  if (machine == nullptr) {
    T before = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(at, &before, change(before), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return before;
  }
  Action action;
  action.kind = Kind::kModify;
  action.order = order_of(order);
  action.modify = [change](std::uint64_t* value) {
    *value = static_cast<std::make_unsigned_t<T>>(change(static_cast<T>(*value)));
    return true;
  };
  return static_cast<T>(machine->access(at, sizeof(T), action));
}

template <typename T>
int exchange_if(volatile void* address, T* expected, T desired, int order, int order_of_failure) {
  Machine* machine = Machine::of_running_code();
  auto* at = static_cast<T*>(const_cast<void*>(address));
  if (machine == nullptr) {
    return __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;
  }
  const T wanted = *expected;
  Action action;
  action.kind = Kind::kModify;
  action.order = order_of(order);
  action.order_of_failure = order_of(order_of_failure);
  action.modify = [wanted, desired](std::uint64_t* value) {
    if (static_cast<T>(*value) != wanted) return false;
    *value = static_cast<std::make_unsigned_t<T>>(desired);
    return true;
  };
  const T found = static_cast<T>(machine->access(at, sizeof(T), action));
  *expected = found;
  return found == wanted ? 1 : 0;
}

}  // namespace
}  // namespace starling::weak

using starling::weak::Machine;
using starling::weak::Touch;

#define STARLING_PLAIN(bytes)                                                                                  \
  extern "C" void __tsan_read##bytes(void* at) { starling::weak::touch(Touch::kRead, at, bytes); }             \
  extern "C" void __tsan_write##bytes(void* at) { starling::weak::touch(Touch::kWrite, at, bytes); }           \
  extern "C" void __tsan_unaligned_read##bytes(void* at) { starling::weak::touch(Touch::kRead, at, bytes); }   \
  extern "C" void __tsan_unaligned_write##bytes(void* at) { starling::weak::touch(Touch::kWrite, at, bytes); } \
  extern "C" void __tsan_volatile_read##bytes(void* at) { starling::weak::touch(Touch::kRead, at, bytes); }    \
  extern "C" void __tsan_volatile_write##bytes(void* at) { starling::weak::touch(Touch::kWrite, at, bytes); }  \
  extern "C" void __tsan_read_write##bytes(void* at) { starling::weak::touch(Touch::kWrite, at, bytes); }      \
  extern "C" void __tsan_unaligned_read_write##bytes(void* at) { starling::weak::touch(Touch::kWrite, at, bytes); }

STARLING_PLAIN(1)
STARLING_PLAIN(2)
STARLING_PLAIN(4)
STARLING_PLAIN(8)
STARLING_PLAIN(16)

extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void* /*caller*/) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_read(void** /*at*/) {}
extern "C" void __tsan_vptr_update(void** /*at*/, void* /*value*/) {}
extern "C" void __tsan_read_range(void* at, std::size_t bytes) { starling::weak::touch(Touch::kRead, at, bytes); }
extern "C" void __tsan_write_range(void* at, std::size_t bytes) { starling::weak::touch(Touch::kWrite, at, bytes); }

#define STARLING_ATOMIC(bits, T)                                                                                  \
  extern "C" T __tsan_atomic##bits##_load(const volatile T* at, int order) {                                      \
    return starling::weak::load<T>(at, order);                                                                    \
  }                                                                                                               \
  extern "C" void __tsan_atomic##bits##_store(volatile T* at, T value, int order) {                               \
    starling::weak::store<T>(at, value, order);                                                                   \
  }                                                                                                               \
  extern "C" T __tsan_atomic##bits##_exchange(volatile T* at, T value, int order) {                               \
    return starling::weak::modify<T>(at, order, [value](T) { return value; });                                    \
  }                                                                                                               \
  extern "C" T __tsan_atomic##bits##_fetch_add(volatile T* at, T value, int order) {                              \
    return starling::weak::modify<T>(at, order, [value](T before) { return static_cast<T>(before + value); });    \
  }                                                                                                               \
  extern "C" T __tsan_atomic##bits##_fetch_sub(volatile T* at, T value, int order) {                              \
    return starling::weak::modify<T>(at, order, [value](T before) { return static_cast<T>(before - value); });    \
  }                                                                                                               \
  extern "C" T __tsan_atomic##bits##_fetch_and(volatile T* at, T value, int order) {                              \
    return starling::weak::modify<T>(at, order, [value](T before) { return static_cast<T>(before & value); });    \
  }                                                                                                               \
  extern "C" T __tsan_atomic##bits##_fetch_or(volatile T* at, T value, int order) {                               \
    return starling::weak::modify<T>(at, order, [value](T before) { return static_cast<T>(before | value); });    \
  }                                                                                                               \
  extern "C" T __tsan_atomic##bits##_fetch_xor(volatile T* at, T value, int order) {                              \
    return starling::weak::modify<T>(at, order, [value](T before) { return static_cast<T>(before ^ value); });    \
  }                                                                                                               \
  extern "C" int __tsan_atomic##bits##_compare_exchange_strong(volatile T* at, T* expected, T desired, int order, \
                                                               int failure) {                                     \
    return starling::weak::exchange_if<T>(at, expected, desired, order, failure);                                 \
  }                                                                                                               \
  extern "C" int __tsan_atomic##bits##_compare_exchange_weak(volatile T* at, T* expected, T desired, int order,   \
                                                             int failure) {                                       \
    return starling::weak::exchange_if<T>(at, expected, desired, order, failure);                                 \
  }                                                                                                               \
  extern "C" T __tsan_atomic##bits##_compare_exchange_val(volatile T* at, T expected, T desired, int order,       \
                                                          int failure) {                                          \
    starling::weak::exchange_if<T>(at, &expected, desired, order, failure);                                       \
    return expected;                                                                                              \
  }

STARLING_ATOMIC(8, std::int8_t)
STARLING_ATOMIC(16, std::int16_t)
STARLING_ATOMIC(32, std::int32_t)
STARLING_ATOMIC(64, std::int64_t)

extern "C" void __tsan_atomic_thread_fence(int order) {
  if (Machine* machine = Machine::of_running_code()) machine->fence(starling::weak::order_of(order));
}
extern "C" void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) { return std::memcpy(to, from, bytes); }
extern "C" void* __tsan_memmove(void* to, const void* from, std::size_t bytes) { return std::memmove(to, from, bytes); }
extern "C" void* __tsan_memset(void* to, int value, std::size_t bytes) { return std::memset(to, value, bytes); }
extern "C" void __tsan_atomic_signal_fence(int /*order*/) {}
// NOLINTEND(bugprone-reserved-identifier)
