// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Distributed graph topologies: every process knows its own edges. Source: MPI-5.0, chapter 8.5.4.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/refusals.hpp"
#include "mpi/info/info.hpp"
#include "mpi/topology/dist_graph.hpp"
#include "mpi/topology/reorder.hpp"
#include "mpi/topology/topologies.hpp"

namespace starling::mpi {
namespace {

/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are addresses that are never read.
bool are_weights(const int* weights) { return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY; }

int check_vertex(const char* array, std::int64_t index, int vertex, int ranks) {
  if (vertex >= 0 && vertex < ranks) return MPI_SUCCESS;
  return fail(Status::error(ErrorClass::kRank, formatted("{}[{}] is {}; the communicator has ranks 0 to {}", array,
                                                         index, vertex, ranks - 1)));
}

int check_weights(const char* array, const int* weights, std::int64_t count) {
  if (!are_weights(weights)) return MPI_SUCCESS;
  if (weights == nullptr && count > 0) return internal::refuse_null(array);
  for (std::int64_t i = 0; i < count; ++i) {
    if (weights[i] < 0) {
      return fail(
          Status::error(ErrorClass::kArg, formatted("{}[{}] is {}; a weight must be 0 or more", array, i, weights[i])));
    }
  }
  return MPI_SUCCESS;
}

/// One side of the neighbours that a process names for itself.
struct NamedSide {
  const char* ranks_name;
  const char* weights_name;
  EdgeEnd::Side side;
  std::span<const int> ranks;
  const int* weights;
};

int add_ends(const comm::Communicator& comm, const NamedSide& named, std::vector<EdgeEnd>* ends) {
  if (const int rc = check_weights(named.weights_name, named.weights, static_cast<std::int64_t>(named.ranks.size()))) {
    return rc;
  }
  for (std::size_t i = 0; i < named.ranks.size(); ++i) {
    const int other = named.ranks[i];
    if (const int rc = check_vertex(named.ranks_name, static_cast<std::int64_t>(i), other, comm.size())) return rc;
    ends->push_back({comm.rank(), named.side, other, are_weights(named.weights) ? named.weights[i] : 1});
  }
  return MPI_SUCCESS;
}

std::vector<topology::Edge> edges_of(const std::vector<EdgeEnd>& ends) {
  std::vector<topology::Edge> edges;
  for (const EdgeEnd& end : ends) {
    // Each edge once: it has one end at its source.
    if (end.side == EdgeEnd::kDestination) edges.push_back({end.vertex, end.other, std::max(end.weight, 1)});
  }
  return edges;
}

/// Where the named ends go: home, or, when ranks may change, everywhere first. Then the communicator is made.
int make_dist_graph(CommObject& parent, Result<std::vector<EdgeEnd>> ends, std::int32_t rank, bool weighted,
                    MPI_Info info, MPI_Comm* made) {
  if (!ends.ok()) return fail(std::move(ends).status());
  Context& context = *current();
  if (const int code = give_comm(context, world::split(*context.world, *parent.comm, 0, rank), parent, made)) {
    return code;
  }
  CommObject& comm = *context.comm(*made);
  comm.topology->dist_graph = neighborhood(ends.value(), rank, weighted);
  if (info != MPI_INFO_NULL) *comm.info = *find_info(context, info);
  return MPI_SUCCESS;
}

int make_reordered(CommObject& parent, const std::vector<EdgeEnd>& named, bool weighted, MPI_Info info,
                   MPI_Comm* made) {
  Context& context = *current();
  comm::Communicator& comm = *parent.comm;
  Result<std::vector<EdgeEnd>> all = gather_everywhere(context, comm, named);
  if (!all.ok()) return fail(std::move(all).status());
  const auto places = static_cast<std::size_t>(comm.size());
  Result<std::int32_t> rank = reordered_rank(context, comm, places, edges_of(all.value()));
  if (!rank.ok()) return fail(std::move(rank).status());
  return make_dist_graph(parent, std::move(all), rank.value(), weighted, info, made);
}

const DistGraphTopology* dist_graph_of(MPI_Comm comm) {
  const DistGraphTopology* graph = current()->comm(comm)->topology->dist_graph.get();
  if (graph == nullptr) {
    fail(Status::error(ErrorClass::kTopology,
                       "the communicator has no distributed graph topology; make one with MPI_Dist_graph_create or "
                       "MPI_Dist_graph_create_adjacent"));
  }
  return graph;
}

void copy_side(const DistGraphTopology::Side& side, int room, int* ranks, int* weights) {
  const std::size_t count = std::min(static_cast<std::size_t>(room), side.ranks.size());
  std::copy_n(side.ranks.begin(), count, ranks);
  if (are_weights(weights)) std::copy_n(side.weights.begin(), std::min(count, side.weights.size()), weights);
}

}  // namespace

int dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                               int outdegree, const int destinations[], const int destweights[], MPI_Info info,
                               int reorder, MPI_Comm* comm_dist_graph) {
  CommObject& parent = *current()->comm(comm_old);
  if (const int code = refuse_intercomm(parent)) return code;
  std::vector<EdgeEnd> ends;
  const NamedSide sides[] = {
      {"sources", "sourceweights", EdgeEnd::kSource, {sources, static_cast<std::size_t>(indegree)}, sourceweights},
      {"destinations",
       "destweights",
       EdgeEnd::kDestination,
       {destinations, static_cast<std::size_t>(outdegree)},
       destweights}};
  for (const NamedSide& side : sides) {
    if (const int code = add_ends(*parent.comm, side, &ends)) return code;
  }
  const bool weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
  if (reorder != 0) return make_reordered(parent, ends, weighted, info, comm_dist_graph);
  return make_dist_graph(parent, std::move(ends), parent.comm->rank(), weighted, info, comm_dist_graph);
}

int dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm_old);
  if (const int code = refuse_intercomm(parent)) return code;
  const int ranks = parent.comm->size();
  std::int64_t edges = 0;
  for (int i = 0; i < n; ++i) {
    if (const int code = check_vertex("sources", i, sources[i], ranks)) return code;
    if (degrees[i] < 0) return internal::refuse_count_of(i, degrees[i], "degrees");
    edges += degrees[i];
  }
  if (edges > 0 && destinations == nullptr) return internal::refuse_null("destinations");
  if (const int code = check_weights("weights", weights, edges)) return code;
  std::vector<EdgeEnd> ends;
  std::int64_t edge = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < degrees[i]; ++k, ++edge) {
      const int destination = destinations[edge];
      if (const int code = check_vertex("destinations", edge, destination, ranks)) return code;
      const int weight = are_weights(weights) ? weights[edge] : 1;
      ends.push_back({sources[i], EdgeEnd::kDestination, destination, weight});
      ends.push_back({destination, EdgeEnd::kSource, sources[i], weight});
    }
  }
  const bool weighted = weights != MPI_UNWEIGHTED;
  if (reorder != 0) return make_reordered(parent, ends, weighted, info, comm_dist_graph);
  return make_dist_graph(parent, bring_home(context, *parent.comm, ends), parent.comm->rank(), weighted, info,
                         comm_dist_graph);
}

int dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  const DistGraphTopology* graph = dist_graph_of(comm);
  if (graph == nullptr) return MPI_ERR_TOPOLOGY;
  *indegree = static_cast<int>(graph->sources.ranks.size());
  *outdegree = static_cast<int>(graph->destinations.ranks.size());
  *weighted = graph->weighted ? 1 : 0;
  return MPI_SUCCESS;
}

int dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                         int destinations[], int destweights[]) {
  const DistGraphTopology* graph = dist_graph_of(comm);
  if (graph == nullptr) return MPI_ERR_TOPOLOGY;
  copy_side(graph->sources, maxindegree, sources, sourceweights);
  copy_side(graph->destinations, maxoutdegree, destinations, destweights);
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
