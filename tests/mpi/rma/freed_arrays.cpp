// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Once an access is complete at its origin, the origin's array is the program's again: it is overwritten and freed at
// once, a hundred times, whichever call completed it (MPI-5.0, 12.5.4 and 12.3.5).
#include <memory>

#include "mpi/rma/windows.hpp"
#include "support/pattern.hpp"

namespace starling::tests {
namespace {

/// Memory that is spoiled before it goes.
class Lent {
 public:
  explicit Lent(int bytes) : bytes_(static_cast<std::size_t>(bytes)), data_(new unsigned char[bytes_]) {}
  ~Lent() { std::fill_n(data_.get(), bytes_, static_cast<unsigned char>(0xE7)); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  [[nodiscard]] unsigned char* data() const { return data_.get(); }

 private:
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> data_;
};

class FreedArrays {
 public:
  FreedArrays(Context& context, WindowKind kind)
      : world(context),
        win_(context, kind, kMostBytes * kPlaces * context.size),
        random_(context.generator(static_cast<std::uint64_t>(context.rank) * 10 + static_cast<std::uint64_t>(kind))) {}

  void run(int rounds) {
    MPI_Win_lock_all(0, win_);
    for (int round = 0; round < rounds; ++round) {
      const int target = draw(world.size);
      std::vector<int> bytes(kPlaces);
      for (int place = 0; place < kPlaces; ++place)
        bytes[static_cast<std::size_t>(place)] = write(target, place, round);
      MPI_Win_flush(target, win_);
      for (int place = 0; place < kPlaces; ++place) read(target, place, round, bytes[static_cast<std::size_t>(place)]);
    }
    MPI_Win_unlock_all(win_);
    MPI_Barrier(world.comm);
  }

 private:
  static constexpr int kMostBytes = 150'000;
  static constexpr int kPlaces = 4;  ///< at each target, for each origin

  int draw(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  [[nodiscard]] MPI_Aint at(int target, int place) const {
    return win_.at(target, (world.rank * kPlaces + place) * kMostBytes);
  }
  void complete_locally(int target) {
    switch (draw(4)) {
      case 0: MPI_Win_flush_local(target, win_); break;
      case 1: MPI_Win_flush_local_all(win_); break;
      case 2: MPI_Win_flush(target, win_); break;
      default: MPI_Win_flush_all(win_); break;
    }
  }
  [[nodiscard]] std::uint64_t key(int target, int place, int round) const {
    return key_of(world.rank, target, place, round);
  }

  int write(int target, int place, int round) {
    const int bytes = 1 + draw(draw(3) == 0 ? kMostBytes : draw(2) == 0 ? 5000 : 16);
    const MPI_Aint to = at(target, place);
    const Lent lent(bytes);
    fill_pattern(lent.data(), static_cast<std::size_t>(bytes), key(target, place, round));
    MPI_Request request = MPI_REQUEST_NULL;
    switch (draw(4)) {
      case 0: MPI_Put(lent.data(), bytes, MPI_BYTE, target, to, bytes, MPI_BYTE, win_); break;
      case 1: MPI_Rput(lent.data(), bytes, MPI_BYTE, target, to, bytes, MPI_BYTE, win_, &request); break;
      case 2: MPI_Accumulate(lent.data(), bytes, MPI_BYTE, target, to, bytes, MPI_BYTE, MPI_REPLACE, win_); break;
      default:
        MPI_Raccumulate(lent.data(), bytes, MPI_BYTE, target, to, bytes, MPI_BYTE, MPI_REPLACE, win_, &request);
        break;
    }
    complete(request, target);
    return bytes;
  }

  void read(int target, int place, int round, int bytes) {
    const MPI_Aint from = at(target, place);
    const Lent lent(bytes);
    std::fill_n(lent.data(), bytes, static_cast<unsigned char>(0x3C));
    MPI_Request request = MPI_REQUEST_NULL;
    switch (draw(4)) {
      case 0: MPI_Get(lent.data(), bytes, MPI_BYTE, target, from, bytes, MPI_BYTE, win_); break;
      case 1: MPI_Rget(lent.data(), bytes, MPI_BYTE, target, from, bytes, MPI_BYTE, win_, &request); break;
      case 2:
        MPI_Get_accumulate(nullptr, 0, MPI_BYTE, lent.data(), bytes, MPI_BYTE, target, from, bytes, MPI_BYTE, MPI_NO_OP,
                           win_);
        break;
      default:
        MPI_Rget_accumulate(nullptr, 0, MPI_BYTE, lent.data(), bytes, MPI_BYTE, target, from, bytes, MPI_BYTE,
                            MPI_NO_OP, win_, &request);
        break;
    }
    complete(request, target);
    CHECK_EQ(first_wrong_byte(lent.data(), static_cast<std::size_t>(bytes), key(target, place, round)), -1);
  }

  void complete(MPI_Request request, int target) {
    if (request == MPI_REQUEST_NULL) return complete_locally(target);
    if (draw(2) == 0) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
  }

  Context& world;
  WindowOver<unsigned char> win_;
  std::mt19937_64 random_;
};

MPI_CASE("an array is freed as soon as an access is complete at its origin, a hundred times", 1, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    FreedArrays arrays(world, kind);
    arrays.run(kUnderSanitizer ? 25 : 100);
  }
}

}  // namespace
}  // namespace starling::tests
