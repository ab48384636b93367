// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "measurements.hpp"

#include "exchange.hpp"
#include "measure.hpp"
#include "mpi/communicator.hpp"

namespace starling::pap {
namespace {

constexpr int kClockTag = 1;
constexpr int kClockRounds = 5;

/// Rank 0 asks each rank for its time; the quickest of some answers was asked half its trip ago.
double measure_clock(MPI_Comm comm) {
  const int rank = any_mpi::rank_of(comm);
  const int size = any_mpi::size_of(comm);
  double own_offset_s = 0;
  for (int peer = 1; peer < size; ++peer) {
    if (rank != 0 && rank != peer) continue;
    double best_s = 1e9;
    double offset_s = 0;
    for (int i = 0; i < kClockRounds; ++i) {
      double theirs = clock_s();
      if (rank == peer) {
        PMPI_Recv(nullptr, 0, MPI_BYTE, 0, kClockTag, comm, MPI_STATUS_IGNORE);
        theirs = clock_s();
        PMPI_Send(&theirs, 1, MPI_DOUBLE, 0, kClockTag, comm);
        continue;
      }
      const double asked = clock_s();
      PMPI_Send(nullptr, 0, MPI_BYTE, peer, kClockTag, comm);
      PMPI_Recv(&theirs, 1, MPI_DOUBLE, peer, kClockTag, comm, MPI_STATUS_IGNORE);
      const double answered = clock_s();
      if (answered - asked >= best_s) continue;
      best_s = answered - asked;
      offset_s = (asked + answered) / 2 - theirs;
    }
    if (rank == 0) PMPI_Send(&offset_s, 1, MPI_DOUBLE, peer, kClockTag, comm);
    if (rank == peer) PMPI_Recv(&own_offset_s, 1, MPI_DOUBLE, 0, kClockTag, comm, MPI_STATUS_IGNORE);
  }
  return own_offset_s;
}

/// The slowest of what all ranks know of a link; false if one knows none.
bool agree_on_link(MPI_Comm comm, const std::optional<arrival::Link>& known, arrival::Link* link) {
  constexpr double kUnknown = 1e9;
  double slowest[2 * arrival::kSampledBytes.size()];
  for (std::size_t i = 0; i < link->size(); ++i) {
    slowest[2 * i] = known ? (*known)[i].hop_s : kUnknown;
    slowest[2 * i + 1] = known ? (*known)[i].period_s : kUnknown;
  }
  PMPI_Allreduce(MPI_IN_PLACE, slowest, static_cast<int>(2 * link->size()), MPI_DOUBLE, MPI_MAX, comm);
  for (std::size_t i = 0; i < link->size(); ++i) {
    (*link)[i] = {arrival::kSampledBytes[i], slowest[2 * i], slowest[2 * i + 1]};
  }
  return slowest[0] < kUnknown;
}

}  // namespace

double Measurements::clock_offset_s(MPI_Comm comm) {
  if (!clock_offset_s_) clock_offset_s_ = measure_clock(comm);
  return *clock_offset_s_;
}

const arrival::Link& Measurements::link(MPI_Comm comm) {
  if (link_) return *link_;
  link_.emplace();
  if (!agree_on_link(comm, latest_link_.get(), &*link_)) measure_link(comm, &*link_);
  latest_link_.set(*link_);
  return *link_;
}

}  // namespace starling::pap
