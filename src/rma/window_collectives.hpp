// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WindowCollectives: the collective operations that windows need. The component collective stands beside this one;
// world/ brings the two together. Thread safety: the world's lock.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "comm/communicator.hpp"

namespace starling::rma {

class WindowCollectives {
 public:
  virtual ~WindowCollectives() = default;

  virtual Status barrier(comm::Communicator& comm) = 0;
  /// `all` takes a piece of `bytes` from each rank, in rank order.
  virtual Status allgather(comm::Communicator& comm, const void* mine, void* all, std::int64_t bytes) = 0;
};

}  // namespace starling::rma
