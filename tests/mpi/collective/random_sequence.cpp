// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Random sequences: kinds, sizes, roots and communicators change from call to call, ranks come late, some calls are
// left in flight, and every result is checked. With --repeat and --seed this is the collectives' stress test.
#include <chrono>
#include <deque>
#include <thread>

#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

enum class CallKind {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kGather,
  kScatter,
  kAllgather,
  kAlltoall,
  kScan,
  kMessage
};
constexpr int kStepKinds = 10;

/// One collective of the sequence: its buffers live until it has completed and was checked.
struct Step {
  CallKind kind;
  Comm comm;
  int count;
  int root;
  int salt;  ///< makes the values of every step different
  bool nonblocking;
  std::vector<int> in;
  std::vector<int> out;
  MPI_Request request = MPI_REQUEST_NULL;

  [[nodiscard]] std::vector<int> values(int rank, int size) const { return values_of(rank + salt, size); }

  void start();
  [[nodiscard]] std::vector<int> expected() const;
};

void Step::start() {
  const auto width = static_cast<std::size_t>(count) * static_cast<std::size_t>(comm.size);
  in = values(comm.rank, static_cast<int>(kind == CallKind::kScatter || kind == CallKind::kAlltoall
                                              ? width
                                              : width / static_cast<std::size_t>(comm.size)));
  out.assign(kind == CallKind::kGather || kind == CallKind::kAllgather || kind == CallKind::kAlltoall
                 ? width
                 : static_cast<std::size_t>(count),
             -1);
  const MPI_Comm on = comm.handle;
  switch (kind) {
    case CallKind::kBarrier: nonblocking ? MPI_Ibarrier(on, &request) : MPI_Barrier(on); break;
    case CallKind::kBcast:
      out = comm.rank == root ? in : out;
      nonblocking ? MPI_Ibcast(out.data(), count, MPI_INT, root, on, &request)
                  : MPI_Bcast(out.data(), count, MPI_INT, root, on);
      break;
    case CallKind::kReduce:
      nonblocking ? MPI_Ireduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, root, on, &request)
                  : MPI_Reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, root, on);
      break;
    case CallKind::kAllreduce:
      nonblocking ? MPI_Iallreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, on, &request)
                  : MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, on);
      break;
    case CallKind::kGather:
      nonblocking ? MPI_Igather(in.data(), count, MPI_INT, out.data(), count, MPI_INT, root, on, &request)
                  : MPI_Gather(in.data(), count, MPI_INT, out.data(), count, MPI_INT, root, on);
      break;
    case CallKind::kScatter:
      nonblocking ? MPI_Iscatter(in.data(), count, MPI_INT, out.data(), count, MPI_INT, root, on, &request)
                  : MPI_Scatter(in.data(), count, MPI_INT, out.data(), count, MPI_INT, root, on);
      break;
    case CallKind::kAllgather:
      nonblocking ? MPI_Iallgather(in.data(), count, MPI_INT, out.data(), count, MPI_INT, on, &request)
                  : MPI_Allgather(in.data(), count, MPI_INT, out.data(), count, MPI_INT, on);
      break;
    case CallKind::kAlltoall:
      nonblocking ? MPI_Ialltoall(in.data(), count, MPI_INT, out.data(), count, MPI_INT, on, &request)
                  : MPI_Alltoall(in.data(), count, MPI_INT, out.data(), count, MPI_INT, on);
      break;
    case CallKind::kScan:
      nonblocking ? MPI_Iscan(in.data(), out.data(), count, MPI_INT, MPI_SUM, on, &request)
                  : MPI_Scan(in.data(), out.data(), count, MPI_INT, MPI_SUM, on);
      break;
    case CallKind::kMessage: {  // a shift among the collectives
      const int next = (comm.rank + 1) % comm.size;
      const int previous = (comm.rank + comm.size - 1) % comm.size;
      MPI_Sendrecv(in.data(), count, MPI_INT, next, 3, out.data(), count, MPI_INT, previous, 3, on, MPI_STATUS_IGNORE);
      break;
    }
  }
}

std::vector<int> Step::expected() const {
  const std::vector<int> untouched(out.size(), -1);
  std::vector<int> all;
  switch (kind) {
    case CallKind::kBarrier: return untouched;
    case CallKind::kBcast: return values(root, count);
    case CallKind::kReduce: return comm.rank == root ? sum_of(salt, salt + comm.size, count) : untouched;
    case CallKind::kAllreduce: return sum_of(salt, salt + comm.size, count);
    case CallKind::kScan: return sum_of(salt, salt + comm.rank + 1, count);
    case CallKind::kMessage: return values((comm.rank + comm.size - 1) % comm.size, count);
    case CallKind::kScatter: return values_of(root + salt, count, comm.rank * count);
    case CallKind::kGather:
      if (comm.rank != root) return untouched;
      [[fallthrough]];
    case CallKind::kAllgather:
    case CallKind::kAlltoall: break;
  }
  for (int peer = 0; peer < comm.size; ++peer) {
    const std::vector<int> block = values_of(peer + salt, count, kind == CallKind::kAlltoall ? comm.rank * count : 0);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

void finish(Context& world, Step& step) {
  MPI_Wait(&step.request, MPI_STATUS_IGNORE);
  const std::vector<int> expected = step.expected();
  if (step.out == expected) return;
  std::size_t place = 0;
  while (place < expected.size() && expected[place] == step.out[place]) ++place;
  std::ostringstream text;
  text << "kind " << static_cast<int>(step.kind) << (step.nonblocking ? ", nonblocking" : "") << ", rank "
       << step.comm.rank << " of " << step.comm.size << ", count " << step.count << ", root " << step.root << ", seed "
       << world.seed << ": place " << place << " holds " << step.out[place] << ", not " << expected[place];
  FAIL(text.str());
}

int random_count(std::mt19937_64& random) {
  const int limit = random() % 10 < 7 ? 40 : random() % 10 < 8 ? 2000 : 40000;
  return static_cast<int>(random() % static_cast<std::uint64_t>(limit));
}

MPI_CASE("a random sequence of collectives", 1, 32) {
  constexpr int kSteps = 150;
  constexpr std::size_t kInFlight = 5;
  MPI_Comm handles[4] = {world.comm};
  MPI_Comm_dup(world.comm, &handles[1]);
  MPI_Comm_split(world.comm, 0, -world.rank, &handles[2]);
  MPI_Comm_split(world.comm, world.rank % 2, 0, &handles[3]);
  std::mt19937_64 random = world.generator();
  std::mt19937_64 delays = world.generator(static_cast<std::uint64_t>(world.rank) + 1);
  std::deque<Step> in_flight;
  for (int i = 0; i < kSteps; ++i) {
    const Comm comm = view_of(handles[random() % 4]);
    // The halves may differ in size: the root is drawn for the smaller one.
    const int roots = std::max(1, world.size / 2);
    Step& step = in_flight.emplace_back();
    step.kind = static_cast<CallKind>(random() % kStepKinds);
    step.comm = comm;
    step.count = random_count(random);
    step.root = static_cast<int>(random() % static_cast<std::uint64_t>(std::min(roots, comm.size)));
    step.salt = i * 100;
    step.nonblocking = random() % 2;
    if (delays() % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(delays() % 1000));
    step.start();
    const bool all = !step.nonblocking && delays() % 2;
    while (in_flight.size() > kInFlight || (all && !in_flight.empty())) {
      finish(world, in_flight.front());
      in_flight.pop_front();
    }
  }
  for (Step& step : in_flight) finish(world, step);
  for (int i = 1; i < 4; ++i) MPI_Comm_free(&handles[i]);
}

}  // namespace
}  // namespace starling::tests
