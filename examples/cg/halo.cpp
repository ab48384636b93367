// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

namespace cg {
namespace {

constexpr int kRowsTag = 10;
constexpr int kValuesTag = 11;

}  // namespace

Halo::Halo(const std::vector<std::int64_t>& ghost_rows, const RowBlocks& blocks, Communicator& comm)
    : comm_(comm), ghosts_(ghost_rows.size(), 0.0) {
  learn_wanted_rows(ghost_rows, blocks);
  sent_.resize(sent_rows_.size());
  create_requests();
}

Halo::~Halo() {
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

void Halo::learn_wanted_rows(const std::vector<std::int64_t>& ghost_rows, const RowBlocks& blocks) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  std::vector<int> needed(ranks, 0);
  for (const std::int64_t row : ghost_rows) ++needed[static_cast<std::size_t>(blocks.owner(row))];
  std::vector<int> wanted(ranks, 0);
  MPI_Alltoall(needed.data(), 1, MPI_INT, wanted.data(), 1, MPI_INT, comm_.mpi());

  int needed_total = 0;
  int wanted_total = 0;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (needed[index] > 0) sources_.push_back({rank, needed_total, needed[index]});
    if (wanted[index] > 0) targets_.push_back({rank, wanted_total, wanted[index]});
    needed_total += needed[index];
    wanted_total += wanted[index];
  }

  std::vector<std::int64_t> wanted_rows(static_cast<std::size_t>(wanted_total));
  std::vector<MPI_Request> pending;
  for (const Neighbour& n : targets_) {
    MPI_Irecv(wanted_rows.data() + n.offset, n.count, MPI_INT64_T, n.rank, kRowsTag, comm_.mpi(),
              &pending.emplace_back());
  }
  for (const Neighbour& n : sources_) {
    MPI_Isend(ghost_rows.data() + n.offset, n.count, MPI_INT64_T, n.rank, kRowsTag, comm_.mpi(),
              &pending.emplace_back());
  }
  MPI_Waitall(static_cast<int>(pending.size()), pending.data(), MPI_STATUSES_IGNORE);
  for (const std::int64_t row : wanted_rows) sent_rows_.push_back(static_cast<int>(row - blocks.begin(comm_.rank())));
}

void Halo::create_requests() {
  for (const Neighbour& n : sources_) {
    MPI_Recv_init(ghosts_.data() + n.offset, n.count, MPI_DOUBLE, n.rank, kValuesTag, comm_.mpi(),
                  &requests_.emplace_back());
  }
  for (const Neighbour& n : targets_) {
    MPI_Send_init(sent_.data() + n.offset, n.count, MPI_DOUBLE, n.rank, kValuesTag, comm_.mpi(),
                  &requests_.emplace_back());
  }
}

void Halo::start(std::span<const double> own) {
  if (requests_.empty()) return;  // Open MPI 4 refuses to start no requests at all.
  for (std::size_t i = 0; i < sent_rows_.size(); ++i) sent_[i] = own[static_cast<std::size_t>(sent_rows_[i])];
  comm_.timed([&] { MPI_Startall(static_cast<int>(requests_.size()), requests_.data()); });
}

void Halo::finish() {
  if (requests_.empty()) return;
  comm_.timed([&] { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); });
}

}  // namespace cg
