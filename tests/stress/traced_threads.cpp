// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// stress_traced_threads: ranks that are traced while several of their threads call MPI at once, and while another
// thread reads what they record; for ThreadSanitizer. At the end each message has its two events, each call of a thread
// lies behind the one before, and nothing is lost.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "mpi/env/thread_ranks.hpp"

namespace {

using starling::mpi::ContextScope;
using starling::mpi::current;
using starling::observe::Event;
using starling::observe::EventKind;
using starling::observe::TraceMode;

constexpr int kRanks = 2;
constexpr int kHelpers = 3;
constexpr int kTurns = 60;
constexpr int kBetweenBarriers = 20;
constexpr int kLong = 4096;

std::atomic<int> wrong{0};

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "traced_threads: %s\n", what);
  ++wrong;
}

/// One of a rank's threads: messages to and from that of the other rank, short and long ones in turns.
void talk(int helper, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<char> out(kLong);
  std::vector<char> in(kLong);
  for (int turn = 0; turn < kTurns; ++turn) {
    const int bytes = turn % 2 == 0 ? 8 : kLong;
    MPI_Sendrecv(out.data(), bytes, MPI_CHAR, 1 - rank, helper, in.data(), bytes, MPI_CHAR, 1 - rank, helper, comm,
                 MPI_STATUS_IGNORE);
    if (turn % kBetweenBarriers == 0) MPI_Barrier(comm);
  }
}

/// Reads the ring of a rank until told to stop, and once more.
std::vector<Event> watch(starling::observe::EventRing ring, const std::atomic<bool>& over) {
  constexpr std::size_t kMost = 64;
  starling::observe::EventReader reader(ring);
  std::vector<Event> events;
  std::uint64_t lost = 0;
  while (!over) {
    lost += reader.read(&events, kMost);
    std::this_thread::yield();
  }
  for (std::size_t before = events.size() + 1; before != events.size();) {
    before = events.size();
    lost += reader.read(&events, kMost);
  }
  expect(lost == 0, "events are lost");
  return events;
}

/// A rank: its helpers, and one that reads what is recorded of it.
std::vector<Event> run_rank(int rank) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  expect(level == MPI_THREAD_MULTIPLE, "there is no MPI_THREAD_MULTIPLE");
  starling::mpi::Context& context = *current();
  std::atomic<bool> over{false};
  std::vector<Event> events;
  std::thread reader(
      [&, ring = context.world->job().segment->event_ring(starling::LocalRank(rank))] { events = watch(ring, over); });
  std::vector<MPI_Comm> comms(kHelpers);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> helpers;
  for (int helper = 0; helper < kHelpers; ++helper) {
    helpers.emplace_back([&, helper] {
      const ContextScope scope(context);
      talk(helper, comms[static_cast<std::size_t>(helper)]);
    });
  }
  for (std::thread& helper : helpers) helper.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Finalize();
  over = true;
  reader.join();
  return events;
}

void check_threads(const std::vector<Event>& events) {
  std::map<std::uint16_t, std::uint64_t> ends;
  for (const Event& event : events) {
    if (event.kind != EventKind::kCall) continue;
    expect(event.begin_ticks <= event.end_ticks, "a call ends before it begins");
    std::uint64_t& end = ends[event.thread];
    expect(event.begin_ticks >= end, "two calls of a thread overlap");
    end = event.end_ticks;
  }
  expect(ends.size() == kHelpers + 1, "calls are of other threads than those that called");
}

/// The numbers of the messages that this rank has sent, or received.
std::set<std::uint64_t> messages(const std::vector<Event>& events, EventKind kind, std::uint64_t least_bytes) {
  std::set<std::uint64_t> numbers;
  for (const Event& event : events) {
    if (event.kind != kind || (event.flags & Event::kCollective) != 0 || event.bytes < least_bytes) continue;
    expect(numbers.insert(event.sequence).second, "two messages have the same number");
  }
  return numbers;
}

void run(TraceMode mode) {
  starling::mpi::ThreadRanks job;
  job.ranks = kRanks;
  job.trace = mode;
  job.trace_events = 1U << 14;
  std::vector<std::vector<Event>> events(kRanks);
  const int unfinished = starling::mpi::run_ranks_as_threads(
      job, [&](int rank) { events[static_cast<std::size_t>(rank)] = run_rank(rank); });
  expect(unfinished == 0, "a rank did not come to its end");
  const bool all = mode == TraceMode::kAll;
  const std::uint64_t least_bytes = all ? 0 : kLong;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    check_threads(events[rank]);
    const auto sent = messages(events[rank], EventKind::kSend, least_bytes);
    expect(sent.size() == static_cast<std::size_t>(kHelpers * kTurns / (all ? 1 : 2)), "messages are missing");
    expect(sent == messages(events[1 - rank], EventKind::kReceive, least_bytes), "messages and receives differ");
  }
}

}  // namespace

int main() {
  run(TraceMode::kAll);
  run(TraceMode::kLong);
  return wrong == 0 ? 0 : 1;
}
