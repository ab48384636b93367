// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What it costs the ranks of a simulated node to share its memory. Two things take time: what a rank copies or combines
// (its bytes are counted where the library calls memcpy, memmove, copy_past_caches or a reduction's kernel; the program
// is linked with counting ones, see memory_costs.cpp), and the way of a store to a rank of the node that waits for it
// (simulated_time.cpp). Copies of a few bytes that the compiler makes in place are not seen; their time is that of the
// line.
//
// Thread safety: SimGrid runs one rank at a time; a scope belongs to its thread.
#pragma once

#include <cstddef>

namespace starling::simulate {

struct MemoryCosts {
  double line_ns = 0;  ///< until a rank that waits sees what another rank of its node has stored
  double byte_ns = 0;  ///< each byte that a rank copies or combines, whatever the others of its node do
};

/// What this thread does to memory has these costs for as long as it lives; null: none.
class CountedMemory {
 public:
  explicit CountedMemory(const MemoryCosts* costs) noexcept;
  ~CountedMemory();
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;

 private:
  const MemoryCosts* const before_;
  const double heard_before_;
};

/// This thread has copied or combined so many bytes.
void count_bytes(std::size_t bytes) noexcept;

}  // namespace starling::simulate
