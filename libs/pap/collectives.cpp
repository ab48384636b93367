// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "arrival/generate.hpp"
#include "library.hpp"

namespace starling::pap {
namespace {

using Way = arrival::Choice::Way;

constexpr int kBcastTag = 1 << 14;  // beyond the segments of a reduce

/// Computes the schedule and runs it. A pattern that cannot be scheduled is refused alike on all ranks, as they all
/// have the same.
int scheduled_reduce(Channel& channel, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                     int root) {
  const int segments = std::min(channel.slicing().segments, count);
  const arrival::Pattern pattern{channel.arrivals(), root, segments, channel.slicing().round_length,
                                 arrival::RootRole::kOnlyTakes};
  const auto steps = arrival::make_steps(pattern, channel.rank());
  if (!steps.ok()) return MPI_ERR_INTERN;
  const ReduceCall call{send, receive, count, type, op, root, channel.comm()};
  return run_reduce(call, steps.value(), segments, channel.workspace());
}

/// The root first, the others as they are expected.
std::vector<int> order_of_arrival(const Channel& channel, int root) {
  std::vector<int> order(static_cast<std::size_t>(channel.size()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[static_cast<std::size_t>(root)]);
  const auto arrivals = channel.arrivals();
  std::sort(order.begin() + 1, order.end(), [&arrivals](int a, int b) {
    const auto when = [&arrivals](int rank) { return arrivals[static_cast<std::size_t>(rank)]; };
    return when(a) != when(b) ? when(a) < when(b) : a < b;
  });
  return order;
}

/// Parent and children in the binomial tree over that order, the nearest child first.
struct Family {
  int parent = MPI_PROC_NULL;
  std::vector<int> children;

  Family(const std::vector<int>& order, int rank) {
    const int size = static_cast<int>(order.size());
    const int place = static_cast<int>(std::find(order.begin(), order.end(), rank) - order.begin());
    int mask = 1;
    while (mask < size && mask <= place) mask *= 2;
    if (place > 0) parent = order[static_cast<std::size_t>(place - mask / 2)];
    for (; place + mask < size; mask *= 2) children.push_back(order[static_cast<std::size_t>(place + mask)]);
  }
};

/// Whole: ranks may describe the same bytes by different types, so that only whole messages are sure to match.
int scheduled_bcast(Channel& channel, void* buffer, int count, MPI_Datatype type, int root) {
  const Family family(order_of_arrival(channel, root), channel.rank());
  if (family.parent != MPI_PROC_NULL) {
    const int code = PMPI_Recv(buffer, count, type, family.parent, kBcastTag, channel.comm(), MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
  }
  std::vector<MPI_Request> sends(family.children.size(), MPI_REQUEST_NULL);
  // The nearest has the most below it. A late rank has nothing below it and keeps nobody waiting.
  for (std::size_t c = 0; c < sends.size(); ++c) {
    const int code = PMPI_Isend(buffer, count, type, family.children[c], kBcastTag, channel.comm(), &sends[c]);
    if (code != MPI_SUCCESS) return code;
  }
  return PMPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
}

/// Enters, runs one way or the other, leaves.
template <typename Scheduled, typename Plain>
int run(Channel& channel, Scheduled scheduled, Plain plain) {
  Helper& helper = library().helper();
  const Way way = channel.enter(helper);
  const int code = way == Way::kScheduled ? scheduled() : plain();
  channel.leave(helper, way);
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
    const int root = channel.earliest();
    const bool in_place_elsewhere = send == MPI_IN_PLACE && channel.rank() != root;
    const int code = scheduled_reduce(channel, in_place_elsewhere ? receive : send, receive, count, type, op, root);
    return code == MPI_SUCCESS ? PMPI_Bcast(receive, count, type, root, channel.comm()) : code;
  };
  return run(channel, scheduled, [&] { return PMPI_Allreduce(send, receive, count, type, op, comm); });
}

int bcast(Channel& channel, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return run(
      channel, [&] { return scheduled_bcast(channel, buffer, count, type, root); },
      [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}

}  // namespace starling::pap
