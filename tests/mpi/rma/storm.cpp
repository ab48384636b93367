// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A storm of random accesses, checked against a model. Each rank owns a stretch of every rank's memory, so it knows
// what must lie there; all ranks share one more, which only commutative sums touch.
#include "mpi/rma/windows.hpp"

namespace starling::tests {
namespace {

constexpr int kStretch = 700;
constexpr int kShared = 64;

/// What a rank does between two accesses.
enum class Between { kNothing, kAllSorts };

class Storm {
 public:
  Storm(Context& context, WindowKind kind, Between between = Between::kNothing)
      : world(context),
        between_(between),
        win_(context, kind, kStretch * context.size + kShared),
        model_(static_cast<std::size_t>(kStretch * context.size)),
        added_(static_cast<std::size_t>(kShared * context.size)),
        random_(context.generator(static_cast<std::uint64_t>(context.rank) * 10 + static_cast<std::uint64_t>(kind))) {}

  void run(int steps) {
    MPI_Win_lock_all(0, win_);
    for (int i = 0; i < steps; ++i) {
      step();
      if (between_ == Between::kAllSorts) rest();
    }
    MPI_Win_unlock_all(win_);
    MPI_Barrier(world.comm);
    check_own_memory();
    MPI_Barrier(world.comm);
  }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }

  /// Elements first, first + stride, ... of this rank's stretch at a target.
  struct Pick {
    int target;
    int first;
    int count;
    int stride;
  };
  Pick pick() {
    const int stride = 1 + draw(3);
    const int first = draw(kStretch - 1);
    const int most = (kStretch - first + stride - 1) / stride;
    return {draw(world.size), first, 1 + draw(draw(4) == 0 ? most : std::min(most, 8)), stride};
  }
  int& known(const Pick& pick, int i) {
    return model_[static_cast<std::size_t>(pick.target * kStretch + pick.first + i * pick.stride)];
  }

  void step() {
    const Pick p = pick();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(p.count, 1, p.stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    const MPI_Aint place = win_.at(p.target, world.rank * kStretch + p.first);
    std::vector<int> data(static_cast<std::size_t>(p.count));
    std::vector<int> old(data.size(), -1);
    for (int& value : data) value = draw(1 << 20);
    switch (draw(6)) {
      case 0:
        MPI_Put(data.data(), p.count, MPI_INT, p.target, place, 1, type, win_);
        for (int i = 0; i < p.count; ++i) known(p, i) = data[static_cast<std::size_t>(i)];
        break;
      case 1:
        MPI_Get(old.data(), p.count, MPI_INT, p.target, place, 1, type, win_);
        MPI_Win_flush(p.target, win_);
        compare(p, old);
        break;
      case 2:
        MPI_Accumulate(data.data(), p.count, MPI_INT, p.target, place, 1, type, MPI_SUM, win_);
        for (int i = 0; i < p.count; ++i) known(p, i) += data[static_cast<std::size_t>(i)];
        break;
      case 3:
        MPI_Get_accumulate(data.data(), p.count, MPI_INT, old.data(), p.count, MPI_INT, p.target, place, 1, type,
                           MPI_BXOR, win_);
        MPI_Win_flush(p.target, win_);
        compare(p, old);
        for (int i = 0; i < p.count; ++i) known(p, i) ^= data[static_cast<std::size_t>(i)];
        break;
      case 4: swap_one(p, place, data[0]); break;
      default: add_to_shared(p.target, data[0]); break;
    }
    // The buffers end here, and the next step may access the same elements in another way.
    MPI_Win_flush(p.target, win_);
    MPI_Type_free(&type);
  }

  void rest() {
    const int what = draw(12);
    if (what < 3) {
      const double until = MPI_Wtime() + 1e-6 * draw(4000);
      while (MPI_Wtime() < until) {
      }
    } else if (what == 3) {
      int flag = 0;
      for (int i = draw(300); i > 0; --i) MPI_Iprobe(MPI_ANY_SOURCE, 77, world.comm, &flag, MPI_STATUS_IGNORE);
      CHECK_EQ(flag, 0);
    }
  }

  void compare(const Pick& p, const std::vector<int>& got) {
    bool equal = true;
    for (int i = 0; i < p.count; ++i) equal = equal && got[static_cast<std::size_t>(i)] == known(p, i);
    CHECK(equal);
  }

  void swap_one(const Pick& p, MPI_Aint place, int value) {
    int found = -1;
    const int expected = known(p, 0) + (value % 2);
    MPI_Compare_and_swap(&value, &expected, &found, MPI_INT, p.target, place, win_);
    MPI_Win_flush(p.target, win_);
    CHECK_EQ(found, known(p, 0));
    if (value % 2 == 0) known(p, 0) = value;
  }

  void add_to_shared(int target, int value) {
    const int index = value % kShared;
    int old = 0;
    MPI_Fetch_and_op(&value, &old, MPI_INT, target, win_.at(target, kStretch * world.size + index), MPI_SUM, win_);
    MPI_Win_flush(target, win_);
    added_[static_cast<std::size_t>(target * kShared + index)] += static_cast<unsigned>(value);
  }

  /// Everybody tells the owners of memory what must be there.
  void check_own_memory() {
    std::vector<int> told(model_.size());
    MPI_Alltoall(model_.data(), kStretch, MPI_INT, told.data(), kStretch, MPI_INT, world.comm);
    CHECK(std::equal(told.begin(), told.end(), win_.data()));
    std::vector<unsigned> sums(kShared);
    MPI_Reduce_scatter_block(added_.data(), sums.data(), kShared, MPI_UNSIGNED, MPI_SUM, world.comm);
    for (int i = 0; i < kShared; ++i) {
      CHECK_EQ(static_cast<unsigned>(win_[kStretch * world.size + i]), sums[static_cast<std::size_t>(i)]);
    }
  }

  Context& world;
  Between between_;
  WindowOver<int> win_;
  std::vector<int> model_;
  std::vector<unsigned> added_;
  std::mt19937_64 random_;
};

MPI_CASE("a storm of random accesses leaves what the model says", 1, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    Storm storm(world, kind);
    storm.run(300);
  }
}

MPI_CASE("a storm whose ranks compute and test in turns leaves what the model says", 2, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    Storm storm(world, kind, Between::kAllSorts);
    storm.run(120);
  }
}

MPI_CASE("locks of ranks that compute in turns let in one at a time", 2, 8) {
  constexpr int kRounds = 60;
  const WindowOver<long> win(world, WindowKind::kAllocate, 1);
  auto random = world.generator(static_cast<std::uint64_t>(world.rank) + 1000);
  std::vector<long> added(static_cast<std::size_t>(world.size));
  for (int i = 0; i < kRounds; ++i) {
    const int target = static_cast<int>(random() % static_cast<std::uint64_t>(world.size));
    long value = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(&value, 1, MPI_LONG, target, win.at(target, 0), 1, MPI_LONG, win);
    MPI_Win_flush(target, win);
    ++value;
    MPI_Put(&value, 1, MPI_LONG, target, win.at(target, 0), 1, MPI_LONG, win);
    MPI_Win_unlock(target, win);
    ++added[static_cast<std::size_t>(target)];
    const double until = MPI_Wtime() + 1e-6 * static_cast<double>(random() % 8 == 0 ? random() % 3000 : 0);
    while (MPI_Wtime() < until) {
    }
  }
  MPI_Barrier(world.comm);
  long sum = 0;
  MPI_Reduce_scatter_block(added.data(), &sum, 1, MPI_LONG, MPI_SUM, world.comm);
  CHECK_EQ(win[0], sum);
}

}  // namespace
}  // namespace starling::tests
