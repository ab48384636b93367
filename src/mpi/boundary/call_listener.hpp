// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallListener: hears of the calls of a program as well, and of MPI's start and end.
// Thread safety: the context's lock, as BoundaryCall::enter takes it.
#pragma once

#include <cstdint>

#include "observe/listener.hpp"

namespace starling::mpi {

class CallListener : public observe::Listener {
 public:
  // Each call between the start and the end begins and ends, while Context::kListened is set; calls within calls do so
  // as well.
  virtual void begin_call(std::uint16_t function) = 0;
  virtual void end_call() = 0;

  /// The engines run from now on, or are about to end.
  virtual void start() = 0;
  virtual void stop() = 0;

 protected:
  ~CallListener() = default;
};

}  // namespace starling::mpi
