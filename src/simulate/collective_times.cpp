// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/collective_times.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "simulate/simulated_time.hpp"

namespace starling::simulate {
namespace {

namespace s4u = simgrid::s4u;

/// What one call works on: blocks of ints.
struct Call {
  int rank = 0;
  int ranks = 1;
  int count = 0;  ///< ints in a block
  std::vector<int> out;
  std::vector<int> in;
};

/// Rank r contributes r + 1 in each place; where each gets a block of its own from the root, rank r gets r + 1.
void run(std::string_view name, Call& call) {
  void* const out = call.out.data();
  void* const in = call.in.data();
  const int count = call.count;
  if (name == "barrier") {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (name == "bcast") {
    MPI_Bcast(call.in.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (name == "reduce") {
    MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  } else if (name == "allreduce") {
    MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (name == "gather") {
    MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (name == "scatter") {
    MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (name == "allgather") {
    MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
  } else if (name == "alltoall") {
    MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
  } else if (name == "reduce_scatter_block") {
    MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (name == "scan") {
    MPI_Scan(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

/// In block `block` of what the rank has received.
int expected(std::string_view name, const Call& call, int block) {
  const int all = call.ranks * (call.ranks + 1) / 2;
  if (name == "bcast") return 1;
  if (name == "reduce") return call.rank == 0 ? all : 0;
  if (name == "allreduce" || name == "reduce_scatter_block") return all;
  if (name == "gather") return call.rank == 0 ? block + 1 : 0;
  if (name == "scatter") return call.rank + 1;
  if (name == "scan") return (call.rank + 1) * (call.rank + 2) / 2;
  return block + 1;
}

void check(const Operation& operation, const Call& call) {
  if (call.count == 0) return;
  const int blocks = operation.receives_from_each ? call.ranks : 1;
  for (int block = 0; block < blocks; ++block) {
    const std::size_t first = static_cast<std::size_t>(block) * static_cast<std::size_t>(call.count);
    const int value = expected(operation.name, call, block);
    for (const std::size_t at : {first, first + static_cast<std::size_t>(call.count) - 1}) {
      if (call.in[at] == value) continue;
      std::fprintf(stderr, "starling simulate: %.*s delivered %d where %d is right, which is a defect of Starling\n",
                   static_cast<int>(operation.name.size()), operation.name.data(), call.in[at], value);
      std::_Exit(1);
    }
  }
}

std::vector<int> outgoing(const Operation& operation, const Call& call) {
  const int blocks = operation.sends_to_each ? call.ranks : 1;
  const bool is_of_root = operation.name == "scatter";  // each gets another value
  std::vector<int> out;
  out.reserve(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(call.count));
  for (int block = 0; block < blocks; ++block)
    out.insert(out.end(), static_cast<std::size_t>(call.count), is_of_root ? block + 1 : call.rank + 1);
  return out;
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      {"barrier", false, false, false},  {"bcast", false, false, true},  {"reduce", false, false, true},
      {"allreduce", false, false, true}, {"gather", false, true, true},  {"scatter", true, false, true},
      {"allgather", false, true, true},  {"alltoall", true, true, true}, {"reduce_scatter_block", true, false, true},
      {"scan", false, false, true},
  };
  return all;
}

void CollectiveTimes::measure(int rank) {
  for (const std::string& name : measurement_.operations) {
    const auto operation = std::ranges::find(operations(), name, &Operation::name);
    if (!operation->has_data) {
      measure(rank, *operation, 0);
      continue;
    }
    for (const std::int64_t bytes : measurement_.sizes) measure(rank, *operation, bytes);
  }
}

void CollectiveTimes::measure(int rank, const Operation& operation, std::int64_t bytes) {
  CollectiveTime time{std::string(operation.name), bytes, -1, 0};
  const double ranks = measurement_.ranks;
  const double blocks = (operation.sends_to_each ? ranks : 1) + (operation.receives_from_each ? ranks : 1);
  if (blocks * ranks * static_cast<double>(bytes) > measurement_.most_bytes) {
    if (rank == 0) measurement_.tell(time);
    return;
  }
  Call call{rank, measurement_.ranks, static_cast<int>(bytes / static_cast<std::int64_t>(sizeof(int))), {}, {}};
  call.out = outgoing(operation, call);
  const std::size_t received = operation.receives_from_each ? static_cast<std::size_t>(measurement_.ranks) : 1;
  for (int i = 0; i < measurement_.repetitions; ++i) {
    call.in.assign(received * static_cast<std::size_t>(call.count), 0);
    if (operation.name == "bcast" && rank == 0) call.in = call.out;
    start_->wait();
    const double begin_s = s4u::Engine::get_clock();
    const std::uint64_t packets = measurement_.packets();
    {
      const CountedMemory counted(&measurement_.memory);
      run(operation.name, call);
    }
    // Ranks run one after the other, so one may find what another has stored at the same simulated time.
    const double least_ns = measurement_.ranks > 1 ? measurement_.memory.line_ns : 0;
    spend_ns(least_ns - (s4u::Engine::get_clock() - begin_s) * 1e9);
    end_s_ = s4u::Engine::get_clock();  // the clock never goes back, so the last to leave is the last to write
    start_->wait();
    check(operation, call);
    const double us = (end_s_ - begin_s) * 1e6;
    if (time.us < 0 || us < time.us) {
      time.us = us;
      time.packets = measurement_.packets() - packets;
    }
  }
  if (rank == 0) measurement_.tell(time);
}

}  // namespace starling::simulate
