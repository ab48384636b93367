// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// World: everything of one rank between init and finalize: its configuration, its place in the job, the engines, and
// the two communicators that every program starts with.
//
// Owned by mpi/, one for each rank; a test that runs ranks as threads owns several in one process.
// Thread safety: created and finalized by one thread; in between the rules of the engines hold
// (progress::Engine::lock). Invariants: finalize() returns only when no other rank needs this one any more: its
// messages have been taken and all ranks have arrived. A World that is destroyed without finalize() tells nobody.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ref.hpp"
#include "base/status.hpp"
#include "bootstrap/job.hpp"
#include "collective/engine.hpp"
#include "comm/communicator.hpp"
#include "config/config.hpp"
#include "p2p/engine.hpp"
#include "progress/engine.hpp"

namespace starling::world {

/// Ranks that run as threads of one process share the mapping of their segment; then somebody else frees it.
enum class SegmentOwner : std::uint8_t { kWorld, kCaller };

class World {
 public:
  /// Builds the engines of the rank that `job` names.
  static Result<std::unique_ptr<World>> create(bootstrap::Job job, config::Store config,
                                               SegmentOwner owner = SegmentOwner::kWorld);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Collective over the job. The engines stay usable for reading only.
  Status finalize();

  [[nodiscard]] const config::Store& config() const noexcept { return config_; }
  [[nodiscard]] bootstrap::Job& job() noexcept { return job_; }
  [[nodiscard]] std::int32_t rank() const noexcept { return static_cast<std::int32_t>(job_.rank); }
  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(job_.size); }
  [[nodiscard]] progress::Engine& progress() noexcept { return *progress_; }
  [[nodiscard]] p2p::Engine& p2p() noexcept { return *p2p_; }
  [[nodiscard]] collective::Engine& collectives() noexcept { return *collectives_; }
  [[nodiscard]] const Ref<comm::Communicator>& comm_world() const noexcept { return comm_world_; }
  [[nodiscard]] const Ref<comm::Communicator>& comm_self() const noexcept { return comm_self_; }

  /// The first of `count` context ids that no communicator of the job has had. kIntern when they have run out.
  Result<std::uint32_t> take_context_ids(std::uint32_t count);

 private:
  World(bootstrap::Job job, config::Store config, SegmentOwner owner);
  Status start();

  config::Store config_;
  bootstrap::Job job_;
  SegmentOwner owner_;
  std::unique_ptr<progress::Engine> progress_;
  std::unique_ptr<p2p::Engine> p2p_;
  std::unique_ptr<collective::Engine> collectives_;
  Ref<comm::Communicator> comm_world_;
  Ref<comm::Communicator> comm_self_;
};

/// Joins the launcher's job, or makes a job of one, with the environment's configuration. Warnings, each a whole
/// sentence, are appended for the caller to print.
Result<std::unique_ptr<World>> join_world(std::vector<std::string>* warnings);

}  // namespace starling::world
