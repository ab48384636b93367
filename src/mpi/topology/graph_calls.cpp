// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Graph topologies: every process knows the whole graph. Source: MPI-5.0, chapter 8.5.3.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/topology/reorder.hpp"
#include "mpi/topology/topologies.hpp"

namespace starling::mpi {
namespace {

Status wrong(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

/// index rises, and the edges lead to nodes.
Status check_graph(int nnodes, const int* index, const int* edges, int ranks) {
  if (nnodes < 0) return wrong(formatted("nnodes is {}; it must be 0 or more", nnodes));
  if (nnodes > ranks) {
    return wrong(formatted("the graph has {} nodes, but the communicator has only {} ranks; take a larger communicator",
                           nnodes, ranks));
  }
  if (nnodes > 0 && index == nullptr)
    return wrong("index is a null pointer, but the graph has nodes; pass one number for each");
  int before = 0;
  for (int node = 0; node < nnodes; ++node) {
    if (index[node] < before) {
      return wrong(
          formatted("index[{}] is {}; it counts the neighbours of all nodes up to this one, so it must be at least {}",
                    node, index[node], before));
    }
    before = index[node];
  }
  if (before > 0 && edges == nullptr)
    return wrong("edges is a null pointer, but index says that there are neighbours; pass them");
  for (int edge = 0; edge < before; ++edge) {
    if (edges[edge] >= 0 && edges[edge] < nnodes) continue;
    return wrong(formatted("edges[{}] is {}; the graph has nodes 0 to {}", edge, edges[edge], nnodes - 1));
  }
  return {};
}

const GraphTopology* graph_of(MPI_Comm comm) {
  const GraphTopology* graph = current()->comm(comm)->topology->graph.get();
  if (graph == nullptr) {
    fail(
        Status::error(ErrorClass::kTopology, "the communicator has no graph topology; make one with MPI_Graph_create"));
  }
  return graph;
}

std::vector<topology::Edge> edges_of(const GraphTopology& graph) {
  std::vector<topology::Edge> edges;
  for (int node = 0; node < static_cast<int>(graph.index.size()); ++node) {
    for (const int neighbor : neighbors_of_node(graph, node)) edges.push_back({node, neighbor});
  }
  return edges;
}

void copy_first(std::span<const int> from, int room, int* to) {
  std::copy_n(from.begin(), std::min(static_cast<std::size_t>(room), from.size()), to);
}

}  // namespace

int graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
                 MPI_Comm* comm_graph) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm_old);
  if (const int code = refuse_intercomm(parent)) return code;
  Status good = check_graph(nnodes, indx, edges, parent.comm->size());
  if (!good.ok()) return fail(std::move(good));
  auto graph = std::make_shared<GraphTopology>();
  graph->index.assign(indx, indx + nnodes);
  if (nnodes > 0) graph->edges.assign(edges, edges + indx[nnodes - 1]);
  Result<std::int32_t> rank = parent.comm->rank() < nnodes ? parent.comm->rank() : world::kNoColor;
  if (reorder != 0) {
    rank = reordered_rank(context, *parent.comm, static_cast<std::size_t>(nnodes), edges_of(*graph));
    if (!rank.ok()) return fail(std::move(rank).status());
  }
  const std::int32_t color = rank.value() == world::kNoColor ? world::kNoColor : 0;
  if (const int code =
          give_comm(context, world::split(*context.world, *parent.comm, color, rank.value()), parent, comm_graph)) {
    return code;
  }
  if (*comm_graph != MPI_COMM_NULL) context.comm(*comm_graph)->topology->graph = std::move(graph);
  return MPI_SUCCESS;
}

int graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int* newrank) {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  Status good = check_graph(nnodes, indx, edges, communicator.size());
  if (!good.ok()) return fail(std::move(good));
  *newrank = communicator.rank() < nnodes ? communicator.rank() : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  const GraphTopology* graph = graph_of(comm);
  if (graph == nullptr) return MPI_ERR_TOPOLOGY;
  *nnodes = static_cast<int>(graph->index.size());
  *nedges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
}

int graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]) {
  const GraphTopology* graph = graph_of(comm);
  if (graph == nullptr) return MPI_ERR_TOPOLOGY;
  copy_first(graph->index, maxindex, indx);
  copy_first(graph->edges, maxedges, edges);
  return MPI_SUCCESS;
}

int graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  const GraphTopology* graph = graph_of(comm);
  if (graph == nullptr) return MPI_ERR_TOPOLOGY;
  *nneighbors = static_cast<int>(neighbors_of_node(*graph, rank).size());
  return MPI_SUCCESS;
}

int graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  const GraphTopology* graph = graph_of(comm);
  if (graph == nullptr) return MPI_ERR_TOPOLOGY;
  copy_first(neighbors_of_node(*graph, rank), maxneighbors, neighbors);
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
