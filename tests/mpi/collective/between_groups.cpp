// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collectives on intercommunicators, in all forms: what each group gets is made from what the other contributes
// (MPI-5.0, 6.2.3).
#include <algorithm>
#include <chrono>
#include <thread>

#include "mpi/collective/comms.hpp"
#include "support/clocks.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

/// The world in two groups of different sizes, and an intercommunicator between them.
struct Groups {
  explicit Groups(Context& world, int in_first) {
    side = world.rank < in_first ? 0 : 1;
    MPI_Comm_split(world.comm, side, world.rank, &local);
    MPI_Intercomm_create(local, 0, world.comm, side == 0 ? in_first : 0, 7, &inter);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &others);
    first_other = side == 0 ? in_first : 0;
    first_own = side == 0 ? 0 : in_first;
  }
  ~Groups() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  int side = 0;
  int rank = 0;    ///< in the own group
  int size = 0;    ///< of the own group
  int others = 0;  ///< size of the other group
  int first_own = 0;
  int first_other = 0;  ///< world rank of the other group's rank 0

  [[nodiscard]] int own(int member) const { return first_own + member; }
  [[nodiscard]] int other(int member) const { return first_other + member; }
};

void on_each_division(Context& world, const std::function<void(const Groups&)>& body) {
  body(Groups(world, 1));
  if (world.size > 2) body(Groups(world, world.size / 2));
  if (world.size > 3) body(Groups(world, world.size - 1));
}

/// What to pass as root where `root` of the group `side` is it.
int root_argument(const Groups& groups, int side, int root) {
  if (groups.side != side) return root;
  return groups.rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

/// Each member of each group in turn: `root` is what this rank passes, `source` the root's world rank.
void on_each_root(const Groups& groups, const std::function<void(int root, int source)>& body) {
  for (int side = 0; side < 2; ++side) {
    const int members = groups.side == side ? groups.size : groups.others;
    for (int root = 0; root < members; ++root) {
      body(root_argument(groups, side, root), groups.side == side ? groups.own(root) : groups.other(root));
    }
  }
}

const std::vector<int> kCounts = {0, 1, 100, kUnderThreadSanitizer ? 5000 : 20000};

void wipe(std::vector<int>& buffer) { std::fill(buffer.begin(), buffer.end(), -1); }

/// Blocks of the other group's members, one behind the other.
std::vector<int> from_others(const Groups& groups, int count, int first = 0) {
  std::vector<int> all;
  for (int member = 0; member < groups.others; ++member) {
    const std::vector<int> block = values_of(groups.other(member), count, first);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

std::vector<int> sum_of_others(const Groups& groups, int count) {
  return sum_of(groups.first_other, groups.first_other + groups.others, count);
}

/// The same call blocking, nonblocking and persistent, with `clear` before and `check` behind each.
#define IN_EACH_FORM(Name, name, clear, check, ...)          \
  do {                                                       \
    clear();                                                 \
    MPI_##Name(__VA_ARGS__);                                 \
    check();                                                 \
    clear();                                                 \
    MPI_Request request = MPI_REQUEST_NULL;                  \
    MPI_I##name(__VA_ARGS__, &request);                      \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                   \
    check();                                                 \
    MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
    for (int round = 0; round < 2; ++round) {                \
      clear();                                               \
      MPI_Start(&request);                                   \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                 \
      check();                                               \
    }                                                        \
    MPI_Request_free(&request);                              \
  } while (false)

MPI_CASE("nobody leaves a barrier between groups before the last of the other group comes", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (int side = 0; side < 2; ++side) {
      const bool late = groups.side == side && groups.rank == groups.size - 1;
      if (late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      long long came = groups.side == side ? shared_clock_ns() : 0;
      MPI_Barrier(groups.inter);
      const long long left = shared_clock_ns();
      MPI_Allreduce(MPI_IN_PLACE, &came, 1, MPI_LONG_LONG, MPI_MAX, world.comm);
      if (groups.side != side) CHECK(left >= came);
    }
    const auto nothing = [] {};
    IN_EACH_FORM(Barrier, barrier, nothing, nothing, groups.inter);
  });
}

MPI_CASE("MPI_Bcast between groups reaches the group that has no root", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int count : kCounts) {
      on_each_root(groups, [&](int root, int source) {
        std::vector<int> values = unset(count);
        const auto clear = [&] {
          if (root == MPI_ROOT) put(values, values_of(source, count));
          if (root != MPI_ROOT) wipe(values);
        };
        const auto check = [&] { CHECK(values == (root == MPI_PROC_NULL ? unset(count) : values_of(source, count))); };
        IN_EACH_FORM(Bcast, bcast, clear, check, values.data(), count, MPI_INT, root, groups.inter);
      });
    }
  });
}

MPI_CASE("MPI_Gather and MPI_Gatherv between groups collect the other group's blocks", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int count : kCounts) {
      on_each_root(groups, [&](int root, int) {
        const std::vector<int> mine = values_of(world.rank, count);
        std::vector<int> all = unset(groups.others * count);
        const std::vector<int> counts_of(static_cast<std::size_t>(groups.others), count);
        std::vector<int> places;
        for (int member = 0; member < groups.others; ++member) places.push_back(member * count);
        const auto clear = [&] { wipe(all); };
        const auto check = [&] {
          CHECK(all == (root == MPI_ROOT ? from_others(groups, count) : unset(groups.others * count)));
        };
        IN_EACH_FORM(Gather, gather, clear, check, mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root,
                     groups.inter);
        IN_EACH_FORM(Gatherv, gatherv, clear, check, mine.data(), count, MPI_INT, all.data(), counts_of.data(),
                     places.data(), MPI_INT, root, groups.inter);
      });
    }
  });
}

MPI_CASE("MPI_Scatter and MPI_Scatterv between groups give each of the other group its block", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int count : kCounts) {
      on_each_root(groups, [&](int root, int source) {
        const std::vector<int> all = values_of(source, groups.others * count);
        const std::vector<int> counts_of(static_cast<std::size_t>(groups.others), count);
        std::vector<int> places;
        for (int member = 0; member < groups.others; ++member) places.push_back(member * count);
        std::vector<int> mine = unset(count);
        const auto clear = [&] { wipe(mine); };
        const auto check = [&] {
          CHECK(mine == (root >= 0 ? values_of(source, count, groups.rank * count) : unset(count)));
        };
        IN_EACH_FORM(Scatter, scatter, clear, check, all.data(), count, MPI_INT, mine.data(), count, MPI_INT, root,
                     groups.inter);
        IN_EACH_FORM(Scatterv, scatterv, clear, check, all.data(), counts_of.data(), places.data(), MPI_INT,
                     mine.data(), count, MPI_INT, root, groups.inter);
      });
    }
  });
}

MPI_CASE("MPI_Allgather between groups exchanges blocks that may differ in length by direction", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int count : kCounts) {
      for (const bool one_way : {false, true}) {
        // From the second group to the first twice as much, or nothing at all.
        const int from_second = one_way ? 0 : 2 * count;
        const int out = groups.side == 0 ? count : from_second;
        const int in = groups.side == 0 ? from_second : count;
        const std::vector<int> mine = values_of(world.rank, out);
        std::vector<int> all = unset(groups.others * in);
        const std::vector<int> counts_of(static_cast<std::size_t>(groups.others), in);
        std::vector<int> places;
        for (int member = 0; member < groups.others; ++member) places.push_back(member * in);
        const auto clear = [&] { wipe(all); };
        const auto check = [&] { CHECK(all == from_others(groups, in)); };
        IN_EACH_FORM(Allgather, allgather, clear, check, mine.data(), out, MPI_INT, all.data(), in, MPI_INT,
                     groups.inter);
        IN_EACH_FORM(Allgatherv, allgatherv, clear, check, mine.data(), out, MPI_INT, all.data(), counts_of.data(),
                     places.data(), MPI_INT, groups.inter);
      }
    }
  });
}

MPI_CASE("MPI_Alltoall and its kin between groups bring every parcel across", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int count : kCounts) {
      const std::vector<int> out = values_of(world.rank, groups.others * count);
      std::vector<int> in = unset(groups.others * count);
      const std::vector<int> counts_of(static_cast<std::size_t>(groups.others), count);
      const std::vector<MPI_Datatype> types(counts_of.size(), MPI_INT);
      std::vector<int> places;
      std::vector<int> byte_places;
      for (int member = 0; member < groups.others; ++member) {
        places.push_back(member * count);
        byte_places.push_back(member * count * static_cast<int>(sizeof(int)));
      }
      const auto clear = [&] { wipe(in); };
      const auto check = [&] { CHECK(in == from_others(groups, count, groups.rank * count)); };
      IN_EACH_FORM(Alltoall, alltoall, clear, check, out.data(), count, MPI_INT, in.data(), count, MPI_INT,
                   groups.inter);
      IN_EACH_FORM(Alltoallv, alltoallv, clear, check, out.data(), counts_of.data(), places.data(), MPI_INT, in.data(),
                   counts_of.data(), places.data(), MPI_INT, groups.inter);
      IN_EACH_FORM(Alltoallw, alltoallw, clear, check, out.data(), counts_of.data(), byte_places.data(), types.data(),
                   in.data(), counts_of.data(), byte_places.data(), types.data(), groups.inter);
    }
  });
}

MPI_CASE("MPI_Reduce between groups gives the root the other group's sum", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int count : kCounts) {
      on_each_root(groups, [&](int root, int) {
        const std::vector<int> mine = values_of(world.rank, count);
        std::vector<int> sum = unset(count);
        const auto clear = [&] { wipe(sum); };
        const auto check = [&] { CHECK(sum == (root == MPI_ROOT ? sum_of_others(groups, count) : unset(count))); };
        IN_EACH_FORM(Reduce, reduce, clear, check, mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root,
                     groups.inter);
      });
    }
  });
}

MPI_CASE("MPI_Allreduce between groups gives each group the other's sum", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int count : kCounts) {
      const std::vector<int> mine = values_of(world.rank, count);
      std::vector<int> sum = unset(count);
      const auto clear = [&] { wipe(sum); };
      const auto check = [&] { CHECK(sum == sum_of_others(groups, count)); };
      IN_EACH_FORM(Allreduce, allreduce, clear, check, mine.data(), sum.data(), count, MPI_INT, MPI_SUM, groups.inter);
    }
  });
}

MPI_CASE("MPI_Reduce_scatter and its block form between groups divide the other group's sum", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    for (const int unit : {0, 1, 300}) {
      const int total = unit * groups.size * groups.others;
      const int block = unit * groups.others;
      const std::vector<int> mine = values_of(world.rank, total);
      const std::vector<int> whole = sum_of_others(groups, total);
      std::vector<int> part = unset(block);
      const auto clear = [&] { wipe(part); };
      const auto check = [&] { CHECK(std::equal(part.begin(), part.end(), whole.begin() + groups.rank * block)); };
      IN_EACH_FORM(Reduce_scatter_block, reduce_scatter_block, clear, check, mine.data(), part.data(), block, MPI_INT,
                   MPI_SUM, groups.inter);
      // All to the last of the group.
      std::vector<int> shares(static_cast<std::size_t>(groups.size), 0);
      shares.back() = total;
      const bool last = groups.rank == groups.size - 1;
      std::vector<int> all = unset(last ? total : 0);
      const auto clear_all = [&] { wipe(all); };
      const auto check_all = [&] {
        if (last) CHECK(all == whole);
      };
      IN_EACH_FORM(Reduce_scatter, reduce_scatter, clear_all, check_all, mine.data(), all.data(), shares.data(),
                   MPI_INT, MPI_SUM, groups.inter);
    }
  });
}

void subtract(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  // x * y as affine maps n -> a * n + b, packed as pairs: associative, not commutative.
  auto* const left = static_cast<int*>(in);
  auto* const right = static_cast<int*>(inout);
  for (int i = 0; i < *length; ++i) {
    const int a = left[2 * i] * right[2 * i] % 1009;
    const int b = (left[2 * i] * right[2 * i + 1] + left[2 * i + 1]) % 1009;
    right[2 * i] = a;
    right[2 * i + 1] = b;
  }
}

MPI_CASE("operators that do not commute are applied in the order of the other group's ranks", 2, 8) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(&subtract, 0, &op);
  const auto term = [](int rank) { return std::vector<int>{rank + 2, 3 * rank + 1}; };
  on_each_division(world, [&](const Groups& groups) {
    const std::vector<int> mine = term(world.rank);
    std::vector<int> got = {-1, -1};
    MPI_Allreduce(mine.data(), got.data(), 1, pair, op, groups.inter);
    std::vector<int> expected = term(groups.other(groups.others - 1));
    int length = 1;
    for (int member = groups.others - 2; member >= 0; --member) {
      std::vector<int> left = term(groups.other(member));
      subtract(left.data(), expected.data(), &length, nullptr);
    }
    CHECK(got == expected);
  });
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

MPI_CASE("ranks of the root's group may pass anything but the root", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    const int root = root_argument(groups, 0, 0);
    int value = root == MPI_ROOT ? 42 : -1;
    if (root == MPI_PROC_NULL) {
      MPI_Bcast(nullptr, -5, MPI_DATATYPE_NULL, root, groups.inter);
      MPI_Reduce(nullptr, nullptr, -5, MPI_DATATYPE_NULL, MPI_OP_NULL, root, groups.inter);
    } else {
      MPI_Bcast(&value, 1, MPI_INT, root, groups.inter);
      CHECK_EQ(value, 42);
      int sum = -1;
      MPI_Reduce(&world.rank, &sum, 1, MPI_INT, MPI_MAX, root, groups.inter);
      if (root == MPI_ROOT) CHECK_EQ(sum, world.size - 1);
    }
  });
}

MPI_CASE("scans are not defined between groups", 2, 8) {
  on_each_division(world, [&](const Groups& groups) {
    MPI_Comm_set_errhandler(groups.inter, MPI_ERRORS_RETURN);
    int sum = 0;
    CHECK_EQ(class_of(MPI_Scan(&world.rank, &sum, 1, MPI_INT, MPI_SUM, groups.inter)), MPI_ERR_COMM);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_EQ(class_of(MPI_Iexscan(&world.rank, &sum, 1, MPI_INT, MPI_SUM, groups.inter, &request)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Scan_init(&world.rank, &sum, 1, MPI_INT, MPI_SUM, groups.inter, MPI_INFO_NULL, &request)),
             MPI_ERR_COMM);
  });
}

}  // namespace
}  // namespace starling::tests
