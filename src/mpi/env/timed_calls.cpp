// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/env/timed_calls.hpp"

#include <algorithm>
#include <string_view>

#include "api/functions.hpp"

namespace starling::mpi {
namespace {

/// How the names of collective functions go on behind "MPI_", or behind "MPI_I" where they start one.
constexpr std::string_view kCollectives[] = {
    "Barrier",       "Bcast",        "Gather",      "Scatter",     "Allgather",    "Alltoall",
    "Reduce",        "Allreduce",    "Scan",        "Exscan",      "Neighbor_",    "bcast",
    "barrier",       "gather",       "scatter",     "allgather",   "alltoall",     "reduce",
    "allreduce",     "scan",         "exscan",      "neighbor_",   "Comm_dup",     "Comm_idup",
    "Comm_split",    "Comm_create",  "Intercomm_",  "Cart_create", "Graph_create", "Dist_graph_create",
    "Win_create",    "Win_allocate", "Win_fence",   "Win_free",    "File_open",    "File_close",
    "File_set_view", "Comm_spawn",   "Comm_accept", "Comm_connect"};

bool is_collective(std::string_view name) {
  constexpr std::string_view kPrefix = "MPI_";
  if (!name.starts_with(kPrefix) || name.starts_with("MPI_Reduce_local")) return false;
  name.remove_prefix(kPrefix.size());
  if (name.starts_with("File_") && (name.ends_with("_all") || name.ends_with("_all_c"))) return true;
  if (name.starts_with('I') && !name.starts_with("In")) name.remove_prefix(1);
  return std::ranges::any_of(kCollectives, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

void time_collective_calls(observe::Tracer& tracer) {
  for (std::uint16_t function = 1; function < kFunctionCount; ++function) {
    if (is_collective(function_name(static_cast<Function>(function)))) tracer.time_always(function);
  }
}

}  // namespace starling::mpi
