// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "addresses.hpp"

#include <limits.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <starling/array/virtual_ranks.hpp>

namespace starling::array {

namespace detail {

namespace {

/// A function of the library, which is linked into the program or is a library of its own.
void of_this_library() {}

template <class F>
std::uint64_t number_of(F* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

}  // namespace

Addresses Addresses::of(const void* program) {
  return {{reinterpret_cast<std::uintptr_t>(program), number_of(&of_this_library), number_of(&std::terminate),
           number_of(&::getpid), getauxval(AT_BASE)}};
}

const char* Addresses::name(std::size_t which) {
  constexpr std::array<const char*, kCount> kNames{"the program", "libstarling_array", "the C++ library",
                                                   "the C library", "the loader"};
  return kNames[which];
}

}  // namespace detail

bool same_addresses(char** argv) {
  const int now = personality(0xffffffff);
  if (now == -1) return false;
  if ((now & ADDR_NO_RANDOMIZE) != 0) return true;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return false;
  // By its name, which lists of processes show; that of a file which is gone by now leads nowhere.
  std::array<char, PATH_MAX> path{};
  constexpr const char* kSelf = "/proc/self/exe";
  if (readlink(kSelf, path.data(), path.size() - 1) > 0) execv(path.data(), argv);
  execv(kSelf, argv);
  personality(static_cast<unsigned long>(now));
  return false;
}

}  // namespace starling::array
