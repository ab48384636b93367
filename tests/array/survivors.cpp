// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A run whose processes are killed at random moments, and which must come to the result that it has without.
//     mpiexec --survive -n 4 array_survivors SEED VICTIMS SPAN_US [resize | spawn]
// A ring of cells mixes the numbers of neighbours step by step; elements move at random. With `resize` processes leave
// the session and join it in rounds, and in each round a process dies, whether it stays, leaves, joins or looks on;
// with `spawn` two that were spawned join, and one of them or of the others dies. Prints how many processes are left at
// the end.
#include <mpi-ext.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "array/ring.hpp"

namespace {

using namespace starling::array;
using namespace starling::tests;

void die(int) { kill(getpid(), SIGKILL); }

void kill_after(long us) {
  if (us == 0) return die(0);
  signal(SIGALRM, die);
  const itimerval timer{{0, 0}, {us / 1000000, us % 1000000}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

/// The victims are neighbours of nobody who dies: a process and its buddy must not both.
void arm(int rank, int size, unsigned seed, int victims, int span_us) {
  std::mt19937_64 fate(seed);
  const int first = static_cast<int>(fate() % static_cast<unsigned>(size));
  for (int i = 0; i < victims; ++i) {
    const int victim = (first + 2 * i) % size;
    const auto after_us = static_cast<long>(1 + fate() % static_cast<unsigned>(span_us));
    if (victim != rank) continue;
    kill_after(after_us);
  }
}

/// On process 0 at the end. Said before anybody learns that it is over: this process may still die.
bool say_result(Session& session, const Array<Cell>& cells, bool well, int left, int first) {
  Future<std::uint64_t> sum(session);
  cells.broadcast<&Cell::sum>(sum);
  well = sum.get() == expected() && well;
  std::printf("%d of %d processes are left; the result is %s\n", left, first, well ? "right" : "WRONG");
  std::fflush(stdout);
  return well;
}

/// What becomes of the processes in one round; the same on all.
struct Plan {
  std::vector<int> is_in;  // afterwards
  std::vector<int> places;
  int victim = -1;
  long after_us = 0;  // 0: at once
};

/// Who was in stays or leaves, who was not joins or looks on. Two stay that were in, so that one may die, and the
/// victim is nobody who was in alone, whose elements no other has.
Plan plan_of(const std::vector<int>& was_in, std::mt19937_64& fate, int span_us) {
  Plan plan;
  const auto size = static_cast<int>(was_in.size());
  int stay = 0;
  int members = 0;
  for (const int was : was_in) plan.is_in.push_back(fate() % 3 < (was != 0 ? 2u : 1u) ? 1 : 0);
  for (int wanted = 1; wanted >= 0; --wanted) {  // first of those that were in
    int& count = wanted == 1 ? stay : members;
    for (int i = 0; i < size; ++i) count += plan.is_in[i] != 0 && (wanted == 0 || was_in[i] != 0) ? 1 : 0;
    for (int i = 0; i < size && count < 2; ++i) {
      if (plan.is_in[i] != 0 || (wanted == 1 && was_in[i] == 0)) continue;
      plan.is_in[i] = 1;
      ++count;
    }
  }
  plan.places.resize(was_in.size());
  for (int& each : plan.places) each = static_cast<int>(fate() % 1000);
  const auto victim = static_cast<int>(fate() % was_in.size());
  const bool was_alone = was_in[victim] != 0 && std::count(was_in.begin(), was_in.end(), 1) == 1;
  if (size > 2 && !was_alone) plan.victim = victim;
  plan.after_us = fate() % 4 == 0 ? 0 : static_cast<long>(1 + fate() % static_cast<unsigned>(span_us));
  return plan;
}

void spare() {
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
}

/// One process's part in a session whose processes change.
class Changes {
 public:
  Changes(unsigned seed, int span_us) : fate_(seed), span_us_(span_us), session_(new Session(MPI_COMM_WORLD)) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    session_->survive();
    cells_.emplace(*session_, kCells);
    session_->run([] {});
  }

  void round(int last_step) {
    MPI_Comm all = living();
    const Plan plan = plan_for(all);
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    const bool is_in = plan.is_in[rank] != 0;
    MPI_Comm next = MPI_COMM_NULL;
    MPI_Comm_split(all, is_in ? 0 : MPI_UNDEFINED, plan.places[rank], &next);
    MPI_Barrier(all);  // all have it before one dies
    if (rank == plan.victim) kill_after(plan.after_us);
    change(next, is_in);
    if (session_) session_->run([&] { go_on_to(*session_, *cells_, last_step, 3); });
    if (next != MPI_COMM_NULL) MPI_Comm_free(&next);
    MPI_Comm_free(&all);
  }

  bool end(int first_size) {
    MPI_Comm all = living();
    int left = 0;
    MPI_Comm_size(all, &left);
    if (session_) session_->run([&] { well_ = say_result(*session_, *cells_, well_, left, first_size); });
    session_.reset();
    MPI_Comm_free(&all);
    return well_;
  }

 private:
  /// All that live, of which nobody dies until this round's victim is told; those in the session have a checkpoint.
  MPI_Comm living() {
    spare();
    if (session_) session_->run([] {});
    MPI_Comm all = MPI_COMM_NULL;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &all);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    return all;
  }

  Plan plan_for(MPI_Comm all) {
    int size = 0;
    MPI_Comm_size(all, &size);
    std::vector<int> was_in(static_cast<std::size_t>(size));
    const int mine = session_ ? 1 : 0;
    MPI_Allgather(&mine, 1, MPI_INT, was_in.data(), 1, MPI_INT, all);
    return plan_of(was_in, fate_, span_us_);
  }

  void change(MPI_Comm next, bool is_in) {
    const bool was_in = session_ != nullptr;
    if (!was_in && !is_in) return;
    try {
      if (was_in) {
        session_->resize(next);
        if (!is_in) session_.reset();
      } else {
        session_.reset(new Session(Session::join(next)));
        cells_.emplace(*session_, kCells);
      }
      if (session_) session_->run([] {});  // in which those that join do so
    } catch (const Error& error) {
      if (was_in && std::strstr(error.what(), "changes nothing") != nullptr) return;
      if (was_in) {
        std::printf("WRONG: %s\n", error.what());
        well_ = false;
      }
      session_.reset();
    }
  }

  std::mt19937_64 fate_;
  int span_us_;
  std::unique_ptr<Session> session_;
  std::optional<Array<Cell>> cells_;
  bool well_ = true;
};

int change_processes(int argc, char** argv, unsigned seed, int span_us) {
  MPI_Init(&argc, &argv);
  int size = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  chance.seed(seed * 100 + static_cast<unsigned>(rank));
  bool well = true;
  {
    Changes changes(seed, span_us);
    constexpr int kRounds = 6;
    for (int round = 1; round <= kRounds; ++round) changes.round(round * kSteps / kRounds);
    well = changes.end(size);
  }
  MPI_Finalize();
  return well ? 0 : 1;
}

/// Processes of this program with its arguments.
MPI_Comm spawn(const Session& session, int argc, char** argv, int count) {
  std::vector<char*> arguments(argv + 1, argv + argc);
  arguments.push_back(nullptr);
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_spawn(argv[0], arguments.data(), count, MPI_INFO_NULL, 0, session.comm(), &others, MPI_ERRCODES_IGNORE);
  return others;
}

/// Two processes that are spawned join, and one that joins or one that was in is killed. Those that were in go on in
/// any case.
int spawn_processes(int argc, char** argv, unsigned seed, int span_us) {
  constexpr int kSpawned = 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_get_parent(&others);
  const bool joins = others != MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  chance.seed(seed * 100 + static_cast<unsigned>(rank) + (joins ? 50 : 0));
  std::mt19937_64 fate(seed);
  const bool dies = (fate() % 2 == 0) == joins && rank == static_cast<int>(fate() % kSpawned);
  const long after_us = fate() % 4 == 0 ? 0 : static_cast<long>(1 + fate() % static_cast<unsigned>(span_us));
  bool well = true;
  try {
    if (joins && dies) kill_after(after_us);
    Session session = joins ? Session::join(others) : Session(MPI_COMM_WORLD);
    const int first_size = session.size() + (joins ? 0 : kSpawned);
    if (!joins) session.survive();
    Array<Cell> cells(session, kCells);
    if (!joins) {
      session.run([&] { go_on_to(session, cells, kSteps / 4, 7); });
      others = spawn(session, argc, argv, kSpawned);
      if (dies) kill_after(after_us);
      try {
        session.resize(others);
      } catch (const Error&) {  // they do not join
      }
    }
    session.run([&] { go_on_to(session, cells, kSteps, 7); });
    spare();
    session.run([&] { well = say_result(session, cells, true, session.size(), first_size); });
  } catch (const Error& error) {
    if (!joins) {
      std::printf("WRONG: %s\n", error.what());
      well = false;
    }
  }
  MPI_Finalize();
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  const int victims = argc > 2 ? std::atoi(argv[2]) : 1;
  const int span_us = argc > 3 ? std::atoi(argv[3]) : 10000;
  if (argc > 4 && std::strcmp(argv[4], "spawn") == 0) return spawn_processes(argc, argv, seed, span_us);
  if (argc > 4 && std::strcmp(argv[4], "resize") == 0) return change_processes(argc, argv, seed, span_us);
  Session session(argc, argv);
  const int first_size = session.size();
  if (!session.survive()) {
    std::fprintf(stderr, "start this with mpiexec --survive\n");
    return 2;
  }
  chance.seed(seed * 100 + static_cast<unsigned>(session.rank()));
  Array<Cell> cells(session, kCells);
  session.run([] {});  // after it everybody has a checkpoint
  arm(session.rank(), session.size(), seed, victims, span_us);
  bool well = true;
  session.run([&] {
    go_on_to(session, cells, kSteps, 7);
    well = say_result(session, cells, true, session.size(), first_size);
  });
  return well ? 0 : 1;
}
