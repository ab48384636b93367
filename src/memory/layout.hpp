// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A fingerprint of structs that separately built programs share: mpiexec and the library, or the libraries of two
// ranks, may come from different builds. The owner of a shared struct hashes its sizes and offsets, and a version
// number that grows, by hand, when the meaning changes and the shape does not.
//
// Thread safety: pure functions. Source of the hash: FNV-1a, Fowler, Noll and Vo.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace starling::memory {

[[nodiscard]] constexpr std::uint64_t fingerprint(std::initializer_list<std::uint64_t> numbers) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t number : numbers) {
    for (int byte = 0; byte < 8; ++byte, number >>= 8) hash = (hash ^ (number & 0xff)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace starling::memory
