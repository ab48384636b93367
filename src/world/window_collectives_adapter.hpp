// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WindowCollectivesAdapter: offers the collectives to the windows, whose component does not see them (rma/).
// Thread safety: the world's lock.
#pragma once

#include "collective/collectives.hpp"
#include "rma/window_collectives.hpp"

namespace starling::world {

class WindowCollectivesAdapter final : public rma::WindowCollectives {
 public:
  explicit WindowCollectivesAdapter(collective::Collectives& collectives) noexcept : collectives_(collectives) {}

  Status barrier(comm::Communicator& comm) override {
    collective::Arguments arguments;
    arguments.operation = collective::Operation::kBarrier;
    arguments.comm = &comm;
    return collectives_.run(arguments);
  }
  Status allgather(comm::Communicator& comm, const void* mine, void* all, std::int64_t bytes) override {
    return collectives_.allgather(comm, mine, all, bytes);
  }

 private:
  collective::Collectives& collectives_;
};

}  // namespace starling::world
