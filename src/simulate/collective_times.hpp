// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How long collective operations take in a simulated job: all ranks enter one at the same time, and it lasts until the
// last has left it. What each call delivers is checked.
//
// Thread safety: SimGrid runs one rank at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/memory_costs.hpp"

namespace starling::simulate {

struct Operation {
  std::string_view name;
  bool sends_to_each;       ///< the buffer that is sent holds a block for each rank, else one
  bool receives_from_each;  ///< likewise
  bool has_data;
};

/// All that can be measured; a C array's order is that of the output.
[[nodiscard]] const std::vector<Operation>& operations();

struct CollectiveTime {
  std::string operation;
  std::int64_t bytes = 0;     ///< of a block: what a rank contributes to, or gets from, one other; else of the vector
  double us = 0;              ///< the shortest of the repetitions
  std::uint64_t packets = 0;  ///< of all ranks between nodes, in that one
};

struct Measurement {
  int ranks = 1;
  std::vector<std::string> operations;
  std::vector<std::int64_t> sizes;
  int repetitions = 2;
  MemoryCosts memory;       ///< of a node, while an operation runs
  double most_bytes = 8e9;  ///< of the buffers of all ranks; what takes more is left out, with a time below 0
  std::function<std::uint64_t()> packets;  ///< that all ranks have sent until now
  std::function<void(const CollectiveTime&)> tell;
};

class CollectiveTimes {
 public:
  explicit CollectiveTimes(const Measurement& measurement)
      : measurement_(measurement), start_(simgrid::s4u::Barrier::create(static_cast<unsigned>(measurement.ranks))) {}

  /// What each rank does between MPI_Init and MPI_Finalize.
  void measure(int rank);

 private:
  void measure(int rank, const Operation& operation, std::int64_t bytes);

  const Measurement& measurement_;
  const simgrid::s4u::BarrierPtr start_;
  double end_s_ = 0;  ///< when the last rank so far left the operation
};

}  // namespace starling::simulate
