// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Accesses to ranks of other nodes that compute, which is to make no MPI call: rank 0 computes, the first rank that is
// on another node accesses its memory.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "mpi/rma/windows.hpp"

namespace starling::tests {
namespace {

constexpr double kLimit = 20;        // s that a computation takes which nobody ends
constexpr double kRefused = 0.6;     // s of one that nobody must end
constexpr double kUntilItHas = 0.2;  // s until a rank is taken to compute, where it cannot be asked

/// The first rank that is on another node than rank 0; 0: there is none.
int first_far(const Context& world) {
  int rank = 1;
  while (rank < world.size && world.on_one_node(0, rank)) ++rank;
  return rank < world.size ? rank : 0;
}

/// Rank 0 computes until another tells it, without MPI, that it may end. Ranks that are threads share an atomic of rank
/// 0; the others put a mark into the last element of the window, at which the computation looks. Collective.
class Computation {
 public:
  Computation(Context& world, const WindowOver<long>& win, int mark) : world_(world), win_(win), mark_(mark) {
    void* flags = own_;
    if (world.ranks_are == RanksAre::kThreads) MPI_Bcast(&flags, sizeof flags, MPI_BYTE, 0, world.comm);
    flags_ = static_cast<std::atomic<int>*>(flags);
    MPI_Barrier(world.comm);
  }
  ~Computation() { MPI_Barrier(world_.comm); }
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  /// Whether it was ended within so many seconds.
  [[nodiscard]] bool run(double limit) const {
    flags_[0] = 1;
    const volatile long* const mark = win_.data() + mark_;
    const auto is_ended = [&] { return world_.ranks_are == RanksAre::kThreads ? flags_[1] != 0 : *mark != 0; };
    const double until = MPI_Wtime() + limit;  // MPI_Wtime makes no progress
    while (!is_ended() && MPI_Wtime() < until) {
    }
    return is_ended();
  }
  void await_begin() const {
    if (world_.ranks_are == RanksAre::kThreads) {
      while (flags_[0] == 0) usleep(1000);
    }
    usleep(static_cast<useconds_t>(kUntilItHas * 1e6));
  }
  /// The calling rank has locked the window of rank 0.
  void end() const {
    if (world_.ranks_are == RanksAre::kThreads) {
      flags_[1] = 1;
    } else {
      const long one = 1;
      MPI_Put(&one, 1, MPI_LONG, 0, win_.at(0, mark_), 1, MPI_LONG, win_);
      MPI_Win_flush(0, win_);
    }
  }

 private:
  Context& world_;
  const WindowOver<long>& win_;
  int mark_;
  std::atomic<int> own_[2] = {0, 0};  ///< it has begun; it may end
  std::atomic<int>* flags_ = nullptr;
};

void access_all_ways(Context& world, const WindowOver<long>& win) {
  const long values[3] = {7, 8, 9};
  long got[3] = {0, 0, 0};
  MPI_Put(values, 3, MPI_LONG, 0, win.at(0, 0), 3, MPI_LONG, win);
  MPI_Win_flush(0, win);
  MPI_Get(got, 3, MPI_LONG, 0, win.at(0, 0), 3, MPI_LONG, win);
  MPI_Win_flush(0, win);
  CHECK_EQ(got[2], 9);
  MPI_Accumulate(values, 2, MPI_LONG, 0, win.at(0, 1), 2, MPI_LONG, MPI_SUM, win);
  MPI_Win_flush(0, win);
  MPI_Fetch_and_op(values, got, MPI_LONG, 0, win.at(0, 1), MPI_SUM, win);
  MPI_Win_flush(0, win);
  CHECK_EQ(got[0], 15);
  const long expected = 22;
  MPI_Compare_and_swap(values, &expected, got, MPI_LONG, 0, win.at(0, 1), win);
  MPI_Win_flush(0, win);
  CHECK_EQ(got[0], 22);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rget(got, 3, MPI_LONG, 0, win.at(0, 0), 3, MPI_LONG, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(got[0], 7);
  CHECK_EQ(got[1], 7);
  CHECK_EQ(got[2], 17);
}

MPI_CASE("a rank that computes serves ranks of other nodes", 2, 8) {
  const int origin = first_far(world);
  if (origin == 0) return;
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<long> win(world, kind, 4);
    const Computation computation(world, win, 3);
    if (world.rank == 0) CHECK(computation.run(kLimit));
    if (world.rank != origin) continue;
    computation.await_begin();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    access_all_ways(world, win);
    MPI_Win_unlock(0, win);
    MPI_Win_lock_all(0, win);
    computation.end();
    MPI_Win_unlock_all(win);
  }
}

MPI_CASE("a rank that computes serves long and strided accesses of other nodes", 2, 8) {
  constexpr int kLongs = 300'000;
  const int origin = first_far(world);
  if (origin == 0) return;
  const WindowOver<long> win(world, WindowKind::kAllocate, kLongs + 1);
  MPI_Datatype second = MPI_DATATYPE_NULL;
  MPI_Type_vector(kLongs / 2, 1, 2, MPI_LONG, &second);
  MPI_Type_commit(&second);
  {
    const Computation computation(world, win, kLongs);
    if (world.rank == 0) CHECK(computation.run(kLimit));
    if (world.rank == origin) {
      std::vector<long> data(kLongs);
      std::vector<long> back(kLongs, -1);
      for (int i = 0; i < kLongs; ++i) data[static_cast<std::size_t>(i)] = 3L * i;
      computation.await_begin();
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Put(data.data(), kLongs, MPI_LONG, 0, 0, kLongs, MPI_LONG, win);
      MPI_Win_flush(0, win);
      MPI_Get(back.data(), kLongs, MPI_LONG, 0, 0, kLongs, MPI_LONG, win);
      MPI_Win_flush(0, win);
      CHECK(back == data);
      MPI_Accumulate(data.data(), 1, second, 0, 0, 1, second, MPI_SUM, win);
      MPI_Win_flush(0, win);
      computation.end();
      MPI_Win_unlock(0, win);
    }
  }
  if (world.rank == 0) CHECK_EQ(win[kLongs - 2], 6L * (kLongs - 2));
  if (world.rank == 0) CHECK_EQ(win[kLongs - 1], 3L * (kLongs - 1));
  MPI_Type_free(&second);
}

MPI_CASE("a lock that a rank of the node gives back goes to a far one while its target computes", 3, 8) {
  const int origin = first_far(world);
  int neighbour = 1;
  while (neighbour < world.size && !world.on_one_node(0, neighbour)) ++neighbour;
  if (origin == 0 || neighbour == world.size) return;
  const WindowOver<long> win(world, WindowKind::kAllocate, 2);
  if (world.rank == neighbour) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  {
    const Computation computation(world, win, 1);
    if (world.rank == 0) CHECK(computation.run(kLimit));
    if (world.rank == neighbour) {
      usleep(400'000);  // the other waits for it by then
      const long five = 5;
      MPI_Put(&five, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
      MPI_Win_unlock(0, win);
    }
    if (world.rank == origin) {
      long found = 0;
      computation.await_begin();
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Get(&found, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
      MPI_Win_flush(0, win);
      CHECK_EQ(found, 5);
      computation.end();
      MPI_Win_unlock(0, win);
    }
  }
}

void set_agent(MPI_Win win, const char* mode) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "starling_rma_agent", mode);
  MPI_Win_set_info(win, info);
  MPI_Info_free(&info);
}

/// Whether rank 0 was served while it computed.
bool computes_and_serves(Context& world, const WindowOver<long>& win, int origin, double limit) {
  bool served = false;
  const Computation computation(world, win, 0);
  if (world.rank == 0) served = computation.run(limit);
  if (world.rank == origin) {
    computation.await_begin();
    long found = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&found, 1, MPI_LONG, 0, win.at(0, 1), 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    computation.end();
    MPI_Win_unlock(0, win);
  }
  return served;
}

MPI_CASE("a rank whose agent is switched off serves other nodes within its calls only", 2, 8) {
  const int origin = first_far(world);
  if (origin == 0) return;
  for (const char* mode : {"off", "on", "off", "auto"}) {
    const WindowOver<long> win(world, WindowKind::kCreate, 2);
    set_agent(win, mode);
    const bool is_off = std::string(mode) == "off";
    const bool served = computes_and_serves(world, win, origin, is_off ? kRefused : kLimit);
    if (world.rank == 0) CHECK_EQ(served, !is_off);
  }
}

/// STARLING_RMA_AGENT.
std::string agent_setting() {
  int provided = 0;
  int index = -1;
  int count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_index("STARLING_RMA_AGENT", &index);
  MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count);
  std::vector<char> text(static_cast<std::size_t>(count) + 1);
  MPI_T_cvar_read(handle, text.data());
  MPI_T_cvar_handle_free(&handle);
  MPI_T_finalize();
  return text.data();
}

MPI_CASE("a setting says whether a rank that computes serves other nodes", 2, 8) {
  const int origin = first_far(world);
  if (origin == 0) return;
  const std::string setting = agent_setting();
  const WindowOver<long> win(world, WindowKind::kAllocate, 2);
  set_agent(win, setting.c_str());  // another case may have left another one
  const bool served = computes_and_serves(world, win, origin, setting == "off" ? kRefused : kLimit);
  if (world.rank == 0) CHECK_EQ(served, setting != "off");
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

MPI_CASE("a rank with a window over nodes takes no processor time while nothing comes", 2, 8) {
  const WindowOver<long> win(world, WindowKind::kAllocate, 2);
  MPI_Win_fence(0, win);
  usleep(300'000);  // until all ranks are out of their calls
  const double before = processor_seconds();
  usleep(500'000);
  const double taken = processor_seconds() - before;
  usleep(300'000);
  CHECK(taken < 0.05);
  MPI_Win_fence(0, win);
}

}  // namespace
}  // namespace starling::tests
