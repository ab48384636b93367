// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Who frees a communicator is seen by an attribute on it, and under which name it is made by a tool's MPI_Comm_dup.
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/owned_communicator.hpp"
#include "support/mpi_cases.hpp"

namespace {

int dups_seen = 0;

}  // namespace

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  ++dups_seen;
  return PMPI_Comm_dup(comm, copy);
}

namespace starling::tests {
namespace {

using any_mpi::OwnedCommunicator;

/// Counts how many of the communicators that it marked were freed.
class FreeCounter {
 public:
  FreeCounter() { MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_free, &keyval_, nullptr); }
  ~FreeCounter() { MPI_Comm_free_keyval(&keyval_); }
  FreeCounter(const FreeCounter&) = delete;
  FreeCounter& operator=(const FreeCounter&) = delete;

  OwnedCommunicator marked_copy(MPI_Comm comm) {
    OwnedCommunicator copy;
    any_mpi::duplicate(comm, copy);
    MPI_Comm_set_attr(copy.get(), keyval_, &freed_);
    return copy;
  }
  int freed() const { return freed_; }

 private:
  static int note_free(MPI_Comm, int, void* freed, void*) {
    ++*static_cast<int*>(freed);
    return MPI_SUCCESS;
  }
  int keyval_ = MPI_KEYVAL_INVALID;
  int freed_ = 0;
};

/// The even and the odd ranks as two sides.
struct TwoSides {
  explicit TwoSides(const Context& world) {
    const int parity = world.rank % 2;
    MPI_Comm_split(world.comm, parity, 0, &side);
    MPI_Intercomm_create(side, 0, world.comm, 1 - parity, 0, &between);
  }
  ~TwoSides() {
    MPI_Comm_free(&between);
    MPI_Comm_free(&side);
  }
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
};

MPI_CASE("rank, size and sides of a communicator", 2, 8) {
  const TwoSides sides(world);
  CHECK_EQ(any_mpi::rank_of(world.comm), world.rank);
  CHECK_EQ(any_mpi::size_of(world.comm), world.size);
  CHECK(!any_mpi::is_intercommunicator(world.comm));
  CHECK(any_mpi::is_intercommunicator(sides.between));
  CHECK_EQ(any_mpi::rank_of(sides.between), world.rank / 2);
  CHECK_EQ(any_mpi::size_of(sides.between), (world.size + 1 - world.rank % 2) / 2);
}

MPI_CASE("what MPI refuses has no rank, no size and no sides", 1, 8) {
  MPI_Errhandler handlers[2];
  const MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_get_errhandler(comms[i], &handlers[i]);
    MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
  }
  CHECK_EQ(any_mpi::rank_of(MPI_COMM_NULL), MPI_UNDEFINED);
  CHECK_EQ(any_mpi::size_of(MPI_COMM_NULL), 0);
  CHECK(!any_mpi::is_intercommunicator(MPI_COMM_NULL));
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_set_errhandler(comms[i], handlers[i]);
    MPI_Errhandler_free(&handlers[i]);
  }
}

MPI_CASE("an owned communicator is freed once, by its last owner", 1, 8) {
  FreeCounter counter;
  {
    OwnedCommunicator first = counter.marked_copy(world.comm);
    OwnedCommunicator second = std::move(first);
    CHECK(first.is_null());  // NOLINT(bugprone-use-after-move): that is asked
    CHECK_EQ(counter.freed(), 0);
    second = counter.marked_copy(world.comm);
    CHECK_EQ(counter.freed(), 1);
    OwnedCommunicator third = counter.marked_copy(world.comm);
    third.reset();
    CHECK(third.is_null());
    CHECK_EQ(counter.freed(), 2);
  }
  CHECK_EQ(counter.freed(), 3);
}

MPI_CASE("a communicator that is released, or that an exception passes, is not freed", 1, 8) {
  FreeCounter counter;
  MPI_Comm released = counter.marked_copy(world.comm).release();
  MPI_Comm left = MPI_COMM_NULL;
  try {
    const OwnedCommunicator owned = counter.marked_copy(world.comm);
    left = owned.get();
    throw 1;
  } catch (int) {
    CHECK_EQ(counter.freed(), 0);
  }
  MPI_Comm_free(&released);
  MPI_Comm_free(&left);
  CHECK_EQ(counter.freed(), 2);
}

MPI_CASE("a copy has the same processes, and messages of its own", 1, 8) {
  OwnedCommunicator copy;
  CHECK_EQ(any_mpi::duplicate(world.comm, copy), MPI_SUCCESS);
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(world.comm, copy.get(), &relation);
  CHECK_EQ(relation, MPI_CONGRUENT);
}

MPI_CASE("a tool sees the copy that a library makes, and none that a preloaded library makes", 1, 8) {
  const int seen = dups_seen;
  any_mpi::BasicOwnedCommunicator<any_mpi::PmpiCalls> hidden;
  any_mpi::duplicate(world.comm, hidden);
  CHECK_EQ(dups_seen, seen);
  OwnedCommunicator visible;
  any_mpi::duplicate(world.comm, visible);
  CHECK_EQ(dups_seen, seen + 1);
}

MPI_CASE("two sides become one, in the order that they say", 2, 8) {
  const TwoSides sides(world);
  const bool is_first = world.rank % 2 == 1;
  OwnedCommunicator all;
  CHECK_EQ(any_mpi::merge(sides.between, is_first ? any_mpi::Side::kFirst : any_mpi::Side::kLast, all), MPI_SUCCESS);
  CHECK_EQ(any_mpi::size_of(all.get()), world.size);
  CHECK_EQ(any_mpi::rank_of(all.get()), world.rank / 2 + (is_first ? 0 : world.size / 2));
}

}  // namespace
}  // namespace starling::tests
