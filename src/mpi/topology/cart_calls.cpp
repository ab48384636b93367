// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Cartesian topologies. Ranks are laid out in row-major order.
// Source: MPI-5.0, chapter 8.5.
#include <algorithm>
#include <string>
#include <vector>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/refusals.hpp"
#include "mpi/topology/cart.hpp"
#include "mpi/topology/dims.hpp"
#include "mpi/topology/reorder.hpp"
#include "mpi/topology/topologies.hpp"

namespace starling::mpi {
namespace {

std::vector<int> coordinates(const std::vector<int>& dims, int rank) {
  std::vector<int> coords(dims.size());
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    coords[dim] = rank % dims[dim];
    rank /= dims[dim];
  }
  return coords;
}

/// Ranks in the grid, or why it cannot be.
Result<int> grid_size(int ndims, const int* dims, int ranks) {
  std::int64_t size = 1;
  for (int dim = 0; dim < ndims; ++dim) {
    if (dims[dim] <= 0) {
      return Status::error(ErrorClass::kDims, formatted("dims[{}] is {}; it must be 1 or more", dim, dims[dim]));
    }
    size *= dims[dim];
    if (size > ranks) {
      return Status::error(
          ErrorClass::kArg,
          formatted("the grid has more places than the communicator has ranks, which are {}; make it smaller", ranks));
    }
  }
  return static_cast<int>(size);
}

/// Each place and the one after it in every dimension.
std::vector<topology::Edge> edges_of(const CartTopology& cart) {
  int places = 1;
  for (const int dim : cart.dims) places *= dim;
  std::vector<topology::Edge> edges;
  for (int place = 0; place < places; ++place) {
    for (std::size_t dim = 0; dim < cart.dims.size(); ++dim) {
      std::vector<int> coords = coordinates(cart.dims, place);
      ++coords[dim];
      const int next = rank_at(cart, coords.data());
      if (next != MPI_PROC_NULL) edges.push_back({place, next});
    }
  }
  return edges;
}

/// The topology of the communicator, or null with the failure noted.
const CartTopology* cart_of(Context& context, MPI_Comm comm) {
  const CartTopology* cart = context.comm(comm)->topology->cart.get();
  if (cart == nullptr) {
    fail(Status::error(ErrorClass::kTopology,
                       "the communicator has no Cartesian topology; make one with MPI_Cart_create"));
  }
  return cart;
}

int give(Context& context, world::MadeCommunicator made, const CommObject& parent, CartTopology topology,
         MPI_Comm* newcomm) {
  if (const int code = give_comm(context, std::move(made), parent, newcomm)) return code;
  if (*newcomm == MPI_COMM_NULL) return MPI_SUCCESS;
  CommObject& comm = *context.comm(*newcomm);
  topology.coords = coordinates(topology.dims, comm.comm->rank());
  comm.topology->cart = std::make_shared<const CartTopology>(std::move(topology));
  return MPI_SUCCESS;
}

}  // namespace

int cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* comm_cart) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm_old);
  if (const int code = refuse_intercomm(parent)) return code;
  Result<int> size = grid_size(ndims, dims, parent.comm->size());
  if (!size.ok()) return fail(std::move(size).status());
  CartTopology topology{{dims, dims + ndims}, {periods, periods + ndims}, {}};
  Result<std::int32_t> rank = parent.comm->rank() < size.value() ? parent.comm->rank() : world::kNoColor;
  if (reorder != 0) {
    rank = reordered_rank(context, *parent.comm, static_cast<std::size_t>(size.value()), edges_of(topology));
    if (!rank.ok()) return fail(std::move(rank).status());
  }
  const std::int32_t color = rank.value() == world::kNoColor ? world::kNoColor : 0;
  return give(context, world::split(*context.world, *parent.comm, color, rank.value()), parent, std::move(topology),
              comm_cart);
}

int cart_map(MPI_Comm comm, int ndims, const int dims[], const int /*periods*/[], int* newrank) {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  Result<int> size = grid_size(ndims, dims, communicator.size());
  if (!size.ok()) return fail(std::move(size).status());
  *newrank = communicator.rank() < size.value() ? communicator.rank() : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int cartdim_get(MPI_Comm comm, int* ndims) {
  const CartTopology* cart = cart_of(*current(), comm);
  if (cart == nullptr) return MPI_ERR_TOPOLOGY;
  *ndims = static_cast<int>(cart->dims.size());
  return MPI_SUCCESS;
}

int cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  const CartTopology* cart = cart_of(*current(), comm);
  if (cart == nullptr) return MPI_ERR_TOPOLOGY;
  const std::size_t shown = std::min(static_cast<std::size_t>(maxdims), cart->dims.size());
  for (std::size_t dim = 0; dim < shown; ++dim) {
    dims[dim] = cart->dims[dim];
    periods[dim] = cart->periods[dim];
    coords[dim] = cart->coords[dim];
  }
  return MPI_SUCCESS;
}

int cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  const CartTopology* cart = cart_of(*current(), comm);
  if (cart == nullptr) return MPI_ERR_TOPOLOGY;
  if (coords == nullptr && !cart->dims.empty()) return internal::refuse_null("coords");
  *rank = rank_at(*cart, coords);
  if (*rank != MPI_PROC_NULL) return MPI_SUCCESS;
  return fail(Status::error(
      ErrorClass::kArg, "the coordinates lie outside the grid in a dimension that is not periodic; they count from 0"));
}

int cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  const CartTopology* cart = cart_of(*current(), comm);
  if (cart == nullptr) return MPI_ERR_TOPOLOGY;
  const std::vector<int> place = coordinates(cart->dims, rank);
  std::copy_n(place.begin(), std::min(static_cast<std::size_t>(maxdims), place.size()), coords);
  return MPI_SUCCESS;
}

int cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const CartTopology* cart = cart_of(*current(), comm);
  if (cart == nullptr) return MPI_ERR_TOPOLOGY;
  if (direction < 0 || static_cast<std::size_t>(direction) >= cart->dims.size()) {
    return fail(Status::error(ErrorClass::kArg, formatted("direction is {}; the grid has dimensions 0 to {}", direction,
                                                          static_cast<int>(cart->dims.size()) - 1)));
  }
  *rank_dest = rank_beside(*cart, static_cast<std::size_t>(direction), disp);
  *rank_source = rank_beside(*cart, static_cast<std::size_t>(direction), -disp);
  return MPI_SUCCESS;
}

int cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  Context& context = *current();
  const CartTopology* cart = cart_of(context, comm);
  if (cart == nullptr) return MPI_ERR_TOPOLOGY;
  if (remain_dims == nullptr && !cart->dims.empty()) return internal::refuse_null("remain_dims");
  // Ranks that share the coordinates of the dropped dimensions stay together, in the order of the kept ones.
  CartTopology kept;
  int color = 0;
  int key = 0;
  for (std::size_t dim = 0; dim < cart->dims.size(); ++dim) {
    if (remain_dims[dim] != 0) {
      kept.dims.push_back(cart->dims[dim]);
      kept.periods.push_back(cart->periods[dim]);
      key = key * cart->dims[dim] + cart->coords[dim];
    } else {
      color = color * cart->dims[dim] + cart->coords[dim];
    }
  }
  CommObject& parent = *context.comm(comm);
  return give(context, world::split(*context.world, *parent.comm, color, key), parent, std::move(kept), newcomm);
}

int topo_test(MPI_Comm comm, int* status) {
  *status = MPI_UNDEFINED;
  const Topology& topology = *current()->comm(comm)->topology;
  if (topology.cart) *status = MPI_CART;
  if (topology.graph) *status = MPI_GRAPH;
  if (topology.dist_graph) *status = MPI_DIST_GRAPH;
  return MPI_SUCCESS;
}

int dims_create(int nnodes, int ndims, int dims[]) {
  return done(balance_dims(nnodes, {dims, static_cast<std::size_t>(ndims)}));
}

}  // namespace starling::mpi
