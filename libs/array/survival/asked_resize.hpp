// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// AskedResize: does what somebody outside of the job asked for: another number of processes. The last leave, or new
// ones are started (MPI_Comm_spawn) with the command line of this process.
//
// **Thread safety**: none. **Invariants**: all processes decide alike, as process 0 says, which is never among those
// that leave. New processes are started only where nothing keeps the session from a change.
#pragma once

#include <cstdint>
#include <string>

#include "element/host.hpp"
#include "resize.hpp"
#include "resize_requests.hpp"
#include "survival.hpp"

namespace starling::array::detail {

class AskedResize {
 public:
  AskedResize(Host& host, Resize& resize, const Survival& survival)
      : host_(host), resize_(resize), survival_(survival) {}

  /// From now on others may ask.
  void begin();
  /// With other ranks: process 0 may be another one, which hears from now on who asks.
  void change_ranks();
  /// All processes, between two runs. False where this one leaves.
  bool act();

 private:
  int take();
  std::string refusal(int wanted) const;
  bool is_well_everywhere(int error) const;
  std::string change(int wanted, bool& stays);
  std::string grow(int more);

  Host& host_;
  Resize& resize_;
  const Survival& survival_;
  ResizeRequests requests_;
  bool is_on_ = false;
};

}  // namespace starling::array::detail
