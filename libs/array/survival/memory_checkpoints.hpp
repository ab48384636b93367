// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MemoryCheckpoints: what one process has of checkpoints in memory: of each its number and members, its own bytes, and
// the copy of the process before it.
//
// **Thread safety**: none. **Invariants**: a process is known by a number for as long as its session has no others than
// its members or fewer; members of a checkpoint stand in the order of their ranks, so each one's buddy is the next.
#pragma once

#include <cstdint>
#include <vector>

namespace starling::array::detail {

struct MemoryCheckpoints {
  struct Mark {  // what a record begins with
    std::uint32_t number = 0;
    std::uint32_t run = 0;
    std::int32_t owner = 0;
    std::uint32_t run_is_over = 0;
  };
  struct Copy {
    std::uint32_t number;
    std::int32_t owner;
    std::vector<char> bytes;
  };
  struct Generation {
    Mark mark;
    std::vector<std::int32_t> members;  // by rank
    std::vector<char> state;            // main's
  };

  /// Nothing yet, as process `rank` of `size`.
  static MemoryCheckpoints of(int rank, int size);

  const Generation* generation(std::uint32_t number) const;
  const Copy* copy(std::uint32_t number, std::int32_t owner) const;
  /// The newest that is complete here: with this process's elements, and those of the process before it. 0 for none.
  std::uint32_t newest() const;
  void drop_before(std::uint32_t number);
  void drop_after(std::uint32_t number);

  std::int32_t me = 0;
  std::vector<std::int32_t> ids;  // of the ranks
  std::vector<Generation> generations;
  std::vector<Copy> copies;
};

}  // namespace starling::array::detail
