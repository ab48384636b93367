// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The same access again and again, as programs do: often enough that the library tries other ways to do it.
#include <vector>

#include "mpi/rma/windows.hpp"
#include "support/pattern.hpp"
#include "support/repeats.hpp"

namespace starling::tests {
namespace {

MPI_CASE("an access that is repeated again and again does the same each time", 2, 8) {
  constexpr int kMostBytes = 6000;
  const int rounds = repeats(world, 2000, 100);
  const int target = (world.rank + 1) % world.size;
  for (const WindowKind kind : kinds_of(world)) {
    WindowOver<unsigned char> win(world, kind, 2 * kMostBytes);
    MPI_Win_lock_all(0, win);
    for (const int bytes : {100, 700, 1500, kMostBytes}) {
      const auto length = static_cast<std::size_t>(bytes);
      for (int round = 0; round < rounds; ++round) {
        std::vector<unsigned char> out(length);
        std::vector<unsigned char> in(length);
        fill_pattern(out.data(), length, key_of(world.rank, bytes, round));
        // Two halves, so that puts are under way together.
        const int half = bytes / 2;
        MPI_Put(out.data(), half, MPI_BYTE, target, win.at(target, 0), half, MPI_BYTE, win);
        MPI_Put(out.data() + half, bytes - half, MPI_BYTE, target, win.at(target, half), bytes - half, MPI_BYTE, win);
        MPI_Put(out.data(), bytes, MPI_BYTE, target, win.at(target, kMostBytes), bytes, MPI_BYTE, win);
        MPI_Win_flush(target, win);
        for (const int at : {0, kMostBytes}) {
          MPI_Get(in.data(), bytes, MPI_BYTE, target, win.at(target, at), bytes, MPI_BYTE, win);
          MPI_Win_flush(target, win);
          CHECK_EQ(first_wrong_byte(in.data(), length, key_of(world.rank, bytes, round)), -1);
        }
      }
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(world.comm);
  }
}

}  // namespace
}  // namespace starling::tests
