// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.hpp"

#include <algorithm>
#include <vector>

#include "arrival/drive/reduce_plan.hpp"
#include "arrival/run/arrival_tree.hpp"
#include "library.hpp"
#include "mpi/limits.hpp"

namespace starling::pap {
namespace {

using Way = arrival::Choice::Way;

constexpr int kBcastTag = 1 << 14;  // beyond the segments of a reduce
constexpr int kBlockTag = kBcastTag + 1;
static_assert(kBlockTag <= any_mpi::kLargestTag);

/// Makes the plan and runs it. What cannot be scheduled is refused alike on all ranks, as all have the same arrivals.
int scheduled_reduce(Channel& channel, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                     int root) {
  const auto plan = arrival::plan_reduce(channel.arrivals(), channel.slicing(), count, root, channel.rank());
  if (!plan.ok()) return MPI_ERR_INTERN;
  const ReduceCall call{send, receive, count, type, op, root, channel.comm()};
  return run_reduce(call, plan.value().steps, plan.value().cut.segments, channel.workspace());
}

std::vector<int> order_of_arrival(const Channel& channel, int root) {
  return arrival::order_of_arrival(channel.arrivals(), root);
}

/// One for each rank.
std::vector<MPI_Request> no_requests(const Channel& channel) {
  return std::vector<MPI_Request>(static_cast<std::size_t>(channel.size()), MPI_REQUEST_NULL);
}

int finish(int code, std::vector<MPI_Request>* requests) {
  const int ended = PMPI_Waitall(static_cast<int>(requests->size()), requests->data(), MPI_STATUSES_IGNORE);
  return code == MPI_SUCCESS ? ended : code;
}

/// Whole: ranks may describe the same bytes by different types, so that only whole messages are sure to match.
int scheduled_bcast(Channel& channel, void* buffer, int count, MPI_Datatype type, int root) {
  const arrival::TreePlace place(order_of_arrival(channel, root), channel.rank());
  if (place.parent != arrival::TreePlace::kNone) {
    const int code = PMPI_Recv(buffer, count, type, place.parent, kBcastTag, channel.comm(), MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
  }
  std::vector<MPI_Request> sends = no_requests(channel);
  // The nearest has the most below it. A late rank has nothing below it and keeps nobody waiting.
  int code = MPI_SUCCESS;
  for (const int child : place.children) {
    if (code != MPI_SUCCESS) break;
    code = PMPI_Isend(buffer, count, type, child, kBcastTag, channel.comm(), &sends[static_cast<std::size_t>(child)]);
  }
  return finish(code, &sends);
}

/// The block of a rank in a buffer that holds one for each.
void* block_of(const Blocks& blocks, int rank) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(blocks.type, &lower, &extent);
  return static_cast<char*>(blocks.buffer) + static_cast<MPI_Aint>(rank) * blocks.count * extent;
}

/// A rank's own block, from where it gives to where it takes.
int copy_block(const Channel& channel, const void* from, const Blocks& give, void* into, const Blocks& take) {
  return PMPI_Sendrecv(from, give.count, give.type, channel.rank(), kBlockTag, into, take.count, take.type,
                       channel.rank(), kBlockTag, channel.comm(), MPI_STATUS_IGNORE);
}

int direct_gather(Channel& channel, const Blocks& send, const Blocks& receive, int root) {
  if (channel.rank() != root) return PMPI_Send(send.buffer, send.count, send.type, root, kBlockTag, channel.comm());
  std::vector<MPI_Request> requests = no_requests(channel);
  int code = MPI_SUCCESS;
  for (int rank = 0; rank < channel.size() && code == MPI_SUCCESS; ++rank) {
    if (rank == root) continue;
    code = PMPI_Irecv(block_of(receive, rank), receive.count, receive.type, rank, kBlockTag, channel.comm(),
                      &requests[static_cast<std::size_t>(rank)]);
  }
  if (code == MPI_SUCCESS && send.buffer != MPI_IN_PLACE) {
    code = copy_block(channel, send.buffer, send, block_of(receive, root), receive);
  }
  return finish(code, &requests);
}

int direct_scatter(Channel& channel, const Blocks& send, const Blocks& receive, int root) {
  if (channel.rank() != root) {
    return PMPI_Recv(receive.buffer, receive.count, receive.type, root, kBlockTag, channel.comm(), MPI_STATUS_IGNORE);
  }
  std::vector<MPI_Request> requests = no_requests(channel);
  int code = MPI_SUCCESS;
  for (const int rank : order_of_arrival(channel, root)) {
    if (rank == root || code != MPI_SUCCESS) continue;
    code = PMPI_Isend(block_of(send, rank), send.count, send.type, rank, kBlockTag, channel.comm(),
                      &requests[static_cast<std::size_t>(rank)]);
  }
  if (code == MPI_SUCCESS && receive.buffer != MPI_IN_PLACE) {
    code = copy_block(channel, block_of(send, root), send, receive.buffer, receive);
  }
  return finish(code, &requests);
}

int direct_allgather(Channel& channel, const Blocks& send, const Blocks& receive) {
  int code = MPI_SUCCESS;
  if (send.buffer != MPI_IN_PLACE) {
    code = copy_block(channel, send.buffer, send, block_of(receive, channel.rank()), receive);
  }
  std::vector<MPI_Request> receives = no_requests(channel);
  std::vector<MPI_Request> sends = no_requests(channel);
  for (int rank = 0; rank < channel.size() && code == MPI_SUCCESS; ++rank) {
    if (rank == channel.rank()) continue;
    code = PMPI_Irecv(block_of(receive, rank), receive.count, receive.type, rank, kBlockTag, channel.comm(),
                      &receives[static_cast<std::size_t>(rank)]);
  }
  for (const int rank : order_of_arrival(channel, channel.rank())) {
    if (rank == channel.rank() || code != MPI_SUCCESS) continue;
    code = PMPI_Isend(block_of(receive, channel.rank()), receive.count, receive.type, rank, kBlockTag, channel.comm(),
                      &sends[static_cast<std::size_t>(rank)]);
  }
  return finish(finish(code, &receives), &sends);
}

/// Enters, runs one way or the other, leaves.
template <typename Scheduled, typename Plain>
int run(Channel& channel, Scheduled scheduled, Plain plain) {
  ExchangeThread& exchange_thread = library().exchange_thread();
  const Way way = channel.enter(exchange_thread);
  const int code = way == Way::kScheduled ? scheduled() : plain();
  if (way == Way::kScheduled && code != MPI_SUCCESS) channel.note_failure();
  channel.leave(exchange_thread);
  return code;
}

}  // namespace

int reduce(Channel& channel, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  return run(
      channel, [&] { return scheduled_reduce(channel, send, receive, count, type, op, root); },
      [&] { return PMPI_Reduce(send, receive, count, type, op, root, comm); });
}

int allreduce(Channel& channel, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  const auto scheduled = [&] {
    const int root = arrival::earliest(channel.arrivals());
    const bool in_place_elsewhere = send == MPI_IN_PLACE && channel.rank() != root;
    const int code = scheduled_reduce(channel, in_place_elsewhere ? receive : send, receive, count, type, op, root);
    // The root knows whether any rank has failed, and tells all: nobody waits for a sum that does not come.
    int well = code == MPI_SUCCESS ? 1 : 0;
    const int told = PMPI_Bcast(&well, 1, MPI_INT, root, channel.comm());
    const auto first = [code](int other) { return code != MPI_SUCCESS ? code : other; };
    if (told != MPI_SUCCESS) return first(told);
    // Also a rank whose own error the root does not know takes part: others wait for what it passes on.
    return first(well != 0 ? PMPI_Bcast(receive, count, type, root, channel.comm()) : MPI_ERR_OTHER);
  };
  return run(channel, scheduled, [&] { return PMPI_Allreduce(send, receive, count, type, op, comm); });
}

int bcast(Channel& channel, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return run(
      channel, [&] { return scheduled_bcast(channel, buffer, count, type, root); },
      [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}

int gather(Channel& channel, const Blocks& send, const Blocks& receive, int root, MPI_Comm comm) {
  return run(
      channel, [&] { return direct_gather(channel, send, receive, root); },
      [&] {
        return PMPI_Gather(send.buffer, send.count, send.type, receive.buffer, receive.count, receive.type, root, comm);
      });
}

int scatter(Channel& channel, const Blocks& send, const Blocks& receive, int root, MPI_Comm comm) {
  return run(
      channel, [&] { return direct_scatter(channel, send, receive, root); },
      [&] {
        return PMPI_Scatter(send.buffer, send.count, send.type, receive.buffer, receive.count, receive.type, root,
                            comm);
      });
}

int allgather(Channel& channel, const Blocks& send, const Blocks& receive, MPI_Comm comm) {
  return run(
      channel, [&] { return direct_allgather(channel, send, receive); },
      [&] {
        return PMPI_Allgather(send.buffer, send.count, send.type, receive.buffer, receive.count, receive.type, comm);
      });
}

}  // namespace starling::pap
