// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What virtual ranks cost and gain: a turn, a message, a barrier and a move, each in the fastest of 20 batches; waits
// that other ranks of the process fill, with 1, 2, 4 and 8 ranks a process; and uneven work before and after migrate().
// docs/reference/array.md has the figures.
//     mpiexec -n 2 bench/array/virtual_ranks_starling [--only costs|hiding|balance]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <starling/array/virtual_ranks.hpp>
#include <string>
#include <vector>

#include "timing.hpp"

namespace {

using namespace starling::array;

/// What the functions of ranks are to do; main sets it on each process.
struct Plan {
  int rounds = 1000;
  std::size_t heap_bytes = 0;
  double work_us = 0;
  double delay_s = 0;
  double result_s = 0;  // for a round, in the fastest batch; on process 0
};
Plan plan;
std::vector<double> step_s;  // of rank 0, which does not move where they are asked for
constexpr int kBatches = 20;
double rounds_per_us = 0;

double work(double us) {
  double value = 1;
  const auto rounds = static_cast<std::int64_t>(us * rounds_per_us);
  for (std::int64_t i = 0; i < rounds; ++i) value = value * 1.0000001 + 1e-9;
  return value;
}

void measure_speed() {
  rounds_per_us = 1000;
  volatile double sum = 0;  // so that the work is done
  std::vector<double> times;
  for (int i = 0; i < 30; ++i) times.push_back(seconds_of([&] { sum = sum + work(1000); }));
  rounds_per_us = 1000 * 1000 / (*std::min_element(times.begin(), times.end()) * 1e6);
}

/// Not inlined, as a rank that moves is to have the place of the process where it is.
__attribute__((noinline)) double& result_here() { return plan.result_s; }

/// The time of a round of a body.
template <class Body>
double timed(Rank& self, Body&& body) {
  for (int i = 0; i < plan.rounds / 10 + 1; ++i) body();
  self.barrier();
  double least_s = 1e300;
  for (int batch = 0; batch < kBatches; ++batch) {
    const double begin_s = seconds();
    for (int i = 0; i < plan.rounds; ++i) body();
    least_s = std::min(least_s, (seconds() - begin_s) / plan.rounds);
  }
  return least_s;
}

void keep(const Rank& self, double round_s) {
  if (self.rank() == 0) result_here() = round_s;
}

void take_turns(Rank& self) {
  keep(self, timed(self, [&] { self.yield(); }));
}
void play_ping_pong(Rank& self) {
  const double round_s = timed(self, [&] {
    double value = 0;
    const int partner = self.size() - 1 - self.rank();
    if (self.rank() < partner) self.send(partner, value);
    self.recv(partner, value);
    if (self.rank() > partner) self.send(partner, value);
  });
  keep(self, round_s);
}
void meet(Rank& self) {
  keep(self, timed(self, [&] { self.barrier(); }));
}
void move_about(Rank& self) {
  char* memory = nullptr;
  if (plan.heap_bytes != 0) {
    memory = static_cast<char*>(self.heap()->allocate(plan.heap_bytes));
    std::memset(memory, 1, plan.heap_bytes);
  }
  const double move_s = timed(self, [&] { self.migrate_to((self.process() + 1) % self.session().size()); });
  self.migrate_to(0);
  keep(self, move_s);
}

double us_of(Session& session, int ranks, VirtualRanks::Main body, int rounds) {
  plan.rounds = rounds;
  VirtualRanks virtual_ranks(session, ranks, body);
  virtual_ranks.run();
  return plan.result_s * 1e6;
}

void show_costs(Session& session) {
  const int processes = session.size();
  const auto show = [&](const char* what, double us) {
    if (session.rank() == 0) std::printf("%-64s %10.2f us\n", what, us);
  };
  // With as many ranks on each process; of a turn, what passes until a rank has its next one, by rank.
  show("a turn, among 8 ranks of a process", us_of(session, 8 * processes, take_turns, 2000) / 8);
  if (processes == 1) show("8 bytes there and back, within a process", us_of(session, 2, play_ping_pong, 2000));
  if (processes == 2) show("8 bytes there and back, between processes", us_of(session, 2, play_ping_pong, 500));
  show("a barrier of 8 ranks a process", us_of(session, 8 * processes, meet, 100));
  if (processes != 2) return;
  plan.heap_bytes = 0;
  show("a move, of a stack with nothing on it", us_of(session, 1, move_about, 40));
  plan.heap_bytes = std::size_t{1} << 20;
  show("a move, with 1 MiB on the heap", us_of(session, 1, move_about, 10));
}

/// Each rank of process 0 asks one of process 1, whose answer comes after a delay, and then works.
void ask_then_work(Rank& self) {
  const int half = self.size() / 2;
  double value = 0;
  for (int i = 0; i < plan.rounds; ++i) {
    const double begin_s = seconds();
    if (self.rank() < half) {
      self.send(self.rank() + half, seconds());
      self.recv(self.rank() + half, value);
      value += work(plan.work_us / half);
      if (self.rank() == 0) step_s.push_back(seconds() - begin_s);
    } else {
      double asked_s = 0;
      self.recv(self.rank() - half, asked_s);
      while (seconds() < asked_s + plan.delay_s) self.yield();
      self.send(self.rank() - half, value);
    }
  }
}

void show_hiding(Session& session) {
  constexpr double kWork_us = 2000;
  if (session.size() != 2) return;
  if (session.rank() == 0)
    std::printf("2 ms of work a step on process 0; each rank waits for an answer of process 1\n");
  for (const double delay_us : {500.0, 1000.0, 2000.0}) {
    for (const int ranks : {1, 2, 4, 8}) {
      plan.work_us = kWork_us;
      plan.delay_s = delay_us * 1e-6;
      plan.rounds = 200;
      VirtualRanks virtual_ranks(session, 2 * ranks, ask_then_work);
      step_s.clear();
      virtual_ranks.run();
      if (session.rank() != 0) continue;
      std::sort(step_s.begin(), step_s.end());
      const double tenth_s = step_s[step_s.size() / 10];
      std::printf("delay %4.0f us, %d ranks: a step in %5.0f us, the fastest tenth of them in %5.0f: %3.0f %% work\n",
                  delay_us, ranks, median(step_s) * 1e6, tenth_s * 1e6, 100 * kWork_us * 1e-6 / tenth_s);
    }
  }
}

double processor_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Share {
  int process = 0;
  double worked_s = 0;
};
struct Steps {
  double took_s = 0;     // at most, of the fastest tenth
  double busiest_s = 0;  // processor time that the busiest process worked in a step
};

Steps steps_of(Rank& self, double us) {
  Share mine{self.process(), 0};
  std::vector<double> times;
  for (int i = 0; i < plan.rounds; ++i) {
    const double begin_s = seconds();
    const double processor_begin_s = processor_s();
    const double value = work(us);
    mine.worked_s += (processor_s() - processor_begin_s) / plan.rounds;
    self.allreduce(value, Sum{});
    times.push_back(seconds() - begin_s);
  }
  std::sort(times.begin(), times.end());
  std::vector<double> worked_s(static_cast<std::size_t>(self.session().size()));
  for (const Share& each : self.allgather(mine)) worked_s[static_cast<std::size_t>(each.process)] += each.worked_s;
  return {times[times.size() / 10], *std::max_element(worked_s.begin(), worked_s.end())};
}

/// A quarter of the ranks, all on the first processes, has most of the work.
void uneven(Rank& self) {
  const double us = 4 * self.rank() < self.size() ? 800 : 100;
  const Steps before = steps_of(self, us);
  self.migrate();
  const Steps after = steps_of(self, us);
  if (self.rank() != 0) return;
  std::printf("uneven work of %d ranks: the busiest process works %.2f ms a step, after migrate() %.2f ms\n",
              self.size(), before.busiest_s * 1e3, after.busiest_s * 1e3);
  std::printf("the fastest tenth of the steps takes %.2f ms, and then %.2f ms\n", before.took_s * 1e3,
              after.took_s * 1e3);
}

void show_balance(Session& session) {
  plan.rounds = 60;
  VirtualRanks ranks(session, 16 * session.size(), uneven);
  ranks.run();
  if (session.rank() == 0 && !ranks.balanced().empty()) {
    std::printf("%s; %llu bytes of ranks left process 0\n", ranks.balanced().back().text().c_str(),
                static_cast<unsigned long long>(ranks.counters().moved_bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  same_addresses(argv);
  Session session(argc, argv);
  std::string only;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  measure_speed();
  if (only.empty() || only == "costs") show_costs(session);
  if (only.empty() || only == "hiding") show_hiding(session);
  if (only.empty() || only == "balance") show_balance(session);
}
