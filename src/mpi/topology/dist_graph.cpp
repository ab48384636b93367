// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/topology/dist_graph.hpp"

#include <algorithm>
#include <numeric>

namespace starling::mpi {
namespace {

using Bytes = std::vector<std::int64_t>;

Bytes starts_of(const Bytes& counts) {
  Bytes starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), std::int64_t{0});
  return starts;
}

std::vector<EdgeEnd> room_for(const Bytes& counts) {
  return std::vector<EdgeEnd>(static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) /
                              sizeof(EdgeEnd));
}

collective::Arguments arguments_for(collective::Operation operation, comm::Communicator& comm) {
  collective::Arguments arguments;
  arguments.operation = operation;
  arguments.comm = &comm;
  arguments.send_type = arguments.receive_type = &datatype::byte_type();
  return arguments;
}

Status alltoall(Context& context, comm::Communicator& comm, const Bytes& out, Bytes* in) {
  collective::Arguments arguments = arguments_for(collective::Operation::kAlltoall, comm);
  arguments.send_buffer = out.data();
  arguments.receive_buffer = in->data();
  arguments.send_count = arguments.receive_count = sizeof(std::int64_t);
  return context.collectives->run(arguments);
}

}  // namespace

Result<std::vector<EdgeEnd>> bring_home(Context& context, comm::Communicator& comm, const std::vector<EdgeEnd>& named) {
  std::vector<EdgeEnd> sorted = named;
  std::ranges::stable_sort(sorted, {}, &EdgeEnd::vertex);
  Bytes out(static_cast<std::size_t>(comm.size()));
  for (const EdgeEnd& end : sorted) out[static_cast<std::size_t>(end.vertex)] += sizeof end;
  Bytes in(out.size());
  STARLING_TRY(alltoall(context, comm, out, &in));
  std::vector<EdgeEnd> home = room_for(in);
  const Bytes out_starts = starts_of(out);
  const Bytes in_starts = starts_of(in);
  collective::Arguments arguments = arguments_for(collective::Operation::kAlltoallv, comm);
  arguments.send_buffer = sorted.data();
  arguments.send_counts = out.data();
  arguments.send_displs = out_starts.data();
  arguments.receive_buffer = home.data();
  arguments.receive_counts = in.data();
  arguments.receive_displs = in_starts.data();
  STARLING_TRY(context.collectives->run(arguments));
  return home;
}

Result<std::vector<EdgeEnd>> gather_everywhere(Context& context, comm::Communicator& comm,
                                               const std::vector<EdgeEnd>& named) {
  const auto mine = static_cast<std::int64_t>(named.size() * sizeof(EdgeEnd));
  Bytes counts(static_cast<std::size_t>(comm.size()));
  STARLING_TRY(context.collectives->allgather(comm, &mine, counts.data(), sizeof mine));
  std::vector<EdgeEnd> all = room_for(counts);
  const Bytes starts = starts_of(counts);
  collective::Arguments arguments = arguments_for(collective::Operation::kAllgatherv, comm);
  arguments.send_buffer = named.data();
  arguments.send_count = mine;
  arguments.receive_buffer = all.data();
  arguments.receive_counts = counts.data();
  arguments.receive_displs = starts.data();
  STARLING_TRY(context.collectives->run(arguments));
  return all;
}

std::shared_ptr<const DistGraphTopology> neighborhood(const std::vector<EdgeEnd>& ends, std::int32_t vertex,
                                                      bool weighted) {
  auto graph = std::make_shared<DistGraphTopology>();
  graph->weighted = weighted;
  for (const EdgeEnd& end : ends) {
    if (end.vertex != vertex) continue;
    DistGraphTopology::Side& side = end.side == EdgeEnd::kSource ? graph->sources : graph->destinations;
    side.ranks.push_back(end.other);
    if (weighted) side.weights.push_back(end.weight);
  }
  return graph;
}

}  // namespace starling::mpi
