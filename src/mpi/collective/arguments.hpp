// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of a collective call to the engine's record, once for the blocking, nonblocking and persistent
// forms.
//
// MPI_IN_PLACE becomes a flag here, and arguments that do not count on this rank are not read: at a rank that is not
// the root, the root's counts and datatypes may be anything. Thread safety: the holder of the world's lock. Source:
// MPI-5.0, chapter 6.
#pragma once

#include <mpi.h>

#include <vector>

#include "collective/arguments/arguments.hpp"
#include "mpi/boundary/check_arguments.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/counts.hpp"

namespace starling::mpi {

/// What one rank sends or receives, in the user's terms.
struct Block {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype datatype;
};
struct Blocks {
  const void* buffer;
  Counts counts;
  Displs displs;
  MPI_Datatype datatype;
};
struct TypedBlocks {
  const void* buffer;
  Counts counts;
  Displs displs;
  const MPI_Datatype* datatypes;
};
struct Reduction {
  const void* send_buffer;
  void* receive_buffer;
  MPI_Count count;
  MPI_Datatype datatype;
  MPI_Op op;
};

/// The engine's record with the arrays that it points to.
class CollectiveCall {
 public:
  CollectiveCall(Context& context, collective::Operation operation, MPI_Comm comm);

  CollectiveCall& rooted(int root);
  [[nodiscard]] bool at_root() const noexcept;

  CollectiveCall& sends(const Block& block);
  CollectiveCall& sends(const Blocks& blocks);
  CollectiveCall& sends(const TypedBlocks& blocks);
  CollectiveCall& receives(const Block& block);
  CollectiveCall& receives(const Blocks& blocks);
  CollectiveCall& receives(const TypedBlocks& blocks);
  CollectiveCall& reduces(const Reduction& reduction);
  CollectiveCall& receive_counts(Counts counts);

  /// Blocking: to the end. Returns a code, noted when it is a failure.
  int run();
  /// Nonblocking.
  int start(MPI_Comm comm, MPI_Request* request);
  /// Persistent: the request is inactive.
  int prepare(MPI_Comm comm, MPI_Request* request);

 private:
  /// What no single argument shows to be wrong.
  Status check();
  /// Takes note of MPI_IN_PLACE.
  bool in_place(const void* buffer) noexcept;
  const collective::Arguments& arguments() noexcept;
  [[nodiscard]] std::vector<const datatype::Datatype*> types_of(const MPI_Datatype* handles, std::int32_t blocks) const;

  Context& context_;
  collective::Arguments arguments_;
  std::vector<const datatype::Datatype*> send_types_;
  std::vector<const datatype::Datatype*> receive_types_;
};

/// Whether each rank of a call knows only its own part in it.
[[nodiscard]] constexpr bool ranks_differ(collective::Operation operation) noexcept {
  using collective::Operation;
  return operation == Operation::kGatherv || operation == Operation::kScatterv || operation == Operation::kAlltoallv ||
         operation == Operation::kAlltoallw;
}
// A call of which this rank's counts say that nobody moves a byte, or that it does not where ranks_differ(), needs no
// record: make is not called then, unless more is to be done (Collectives::pass_empty). Whether MPI_IN_PLACE stands for
// a buffer does not matter.
[[nodiscard]] inline bool passes(bool is_empty, collective::Operation operation, int root, MPI_Comm comm) {
  if (!is_empty) [[likely]]
    return false;
  Context& context = *current();
  comm::Communicator& group = *context.comm(comm)->comm;
  return ranks_differ(operation) ? context.collectives->pass_without_data(group, operation, root)
                                 : context.collectives->pass_empty(group, operation, root);
}
template <typename Make>
int run(bool is_empty, collective::Operation operation, int root, MPI_Comm comm, Make&& make) {
  return passes(is_empty, operation, root, comm) ? MPI_SUCCESS : make().run();
}
template <typename Make>
int start(bool is_empty, collective::Operation operation, int root, MPI_Comm comm, MPI_Request* request, Make&& make) {
  if (!passes(is_empty, operation, root, comm)) return make().start(comm, request);
  return current()->add_request(&current()->collectives->empty_request(), comm, request);
}
/// Whether all counts of a call are zero, one for each rank. Between two groups it is not looked at: how many there are
/// depends on the call, and they do not say whether the other group sends.
[[nodiscard]] inline bool all_zero(const Counts& counts, MPI_Comm comm) {
  const comm::Communicator& group = *current()->comm(comm)->comm;
  if (group.is_inter()) return false;
  for (std::int32_t rank = 0; rank < group.size(); ++rank) {
    if (counts[rank] != 0) return false;
  }
  return true;
}
/// Whether a rank has no part in a gatherv or scatterv. mine: the block that it sends, or receives; of_all: the counts
/// of the root.
[[nodiscard]] inline bool no_part_at(int root, const Block& mine, const Counts& of_all, MPI_Comm comm) {
  if (!at_root(comm, root)) return mine.count == 0;
  return (mine.count == 0 || mine.buffer == MPI_IN_PLACE) && all_zero(of_all, comm);
}
/// The same of an exchange in which blocks differ.
[[nodiscard]] inline bool no_part(const void* sendbuf, const Counts& sends, const Counts& receives, MPI_Comm comm) {
  return all_zero(receives, comm) && (sendbuf == MPI_IN_PLACE || all_zero(sends, comm));
}

// One function for each operation; the bodies of all forms call it.
CollectiveCall make_barrier(MPI_Comm comm);
CollectiveCall make_bcast(const Block& data, int root, MPI_Comm comm);
CollectiveCall make_gather(const Block& send, const Block& receive, int root, MPI_Comm comm);
CollectiveCall make_gatherv(const Block& send, const Blocks& receive, int root, MPI_Comm comm);
CollectiveCall make_scatter(const Block& send, const Block& receive, int root, MPI_Comm comm);
CollectiveCall make_scatterv(const Blocks& send, const Block& receive, int root, MPI_Comm comm);
/// Allgather, alltoall and their v and w forms, also among neighbours: blocks out, blocks in.
template <typename Sends, typename Receives>
CollectiveCall make_exchange(collective::Operation operation, const Sends& send, const Receives& receive,
                             MPI_Comm comm) {
  CollectiveCall call(*current(), operation, comm);
  call.sends(send).receives(receive);
  return call;
}
CollectiveCall make_reduce(const Reduction& reduction, int root, MPI_Comm comm);
CollectiveCall make_reduction(collective::Operation operation, const Reduction& reduction, MPI_Comm comm);
CollectiveCall make_reduce_scatter(const Reduction& reduction, Counts counts, MPI_Comm comm);

}  // namespace starling::mpi
