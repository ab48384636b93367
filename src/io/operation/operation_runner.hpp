// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OperationRunner: what one rank needs to do I/O: its world, its worker and the nonblocking operations under way.
//
// Owned by mpi/, made by the first file. Thread safety: the holder of the world's lock; run() gives it up meanwhile.
// Invariants: outlives its files; requests that the user has freed are kept until they are complete.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/operation/claim.hpp"
#include "io/operation/operation.hpp"
#include "io/operation/worker.hpp"
#include "world/world.hpp"

namespace starling::io {

class OperationRunner final : private progress::Poller {
 public:
  explicit OperationRunner(world::World& world);
  ~OperationRunner();
  OperationRunner(const OperationRunner&) = delete;
  OperationRunner& operator=(const OperationRunner&) = delete;

  [[nodiscard]] world::World& world() noexcept { return world_; }

  /// Executes the operation; other messages of the rank move on while a large one runs.
  void run(Operation& operation);
  /// Starts it. Never null.
  p2p::Request* start(std::unique_ptr<Operation> operation);
  /// Starts it where the claim says, once that is known. Never null.
  p2p::Request* start_claimed(std::unique_ptr<Operation> operation, std::unique_ptr<Claim> claim);

  /// Disposes of a request of a collective access of the file once it is complete.
  void keep(p2p::Request& request, const PosixFile& file) { kept_.push_back({&request, &file}); }

  /// Blocks until the accesses of the file that no other call waits for have taken place: those of one process, and the
  /// collective ones whose requests were freed.
  void finish(const PosixFile& file);

  /// Whether handing the job to the worker costs more than it brings.
  [[nodiscard]] bool is_small(std::int64_t bytes) const noexcept { return bytes <= inline_bytes_; }
  [[nodiscard]] Worker& worker() noexcept { return worker_; }

 private:
  class AccessRequest;
  bool poll() override;

  world::World& world_;
  Worker worker_;
  std::int64_t inline_bytes_;
  std::vector<AccessRequest*> under_way_;
  struct Kept {
    p2p::Request* request;
    const PosixFile* file;
  };
  std::vector<Kept> kept_;
};

}  // namespace starling::io
