// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Long messages in both directions at once, while other operations are under way: where a rank sends and receives such
// messages it copies in other pieces, and receives before it helps (p2p, transport/shm).
#include <memory>
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/sanitized.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kCrossingBytes = 65536;
constexpr int kCrossingRounds = kUnderSanitizer ? 12 : 100;

struct CrossingNeighbours {
  explicit CrossingNeighbours(const Context& world)
      : next((world.rank + 1) % world.size), previous((world.rank + world.size - 1) % world.size) {}
  int next;
  int previous;
};

void complete_all(std::vector<MPI_Request>& requests, int how) {
  const int count = static_cast<int>(requests.size());
  int done = 0;
  int which = 0;
  switch (how % 4) {
    case 0: MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE); break;
    case 1:
      while (!done) MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
      break;
    case 2:
      while (which != MPI_UNDEFINED) MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE);
      break;
    default:
      for (MPI_Request& request : requests) {
        for (done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      }
  }
}

/// Three nonblocking collectives that are under way.
class CrossingCollectives {
 public:
  CrossingCollectives(const Context& world, int root)
      : world_(world), root_(root), told_(world.rank == root ? root : -1) {}

  void begin(std::vector<MPI_Request>& requests) {
    const std::size_t first = requests.size();
    requests.resize(first + 3, MPI_REQUEST_NULL);
    MPI_Ibcast(&told_, 1, MPI_INT, root_, world_.comm, &requests[first]);
    MPI_Iallreduce(&world_.rank, &sum_, 1, MPI_INT, MPI_SUM, world_.comm, &requests[first + 1]);
    MPI_Ibarrier(world_.comm, &requests[first + 2]);
  }
  [[nodiscard]] bool right() const { return told_ == root_ && sum_ == world_.size * (world_.size - 1) / 2; }

 private:
  const Context& world_;
  int root_;
  int told_;
  int sum_ = -1;
};

// The buffers live for a round: what is touched after its completion is seen by a sanitizer.
MPI_CASE("long messages cross nonblocking collectives that began before or after them", 2, 8) {
  const CrossingNeighbours of(world);
  for (int round = 0; round < kCrossingRounds; ++round) {
    const auto out = std::make_unique<std::vector<unsigned char>>(pattern(kCrossingBytes, key_of(world.rank, round)));
    const auto in = std::make_unique<GuardedBuffer>(kCrossingBytes);
    CrossingCollectives collectives(world, round % world.size);
    std::vector<MPI_Request> requests;
    const auto exchange = [&] {
      const std::size_t first = requests.size();
      requests.resize(first + 2, MPI_REQUEST_NULL);
      const std::size_t receive = first + static_cast<std::size_t>(round / 2 % 2);
      MPI_Isend(out->data(), kCrossingBytes, MPI_BYTE, of.next, round, world.comm, &requests[2 * first + 1 - receive]);
      MPI_Irecv(in->data(), kCrossingBytes, MPI_BYTE, of.previous, round, world.comm, &requests[receive]);
    };
    if (round % 2 == 0) exchange();
    collectives.begin(requests);
    if (round % 2 != 0) exchange();
    complete_all(requests, round / 4);
    CHECK(in->holds(key_of(of.previous, round)));
    CHECK(collectives.right());
  }
}

MPI_CASE("long messages from anybody come beside those of MPI_Sendrecv", 2, 8) {
  const CrossingNeighbours of(world);
  for (int round = 0; round < kCrossingRounds; ++round) {
    const int to = round % world.size;
    const auto own = pattern(kCrossingBytes, key_of(world.rank, round, 1));
    GuardedBuffer in(kCrossingBytes);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(own.data(), kCrossingBytes, MPI_BYTE, to, 2 * round, world.comm, &send);
    MPI_Sendrecv(pattern(kCrossingBytes, key_of(world.rank, round)).data(), kCrossingBytes, MPI_BYTE, of.next,
                 2 * round + 1, in.data(), kCrossingBytes, MPI_BYTE, of.previous, 2 * round + 1, world.comm,
                 MPI_STATUS_IGNORE);
    CHECK(in.holds(key_of(of.previous, round)));
    std::vector<int> seen(static_cast<std::size_t>(world.size), world.rank == to ? 0 : 1);
    for (int i = 0; world.rank == to && i < world.size; ++i) {
      in.clear();
      MPI_Status status = unset_status();
      MPI_Recv(in.data(), kCrossingBytes, MPI_BYTE, MPI_ANY_SOURCE, 2 * round, world.comm, &status);
      CHECK(in.holds(key_of(status.MPI_SOURCE, round, 1)));
      ++seen[static_cast<std::size_t>(status.MPI_SOURCE)];
    }
    CHECK(seen == std::vector<int>(seen.size(), 1));
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
}

MPI_CASE("long messages cross between all ranks, each in pieces of its own", 2, 8) {
  constexpr int kSizes[] = {kCrossingBytes, 4096, 300000, 32768, 20000};
  const auto bytes_of_pair = [&](int from, int to, int round) { return kSizes[(from + 3 * to + round) % 5]; };
  for (int round = 0; round < kCrossingRounds / 5 + 1; ++round) {
    std::vector<GuardedBuffer> in;
    std::vector<std::vector<unsigned char>> out;
    std::vector<MPI_Request> requests;
    requests.reserve(static_cast<std::size_t>(2 * world.size));
    for (int peer = 0; peer < world.size; ++peer) {
      in.emplace_back(static_cast<std::size_t>(bytes_of_pair(peer, world.rank, round)));
      out.push_back(
          pattern(static_cast<std::size_t>(bytes_of_pair(world.rank, peer, round)), key_of(world.rank, peer, round)));
    }
    for (int i = 0; i < world.size; ++i) {
      const auto peer = static_cast<std::size_t>(i);
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Isend(out[peer].data(), static_cast<int>(out[peer].size()), MPI_BYTE, i, round, world.comm, &requests.back());
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Irecv(in[peer].data(), static_cast<int>(in[peer].size()), MPI_BYTE, i, round, world.comm, &requests.back());
    }
    complete_all(requests, round);
    for (int i = 0; i < world.size; ++i) CHECK(in[static_cast<std::size_t>(i)].holds(key_of(i, world.rank, round)));
  }
}

MPI_CASE("persistent long messages cross, and a receive beside them is cancelled in each round", 2, 8) {
  const CrossingNeighbours of(world);
  std::vector<unsigned char> out(kCrossingBytes);
  GuardedBuffer in(kCrossingBytes);
  GuardedBuffer unused(kCrossingBytes);
  MPI_Request requests[3];
  MPI_Recv_init(in.data(), kCrossingBytes, MPI_BYTE, of.previous, 1, world.comm, &requests[0]);
  MPI_Send_init(out.data(), kCrossingBytes, MPI_BYTE, of.next, 1, world.comm, &requests[1]);
  MPI_Recv_init(unused.data(), kCrossingBytes, MPI_BYTE, MPI_ANY_SOURCE, 2, world.comm, &requests[2]);
  for (int round = 0; round < kCrossingRounds; ++round) {
    fill_pattern(out.data(), kCrossingBytes, key_of(world.rank, round));
    in.clear();
    MPI_Startall(3, requests);
    MPI_Cancel(&requests[2]);
    MPI_Status statuses[3] = {unset_status(), unset_status(), unset_status()};
    MPI_Waitall(3, requests, statuses);
    CHECK(in.holds(key_of(of.previous, round)));
    CHECK(is_cancelled(statuses[2]));
  }
  unused.clear();
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// Either way the message counts once: a cancelled one is sent again with another tag.
MPI_CASE("a long send that is cancelled while others cross is delivered or taken back", 2, 8) {
  const CrossingNeighbours of(world);
  for (int round = 0; round < kCrossingRounds; ++round) {
    const auto out = pattern(kCrossingBytes, key_of(world.rank, round));
    const auto doubtful = pattern(kCrossingBytes, key_of(world.rank, round, 2));
    GuardedBuffer in(kCrossingBytes);
    MPI_Request requests[2];
    MPI_Request cancelled = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), kCrossingBytes, MPI_BYTE, of.previous, 3 * round, world.comm, &requests[0]);
    MPI_Isend(doubtful.data(), kCrossingBytes, MPI_BYTE, of.next, 3 * round + 1, world.comm, &cancelled);
    MPI_Isend(out.data(), kCrossingBytes, MPI_BYTE, of.next, 3 * round, world.comm, &requests[1]);
    MPI_Cancel(&cancelled);
    GuardedBuffer early(kCrossingBytes);
    MPI_Request receive = MPI_REQUEST_NULL;
    const bool is_early = round % 2 == 0;
    if (is_early) MPI_Irecv(early.data(), kCrossingBytes, MPI_BYTE, of.previous, 3 * round + 1, world.comm, &receive);
    MPI_Status status = unset_status();
    MPI_Wait(&cancelled, &status);
    int was_taken_back = is_cancelled(status) ? 1 : 0;
    int missing = -1;
    MPI_Sendrecv(&was_taken_back, 1, MPI_INT, of.next, 3 * round + 2, &missing, 1, MPI_INT, of.previous, 3 * round + 2,
                 world.comm, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in.holds(key_of(of.previous, round)));
    if (!is_early && missing == 0) {
      MPI_Irecv(early.data(), kCrossingBytes, MPI_BYTE, of.previous, 3 * round + 1, world.comm, &receive);
    }
    if (is_early && missing == 1) MPI_Cancel(&receive);
    MPI_Wait(&receive, &status);
    if (missing == 0) CHECK(early.holds(key_of(of.previous, round, 2)));
    if (is_early) CHECK_EQ(is_cancelled(status) ? 1 : 0, missing);
  }
}

MPI_CASE("threads exchange long messages, probe for them, and cancel receives beside them", 2, 8) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  const CrossingNeighbours of(world);
  world.run_threads(3, [&](int thread) {
    for (int round = 0; round < kCrossingRounds / 4; ++round) {
      const int tag = 8 * round + thread;
      const auto out = pattern(kCrossingBytes, key_of(world.rank, thread, round));
      GuardedBuffer in(kCrossingBytes);
      GuardedBuffer unused(kCrossingBytes);
      std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
      MPI_Isend(out.data(), kCrossingBytes, MPI_BYTE, of.next, tag, world.comm, &requests[0]);
      if ((thread + round) % 2 == 0) {
        MPI_Request never = MPI_REQUEST_NULL;
        MPI_Irecv(unused.data(), kCrossingBytes, MPI_BYTE, MPI_ANY_SOURCE, tag + 4, world.comm, &never);
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(MPI_ANY_SOURCE, tag, world.comm, &message, MPI_STATUS_IGNORE);
        requests.push_back(MPI_REQUEST_NULL);
        MPI_Imrecv(in.data(), kCrossingBytes, MPI_BYTE, &message, &requests[1]);
        MPI_Cancel(&never);
        MPI_Wait(&never, MPI_STATUS_IGNORE);
      } else {
        requests.push_back(MPI_REQUEST_NULL);
        MPI_Irecv(in.data(), kCrossingBytes, MPI_BYTE, of.previous, tag, world.comm, &requests[1]);
      }
      complete_all(requests, thread + round);
      CHECK(in.holds(key_of(of.previous, thread, round)));
    }
  });
}

}  // namespace
}  // namespace starling::tests
