// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Windows over several nodes: what they cannot be, and how ranks of the own node and of others meet in them.
#include "support/nodes.hpp"

#include <string>

#include "mpi/rma/windows.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

MPI_CASE("memory for loads and stores over several nodes is refused on every rank", 2, 8) {
  if (!spans_nodes(world.comm)) return;
  const ReturnErrors quiet;
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const int made = MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, world.comm, &base, &win);
  CHECK_EQ(class_of(made), MPI_ERR_RMA_SHARED);
  CHECK(text_of(made).find("MPI_Comm_split_type") != std::string::npos);
  CHECK(win == MPI_WIN_NULL);
}

MPI_CASE("a shared query finds the parts of the own node", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 2);
  win[1] = 30 + world.rank;
  MPI_Win_lock_all(0, win);
  MPI_Win_sync(win);
  MPI_Barrier(world.comm);
  for (int rank = 0; rank < world.size; ++rank) {
    int* part = nullptr;
    MPI_Aint bytes = -1;
    int unit = 0;
    MPI_Win_shared_query(win, rank, &bytes, &unit, &part);
    CHECK_EQ(unit, static_cast<int>(sizeof(int)));
    if (world.on_one_node(rank, world.rank)) {
      CHECK_EQ(bytes, static_cast<MPI_Aint>(2 * sizeof(int)));
      CHECK_EQ(part[1], 30 + rank);
    } else {
      CHECK_EQ(bytes, 0);
      CHECK(part == nullptr);
    }
  }
  MPI_Win_unlock_all(win);
}

MPI_CASE("long puts and gets of several origins meet at one target", 2, 8) {
  constexpr int kInts = 200'000;
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, kInts * world.size);
    std::vector<int> data(kInts);
    for (int i = 0; i < kInts; ++i) data[static_cast<std::size_t>(i)] = 3 * i + world.rank;
    MPI_Win_fence(0, win);
    for (int rank = 0; rank < world.size; ++rank) {
      MPI_Put(data.data(), kInts, MPI_INT, rank, win.at(rank, kInts * world.rank), kInts, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    std::vector<int> back(data.size());
    for (int rank = 0; rank < world.size; ++rank) {
      MPI_Get(back.data(), kInts, MPI_INT, rank, win.at(rank, kInts * world.rank), kInts, MPI_INT, win);
      MPI_Win_fence(0, win);
      CHECK(back == data);
    }
    bool right = true;
    for (int rank = 0; rank < world.size; ++rank) {
      for (int i = 0; i < kInts; i += 97) right = right && win[kInts * rank + i] == 3 * i + rank;
    }
    CHECK(right);
  }
}

MPI_CASE("an origin's buffers are free after a local flush", 2, 8) {
  constexpr int kInts = 50'000;
  const WindowOver<int> win(world, WindowKind::kAllocate, kInts);
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  std::vector<int> data(kInts, 500 + world.rank);
  MPI_Win_lock_all(0, win);
  MPI_Put(data.data(), kInts, MPI_INT, next, 0, kInts, MPI_INT, win);
  MPI_Win_flush_local(next, win);
  std::fill(data.begin(), data.end(), -1);
  MPI_Win_unlock_all(win);
  MPI_Barrier(world.comm);
  CHECK_EQ(win[0], 500 + previous);
  CHECK_EQ(win[kInts - 1], 500 + previous);
}

MPI_CASE("a datatype may be freed before what it describes has come", 2, 8) {
  constexpr int kInts = 3000;
  const WindowOver<int> win(world, WindowKind::kAllocate, 2 * kInts);
  for (int i = 0; i < 2 * kInts; ++i) win[i] = 7 * i + world.rank;
  const int next = (world.rank + 1) % world.size;
  std::vector<int> got(3 * kInts, -1);
  MPI_Datatype second = MPI_DATATYPE_NULL;
  MPI_Datatype third = MPI_DATATYPE_NULL;
  MPI_Type_vector(kInts, 1, 2, MPI_INT, &second);
  MPI_Type_vector(kInts, 1, 3, MPI_INT, &third);
  MPI_Type_commit(&second);
  MPI_Type_commit(&third);
  MPI_Win_fence(0, win);
  MPI_Get(got.data(), 1, third, next, 0, 1, second, win);
  MPI_Type_free(&second);
  MPI_Type_free(&third);
  MPI_Win_fence(0, win);
  bool right = true;
  for (int i = 0; i < kInts; ++i) {
    right = right && got[static_cast<std::size_t>(3 * i)] == 14 * i + next &&
            got[static_cast<std::size_t>(3 * i + 1)] == -1;
  }
  CHECK(right);
}

MPI_CASE("strided data longer than a piece travel whole, in both directions and combined", 2, 4) {
  constexpr int kInts = 60'000;
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 2 * kInts);
    const int next = (world.rank + 1) % world.size;
    const int previous = (world.rank + world.size - 1) % world.size;
    MPI_Datatype second = MPI_DATATYPE_NULL;
    MPI_Type_vector(kInts, 1, 2, MPI_INT, &second);
    MPI_Type_commit(&second);
    std::vector<int> data(2 * kInts);
    for (int i = 0; i < 2 * kInts; ++i) data[static_cast<std::size_t>(i)] = 5 * i + world.rank;
    std::vector<int> back(data.size(), -1);
    std::vector<int> old(data.size(), -1);
    MPI_Win_fence(0, win);
    MPI_Put(data.data(), 1, second, next, win.at(next, 0), 1, second, win);
    MPI_Win_fence(0, win);
    MPI_Get(back.data(), 1, second, next, win.at(next, 0), 1, second, win);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(data.data(), 1, second, old.data(), 1, second, next, win.at(next, 0), 1, second, MPI_SUM, win);
    MPI_Win_fence(0, win);
    bool right = true;
    for (int i = 0; i < 2 * kInts; i += 2) {
      const auto at = static_cast<std::size_t>(i);
      right = right && back[at] == data[at] && old[at] == data[at] && win[i] == 2 * (5 * i + previous);
      right = right && back[at + 1] == -1 && old[at + 1] == -1 && win[i + 1] == 0;
    }
    CHECK(right);
    MPI_Type_free(&second);
  }
}

MPI_CASE("windows over several nodes come and go", 2, 8) {
  for (int round = 0; round < 30; ++round) {
    const WindowOver<int> first(world, WindowKind::kAllocate, 100);
    const WindowOver<int> second(world, WindowKind::kCreate, 10);
    const int next = (world.rank + 1) % world.size;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, first);
    MPI_Put(&round, 1, MPI_INT, next, first.at(next, 99), 1, MPI_INT, first);
    MPI_Win_unlock(next, first);
    MPI_Barrier(world.comm);
    CHECK_EQ(first[99], round);
  }
}

/// Looks again and again at this rank's own memory, of which others change the first element.
template <typename Look>
void wait_for_change(const WindowOver<int>& win, Look&& look) {
  const volatile int* const place = win.data();
  while (*place == 0) look();
}

MPI_CASE("a rank that only locks its own memory again and again lets others in", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  const int last = world.size - 1;
  if (world.rank == 0) {
    for (int seen = 0; seen == 0;) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      seen = win[0];
      MPI_Win_unlock(0, win);
    }
  } else if (world.rank == last) {
    const int value = 5;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(world.comm);
  if (world.rank == 0) CHECK_EQ(win[0], 5);
}

MPI_CASE("a rank that only synchronises its own memory again and again sees what others put", 2, 8) {
  if (world.ranks_are == RanksAre::kThreads) return;  // the waiting loop is a race by design
  const int last = world.size - 1;
  for (int round = 0; round < 3; ++round) {
    const WindowOver<int> win(world, WindowKind::kAllocate, 1);
    MPI_Win_lock_all(0, win);
    if (world.rank == 0) {
      wait_for_change(win, [&] {
        if (round == 0) MPI_Win_sync(win);
        if (round == 1) MPI_Win_flush(0, win);
        if (round == 2) MPI_Win_flush_local_all(win);
      });
    } else if (world.rank == last) {
      const int value = 6;
      MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
      MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(world.comm);
    if (world.rank == 0) CHECK_EQ(win[0], 6);
  }
}

/// How many messages this rank has sent so far; negative: the library does not say.
class SentMessages {
 public:
  SentMessages() {
    int provided = 0, index = 0, count = 0;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_T_pvar_session_create(&session_);
    if (MPI_T_pvar_get_index("starling_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS) return;
    MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle_, &count);
    MPI_T_pvar_start(session_, handle_);
  }
  ~SentMessages() {
    MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
  }
  SentMessages(const SentMessages&) = delete;
  SentMessages& operator=(const SentMessages&) = delete;

  [[nodiscard]] long long so_far() const {
    unsigned long long value = 0;
    if (handle_ == MPI_T_PVAR_HANDLE_NULL || MPI_T_pvar_read(session_, handle_, &value) != MPI_SUCCESS) return -1;
    return static_cast<long long>(value);
  }

 private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

/// What this rank sends while it does something 20 times, a first time not counted. The target's end is the caller's.
template <typename Access>
long long messages_of_twenty(const SentMessages& sent, Access&& access) {
  access();
  const long long before = sent.so_far();
  for (int i = 0; i < 20; ++i) access();
  return sent.so_far() - before;
}

MPI_CASE("a flush that is foreseen costs no message", 2, 8) {
  const int last = world.size - 1;
  for (const WindowKind kind : {WindowKind::kAllocate, WindowKind::kCreate, WindowKind::kDynamic}) {
    const WindowOver<int> win(world, kind, 4);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(world.comm);  // rank 0 answers nobody's locks, and
    const SentMessages sent;
    const int one = 1;
    const auto put = [&] { MPI_Put(&one, 1, MPI_INT, last, win.at(last, 0), 1, MPI_INT, win); };
    const auto add = [&] { MPI_Accumulate(&one, 1, MPI_INT, last, win.at(last, 1), 1, MPI_INT, MPI_SUM, win); };
    if (world.rank == 0 && sent.so_far() >= 0 && !world.on_one_node(0, last)) {
      CHECK_EQ(messages_of_twenty(sent,
                                  [&] {
                                    put();
                                    MPI_Win_flush(last, win);
                                  }),
               20);
      CHECK_EQ(messages_of_twenty(sent,
                                  [&] {
                                    put();
                                    add();
                                    add();
                                    MPI_Win_flush_all(win);
                                  }),
               60);
      CHECK_EQ(messages_of_twenty(sent,
                                  [&] {
                                    int old = 0;
                                    put();
                                    MPI_Fetch_and_op(&one, &old, MPI_INT, last, win.at(last, 1), MPI_SUM, win);
                                    MPI_Win_flush(last, win);
                                  }),
               40);
    }
    MPI_Barrier(world.comm);  // nobody's unlocks, while it counts
    MPI_Win_unlock_all(win);
    MPI_Barrier(world.comm);
    if (world.rank == last && win[1] != 0) CHECK_EQ(win[1], 63);
  }
}

MPI_CASE("a flush covers all before it, however many accesses there are between two", 2, 8) {
  constexpr int kPlaces = 9;
  const WindowOver<int> win(world, WindowKind::kAllocate, kPlaces * world.size);
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < 60; ++round) {
    const int count = 1 + (round * round + round / 7) % kPlaces;
    for (int target = 0; target < world.size; ++target) {
      for (int i = 0; i < count; ++i) {
        const int value = round * 100 + i;
        const MPI_Aint place = win.at(target, world.rank * kPlaces + i);
        if (i % 3 == 2) {
          MPI_Accumulate(&value, 1, MPI_INT, target, place, 1, MPI_INT, MPI_REPLACE, win);
        } else {
          MPI_Put(&value, 1, MPI_INT, target, place, 1, MPI_INT, win);
        }
        if (round % 5 == 3) MPI_Win_flush_local(target, win);
      }
      if (round % 2 == 0) MPI_Win_flush(target, win);
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(world.comm);
    MPI_Win_sync(win);
    bool right = true;
    for (int origin = 0; origin < world.size; ++origin) {
      for (int i = 0; i < count; ++i) right = right && win[origin * kPlaces + i] == round * 100 + i;
    }
    CHECK(right);
    MPI_Barrier(world.comm);
  }
  MPI_Win_unlock_all(win);
}

}  // namespace
}  // namespace starling::tests
