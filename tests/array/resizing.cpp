// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A session that `starling resize` asks for other processes: works until its folder has a file "stop", and says at each
// change how many processes it has, and how many of them have elements. Prints "all right" at its end if no element was
// lost and each has done each step once.
//     mpiexec -n 2 array_resizing FOLDER [waiting | surviving]
// waiting: an element has a coroutine that waits, up to the file "wake", so nobody can leave. surviving: processes may
// die (mpiexec --survive).
#include <mpi-ext.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <starling/array.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
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
  void steps(const Future<std::tuple<long, long, long>>& to) {
    contribute(std::tuple<long, long, long>{1, steps_, steps_}, EachOf<Sum, Min, Max>{}, to);
  }
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
  bool survives = false;
};

bool has(const State& state, const char* file) { return std::filesystem::exists(state.folder / file); }

void step(Session& session, const Array<Cell>& cells, State& state) {
  if (state.is_waiting && has(state, "wake")) {
    cells[kCells - 1].send<&Cell::wake>();
    state.is_waiting = false;
  }
  cells.measure();
  cells.broadcast<&Cell::step>();
  ++state.steps;
  session.quiesce();
  // Once each element has been measured: one that was taken from a checkpoint has no load before.
  if (session.size() != state.size) {
    cells.balance({.strategy = "greedy", .always = true});
    state.size = session.size();
    Future<std::vector<int>> counts(session);
    cells.broadcast<&Cell::where>(counts);
    int busy = 0;
    for (const int each : counts.get()) busy += each > 0 ? 1 : 0;
    std::printf("processes: %d, with elements: %d\n", state.size, busy);
    std::fflush(stdout);
    // Who hears that asks at once, in the midst of a run: also a process 0 that was none before hears him.
    if (state.survives) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

/// All processes, which hear the same also where one of them dies meanwhile.
bool is_over(const Session& session, const State& state) {
  int goes_on = session.rank() == 0 && has(state, "stop") ? 0 : 1;
  if (state.survives) {
    MPIX_Comm_agree(session.comm(), &goes_on);
  } else {
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, session.comm());
  }
  return goes_on == 0;
}

/// False on a process that leaves.
bool resize_if_asked(Session& session, const State& state) {
  try {
    return session.resize_if_asked();
  } catch (const Error&) {
    if (!state.survives) throw;
    return true;  // a process died meanwhile: the session goes on without it
  }
}

/// On process 0. Where processes died, some steps were done anew.
bool are_right(Session& session, const Array<Cell>& cells, const State& state) {
  Future<std::tuple<long, long, long>> result(session);
  cells.broadcast<&Cell::steps>(result);
  const auto [count, least, most] = result.get();
  return count == kCells && least == most && (state.survives || least == state.steps);
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
    const std::string_view how = argc > 2 ? argv[2] : "";
    State state{argv[1], 0, 0, how == "waiting", how == "surviving"};
    if (state.survives && !joins && !session.survive()) {
      std::puts("start this with mpiexec --survive");
      return 2;
    }
    session.take_resizing();
    if (how == "waiting") session.on_error([](const std::string&) {});  // that a coroutine waits at the end of each run
    if (!joins && state.is_waiting) session.run([&] { cells[kCells - 1].send<&Cell::wait>(); });
    bool stays = true;
    while (stays) {
      session.run([&] { step(session, cells, state); });
      if (is_over(session, state)) break;
      stays = resize_if_asked(session, state);
    }
    if (stays) {
      session.run([&] { std::puts(are_right(session, cells, state) ? "all right" : "elements or steps are missing"); });
    }
  }
  MPI_Finalize();
}
