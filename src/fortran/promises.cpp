// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/promises.hpp"

#include <list>
#include <mutex>

#include "fortran/handles.hpp"

namespace starling::fortran {
namespace {

struct Promise {
  MPI_Comm promised;
  int* newcomm;
};
std::mutex promises_lock;
std::list<Promise> all_promises;  // each stays where it is

}  // namespace

std::atomic<int> promises = 0;

MPI_Comm* promise(int* newcomm) {
  const std::lock_guard guard(promises_lock);
  all_promises.push_back({MPI_COMM_NULL, newcomm});
  promises.fetch_add(1, std::memory_order_relaxed);
  return &all_promises.back().promised;
}

void take_back(const MPI_Comm* promised) {
  const std::lock_guard guard(promises_lock);
  const auto gone = all_promises.remove_if([=](const Promise& one) { return &one.promised == promised; });
  promises.fetch_sub(static_cast<int>(gone), std::memory_order_relaxed);
}

void keep_promises() {
  const std::lock_guard guard(promises_lock);
  const auto kept = all_promises.remove_if([](const Promise& one) {
    // The library writes it meanwhile, for all that the compiler knows.
    const MPI_Comm made = *static_cast<const volatile MPI_Comm*>(&one.promised);
    if (made == MPI_COMM_NULL || made == nullptr) return false;
    *one.newcomm = to(made);
    return true;
  });
  promises.fetch_sub(static_cast<int>(kept), std::memory_order_relaxed);
}

}  // namespace starling::fortran
