// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ModuleRecord: a program or library from which a traced rank has called MPI, and where it lies in the process. So the
// address of a call becomes one of a file, which is the same in all processes and on all hosts.
// Thread safety: a value. Layout: 48 bytes and the path, the same in the rank's ring (event_ring.hpp) and in the log
// (event_log.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::observe {

struct ModuleRecord {
  static constexpr std::size_t kMostIdBytes = 20;

  std::uint64_t begin = 0;  ///< of its code in the process
  std::uint64_t end = 0;
  std::uint64_t bias = 0;  ///< an address in the process less this is that of the file
  std::uint8_t id[kMostIdBytes] = {};
  std::uint16_t id_bytes = 0;    ///< of the build ID, which tells files of one name apart; 0: it has none
  std::uint16_t path_bytes = 0;  ///< of the path, which comes behind, padded with zeros to a multiple of 8

  [[nodiscard]] constexpr std::size_t padded_path_bytes() const noexcept {
    return (path_bytes + std::size_t{7}) / 8 * 8;
  }
};
static_assert(sizeof(ModuleRecord) == 48);

}  // namespace starling::observe
