// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A session that `starling resize` asks for other processes: works until its folder has a file "stop", and says at each
// change how many processes it has, and how many of them have elements. Prints "all right" at its end if no element was
// lost and each has done each step once.
//     mpiexec -n 2 array_resizing FOLDER [waiting]
// waiting: an element has a coroutine that waits, up to the file "wake", so nobody can leave.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <starling/array.hpp>
#include <string>
#include <vector>

namespace {

using namespace starling::array;

constexpr int kCells = 40;

class Cell : public Element<Cell> {
 public:
  void step() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
    ++steps_;
  }
  void steps(const Future<std::vector<long>>& to) { contribute(std::vector<long>{1, steps_}, Sum{}, to); }
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> counts(static_cast<std::size_t>(session().size()));
    counts[static_cast<std::size_t>(rank())] = 1;
    contribute(counts, Sum{}, to);
  }
  Task<void> wait() {
    end_ = Future<void>(session());
    co_await end_;
  }
  void wake() { end_.set(); }
  void serialize(Archive& archive) { archive(steps_); }

 private:
  long steps_ = 0;
  Future<void> end_;
};

/// What process 0 knows.
struct State {
  std::filesystem::path folder;
  int size = 0;
  long steps = 0;
  bool is_waiting = false;
};

bool has(const State& state, const char* file) { return std::filesystem::exists(state.folder / file); }

void step(Session& session, const Array<Cell>& cells, State& state) {
  if (session.size() != state.size) {
    cells.balance({.strategy = "greedy", .always = true});
    state.size = session.size();
    Future<std::vector<int>> counts(session);
    cells.broadcast<&Cell::where>(counts);
    int busy = 0;
    for (const int each : counts.get()) busy += each > 0 ? 1 : 0;
    std::printf("processes: %d, with elements: %d\n", state.size, busy);
    std::fflush(stdout);
  }
  if (state.is_waiting && has(state, "wake")) {
    cells[kCells - 1].send<&Cell::wake>();
    state.is_waiting = false;
  }
  cells.measure();
  cells.broadcast<&Cell::step>();
  ++state.steps;
  session.quiesce();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  const bool joins = parent != MPI_COMM_NULL;
  {
    Session session = joins ? Session::join(parent) : Session(MPI_COMM_WORLD);
    Array<Cell> cells(session, kCells);
    State state{argv[1], 0, 0, argc > 2};
    session.take_resizing();
    if (argc > 2) session.on_error([](const std::string&) {});  // that a coroutine waits at the end of each run
    if (!joins && state.is_waiting) session.run([&] { cells[kCells - 1].send<&Cell::wait>(); });
    bool stays = true;
    while (stays) {
      session.run([&] { step(session, cells, state); });
      int ends = session.rank() == 0 && has(state, "stop") ? 1 : 0;
      MPI_Bcast(&ends, 1, MPI_INT, 0, session.comm());
      if (ends != 0) break;
      stays = session.resize_if_asked();
    }
    if (stays) {
      session.run([&] {
        Future<std::vector<long>> steps(session);
        cells.broadcast<&Cell::steps>(steps);
        const bool is_right = steps.get() == std::vector<long>{kCells, kCells * state.steps};
        std::puts(is_right ? "all right" : "elements or steps are missing");
      });
    }
  }
  MPI_Finalize();
}
