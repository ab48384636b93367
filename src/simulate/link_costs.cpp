// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/link_costs.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "base/clock.hpp"
#include "tuning/constants.hpp"
#include "tuning/distance.hpp"

namespace starling::simulate {
namespace {

/// So many that the way of the last is no matter, of short ones above all.
constexpr int kMessages = 400;

/// Half of a message there and back, which in simulated time is the same each time; the first is not counted.
double in_turns_ns(int rank, std::vector<char>& buffer, int bytes) {
  double begin = 0;
  for (int i = 0; i < 2; ++i) {
    begin = static_cast<double>(now_ns());
    if (rank == 0) {
      MPI_Send(buffer.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
  }
  return (static_cast<double>(now_ns()) - begin) / 2;
}

/// What the sender of a message is busy with it.
double sending_ns(int rank, std::vector<char>& buffer, int bytes) {
  const auto begin = static_cast<double>(now_ns());
  if (rank == 0) MPI_Send(buffer.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  const double took = static_cast<double>(now_ns()) - begin;
  if (rank == 1) MPI_Recv(buffer.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return took;
}

/// Each of many in one direction, the answer to the last included.
double in_stream_ns(int rank, std::vector<char>& buffer, int bytes) {
  const auto begin = static_cast<double>(now_ns());
  for (int i = 0; i < kMessages; ++i) {
    if (rank == 0) MPI_Send(buffer.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(buffer.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) MPI_Recv(nullptr, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(nullptr, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  return (static_cast<double>(now_ns()) - begin) / kMessages;
}

}  // namespace

void measure_link(int rank, tuning::PairTimes& times) {
  using tuning::PairTimes;
  std::vector<char> buffer(static_cast<std::size_t>(PairTimes::kLonger));
  const auto turns = [&](double bytes) { return in_turns_ns(rank, buffer, static_cast<int>(bytes)); };
  const auto stream = [&](double bytes) { return in_stream_ns(rank, buffer, static_cast<int>(bytes)); };
  PairTimes found{};
  found.tiny_ns = turns(PairTimes::kTiny);
  found.short_ns = turns(PairTimes::kShort);
  found.medium_ns = turns(PairTimes::kMedium);
  found.long_ns = turns(PairTimes::kLong);
  found.longer_ns = turns(PairTimes::kLonger);
  found.tiny_sending_ns = sending_ns(rank, buffer, static_cast<int>(PairTimes::kTiny));
  found.tiny_stream_ns = stream(PairTimes::kTiny);
  found.short_stream_ns = stream(PairTimes::kShort);
  found.medium_stream_ns = stream(PairTimes::kMedium);
  found.long_stream_ns = stream(PairTimes::kLong);
  found.longer_stream_ns = stream(PairTimes::kLonger);
  if (rank == 0) times = found;
}

std::string node_costs(const MemoryCosts& memory) {
  constexpr double kLeastNs = 1e-3;  // a constant is above 0
  const double line_ns = std::max(memory.line_ns, kLeastNs);
  const double byte_ns = std::max(memory.byte_ns, kLeastNs);
  tuning::Constants constants = tuning::default_constants();
  tuning::LinkCosts& near = constants.links[static_cast<std::size_t>(tuning::Distance::kNear)];
  // A message is stored and seen. One that is copied once tells its reader where it lies, and hears when it is read.
  near.message_ns = near.line_ns = line_ns;
  near.next_ns = near.send_ns = kLeastNs;
  near.byte_ns = 2 * byte_ns;
  near.long_ns = 2 * line_ns;
  near.long_byte_ns = near.copy_byte_ns = near.fold_byte_ns = byte_ns;
  constants.own_byte_ns = constants.reduce_byte_ns = byte_ns;
  // A phase of a call in levels sees the node as a whole.
  constants.links[static_cast<std::size_t>(tuning::Distance::kNode)] = near;
  tuning::Measured measured{};
  for (const tuning::Distance each : {tuning::Distance::kNear, tuning::Distance::kNode})
    measured[static_cast<std::size_t>(each)] = true;
  return tuning::text_of(constants, measured);
}

}  // namespace starling::simulate
