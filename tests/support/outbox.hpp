// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Outbox: sends that never block, for cases whose receiver takes messages in another order than they were sent. A
// program may not count on MPI_Send to return before its receive is there, whatever the size.
#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

namespace starling::tests {

class Outbox {
 public:
  Outbox() = default;
  ~Outbox() { wait(); }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void send(int value, int peer, int tag, MPI_Comm comm) {
    values_.push_back(value);
    MPI_Isend(&values_.back(), 1, MPI_INT, peer, tag, comm, &requests_.emplace_back());
  }

  void wait() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    values_.clear();
  }

 private:
  std::deque<int> values_;  // stay where they are as more are added
  std::vector<MPI_Request> requests_;
};

}  // namespace starling::tests
