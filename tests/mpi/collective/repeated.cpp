// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The same calls again and again, as programs do: often enough that the library tries other algorithms, also between
// calls of other forms and on parts of the ranks.
#include <vector>

#include "mpi/collective/comms.hpp"
#include "support/pattern.hpp"
#include "support/repeats.hpp"

namespace starling::tests {
namespace {

/// Calls with blocks of one size on one communicator; all buffers are filled anew and gone after each call.
class RepeatedCalls {
 public:
  RepeatedCalls(Context& context, MPI_Comm comm, int bytes) : world(context), comm_(comm), bytes_(bytes) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }

  void alltoall(int round, bool waits_later) {
    Blocks out(*this);
    Blocks in(*this);
    for (int to = 0; to < size_; ++to) out.fill(to, key_of(rank_, to, round));
    if (waits_later) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ialltoall(out.data(), bytes_, MPI_BYTE, in.data(), bytes_, MPI_BYTE, comm_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Alltoall(out.data(), bytes_, MPI_BYTE, in.data(), bytes_, MPI_BYTE, comm_);
    }
    for (int from = 0; from < size_; ++from) in.check(from, key_of(from, rank_, round));
  }
  void allgather(int round) {
    Blocks out(*this);
    Blocks in(*this);
    out.fill(0, key_of(rank_, round));
    MPI_Allgather(out.data(), bytes_, MPI_BYTE, in.data(), bytes_, MPI_BYTE, comm_);
    for (int from = 0; from < size_; ++from) in.check(from, key_of(from, round));
  }
  void scatter(int round, int root, bool waits_later) {
    Blocks out(*this);
    Blocks in(*this);
    for (int to = 0; to < size_; ++to) out.fill(to, key_of(root, to, round));
    if (waits_later) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iscatter(out.data(), bytes_, MPI_BYTE, in.data(), bytes_, MPI_BYTE, root, comm_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Scatter(out.data(), bytes_, MPI_BYTE, in.data(), bytes_, MPI_BYTE, root, comm_);
    }
    in.check(0, key_of(root, rank_, round));
  }
  [[nodiscard]] int size() const { return size_; }

 private:
  class Blocks {
   public:
    explicit Blocks(const RepeatedCalls& call)
        : world(call.world),
          bytes_(static_cast<std::size_t>(call.bytes_)),
          data_(bytes_ * static_cast<std::size_t>(call.size_), 0xE7) {}
    unsigned char* data() { return data_.data(); }
    void fill(int block, std::uint64_t key) { fill_pattern(at(block), bytes_, key); }
    void check(int block, std::uint64_t key) { CHECK_EQ(first_wrong_byte(at(block), bytes_, key), -1); }

   private:
    unsigned char* at(int block) { return data_.data() + static_cast<std::size_t>(block) * bytes_; }
    Context& world;
    std::size_t bytes_;
    std::vector<unsigned char> data_;
  };

  Context& world;
  MPI_Comm comm_;
  int bytes_;
  int rank_ = 0;
  int size_ = 0;
};

MPI_CASE("a collective call that is repeated again and again moves the same data each time", 2, 8) {
  const int rounds = repeats(world, 300, 60);
  on_each_comm(world, [&](const Comm& comm) {
    for (const int bytes : {16 * 1024, 40'000}) {
      RepeatedCalls calls(world, comm.handle, bytes);
      for (int round = 0; round < rounds; ++round) calls.alltoall(round, round % 7 == 6);
      for (int round = 0; round < rounds; ++round) calls.allgather(round);
      for (int round = 0; round < rounds; ++round) calls.scatter(round, 0, round % 7 == 6);
      // In turns, from changing roots.
      for (int round = 0; round < rounds / 2; ++round) {
        calls.scatter(round, round % calls.size(), false);
        calls.allgather(round);
        calls.alltoall(round, false);
      }
    }
  });
}

}  // namespace
}  // namespace starling::tests
