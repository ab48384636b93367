// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A run whose processes are killed at random moments, and which must come to the result that it has without.
//     mpiexec --survive -n 4 array_survivors SEED VICTIMS SPAN_US [resize]
// A ring of cells mixes the numbers of neighbours step by step; elements move at random. Prints how many processes are
// left at the end.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <starling/array.hpp>
#include <string>
#include <vector>

namespace {

using namespace starling::array;

constexpr int kCells = 40;
constexpr int kSteps = 60;
std::mt19937_64 chance;

std::uint64_t mixed(std::uint64_t left, std::uint64_t mine, std::uint64_t right) {
  std::uint64_t state = left * 3 + mine * 0x9e3779b97f4a7c15u + right * 5 + 1;
  state ^= state >> 29;
  return state * 0xbf58476d1ce4e5b9u;
}

struct Cell : Element<Cell> {
  void step(const Future<void>& done) {
    if (step_ == 0 && value_ == 0) value_ = static_cast<std::uint64_t>(index()) + 1;
    done_ = done;
    const int left = (index() + kCells - 1) % kCells;
    const int right = (index() + 1) % kCells;
    array()[left].in_order().send<&Cell::take>(step_, 1, value_);
    array()[right].in_order().send<&Cell::take>(step_, 0, value_);
    try_to_go_on();
  }
  void take(int step, int side, std::uint64_t value) {
    auto& of_step = arrived_[static_cast<std::size_t>(step % 2)];
    of_step.value[side] = value;
    ++of_step.count;
    try_to_go_on();
  }
  void sum(const Future<std::uint64_t>& to) { contribute(value_, BitXor{}, to); }
  void serialize(Archive& archive) { archive(step_, value_, arrived_, luggage_, done_); }

 private:
  struct Arrived {
    std::uint64_t value[2];
    int count;
    int spare;
  };
  void try_to_go_on() {
    auto& now = arrived_[static_cast<std::size_t>(step_ % 2)];
    if (done_.slot_for_reply() == 0 || now.count != 2) return;
    value_ = mixed(now.value[0], value_, now.value[1]);
    now = {};
    ++step_;
    luggage_.resize(chance() % 8 == 0 ? 30000 : 10);
    const Future<void> done = std::exchange(done_, {});
    contribute(done);
    if (chance() % 4 == 0) migrate_to(static_cast<int>(chance() % static_cast<unsigned>(session().size())));
  }

  int step_ = 0;
  std::uint64_t value_ = 0;
  std::array<Arrived, 2> arrived_{};
  std::vector<char> luggage_;
  Future<void> done_;
};

std::uint64_t expected() {
  std::vector<std::uint64_t> now(kCells);
  for (int i = 0; i < kCells; ++i) now[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(i) + 1;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<std::uint64_t> next(kCells);
    for (std::size_t i = 0; i < kCells; ++i)
      next[i] = mixed(now[(i + kCells - 1) % kCells], now[i], now[(i + 1) % kCells]);
    now = next;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t each : now) sum ^= each;
  return sum;
}

void die(int) { kill(getpid(), SIGKILL); }

/// The victims are neighbours of nobody who dies: a process and its buddy must not both.
void arm(int rank, int size, unsigned seed, int victims, int span_us) {
  std::mt19937_64 fate(seed);
  const int first = static_cast<int>(fate() % static_cast<unsigned>(size));
  for (int i = 0; i < victims; ++i) {
    const int victim = (first + 2 * i) % size;
    const auto after_us = static_cast<long>(1 + fate() % static_cast<unsigned>(span_us));
    if (victim != rank) continue;
    signal(SIGALRM, die);
    const itimerval timer{{0, 0}, {after_us / 1000000, after_us % 1000000}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
}

/// A process dies where the others change the order of their ranks: they go on without it, and change it after all.
bool lose_one_while_resizing(Session& session, unsigned seed) {
  const auto victim = static_cast<int>(seed % static_cast<unsigned>(session.size()));
  const int size = session.size();
  const auto turn = [&] {
    MPI_Comm next = MPI_COMM_NULL;
    MPI_Comm_split(session.comm(), 0, -session.rank(), &next);
    if (session.size() == size && session.rank() == victim) kill(getpid(), SIGKILL);
    session.resize(next);
    MPI_Comm_free(&next);
  };
  std::string text;
  try {
    turn();
  } catch (const Error& error) {
    text = error.what();
  }
  const bool is_told = text.find("changes nothing: a process died") != std::string::npos;
  const int before = session.rank();
  turn();
  return is_told && session.size() == size - 1 && session.rank() == size - 2 - before;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  const int victims = argc > 2 ? std::atoi(argv[2]) : 1;
  const int span_us = argc > 3 ? std::atoi(argv[3]) : 10000;
  Session session(argc, argv);
  const int first_size = session.size();
  if (!session.survive()) {
    std::fprintf(stderr, "start this with mpiexec --survive\n");
    return 2;
  }
  chance.seed(seed * 100 + static_cast<unsigned>(session.rank()));
  Array<Cell> cells(session, kCells);
  session.run([] {});  // after it everybody has a checkpoint
  bool well = true;
  if (argc > 4 && std::strcmp(argv[4], "resize") == 0) {
    well = lose_one_while_resizing(session, seed);
    session.run([] {});
  }
  if (!well) std::printf("resize() does not tell of the death, or changes other things: WRONG\n");
  arm(session.rank(), session.size(), seed, victims, span_us);
  session.run([&] {
    int step = 0;
    session.recall(step);
    while (step < kSteps) {
      Future<void> done(session);
      cells.broadcast<&Cell::step>(done);
      done.get();
      if (++step % 7 == 0) session.remember(step);
    }
    Future<std::uint64_t> sum(session);
    cells.broadcast<&Cell::sum>(sum);
    well = sum.get() == expected() && well;
    std::printf("%d of %d processes are left; the result is %s\n", session.size(), first_size,
                well ? "right" : "WRONG");
    std::fflush(stdout);  // before anybody learns that it is over: this process may still die
  });
  return well ? 0 : 1;
}
