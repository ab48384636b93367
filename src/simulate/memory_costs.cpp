// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/memory_costs.hpp"

#include <cstring>
#include <utility>

#include "base/copy_past_caches.hpp"
#include "simulate/simulated_time.hpp"

namespace starling::simulate {
namespace {

/// Shorter times are added up until they are worth an event of the simulation.
constexpr double kLeastNs = 20;

thread_local const MemoryCosts* now = nullptr;
thread_local double owed_ns = 0;

}  // namespace

CountedMemory::CountedMemory(const MemoryCosts* costs) noexcept
    : before_(std::exchange(now, costs)), heard_before_(set_ns_to_be_heard(costs != nullptr ? costs->line_ns : 0)) {}
CountedMemory::~CountedMemory() {
  now = before_;
  set_ns_to_be_heard(heard_before_);
}

void count_bytes(std::size_t bytes) noexcept {
  if (now == nullptr) return;
  owed_ns += static_cast<double>(bytes) * now->byte_ns;
  if (owed_ns < kLeastNs) return;
  const CountedMemory not_of_the_simulation(nullptr);
  spend_ns(std::exchange(owed_ns, 0));
}

}  // namespace starling::simulate

// The linker gives these to who calls memcpy and memmove (CMakeLists.txt), and the true ones under their other names.
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
extern "C" {
void* __real_memcpy(void* to, const void* from, std::size_t bytes) noexcept;
void* __real_memmove(void* to, const void* from, std::size_t bytes) noexcept;

void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) noexcept {
  starling::simulate::count_bytes(bytes);
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) noexcept {
  starling::simulate::count_bytes(bytes);
  return __real_memmove(to, from, bytes);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace starling {

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }

}  // namespace starling
