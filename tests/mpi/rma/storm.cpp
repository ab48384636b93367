// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A storm of random accesses, checked against a model. Each rank owns a stretch of every rank's memory, so it knows
// what must lie there; all ranks share one more, which only commutative sums touch.
#include "mpi/rma/windows.hpp"

namespace starling::tests {
namespace {

constexpr int kStretch = 700;
constexpr int kShared = 64;

class Storm {
 public:
  Storm(Context& context, WindowKind kind)
      : world(context),
        win_(context, kind, kStretch * context.size + kShared),
        model_(static_cast<std::size_t>(kStretch * context.size)),
        added_(static_cast<std::size_t>(kShared * context.size)),
        random_(context.generator(static_cast<std::uint64_t>(context.rank) * 10 + static_cast<std::uint64_t>(kind))) {}

  void run(int steps) {
    MPI_Win_lock_all(0, win_);
    for (int i = 0; i < steps; ++i) step();
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

}  // namespace
}  // namespace starling::tests
