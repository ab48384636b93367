// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a process learns its rank and its peers: from our launcher, from another one, or as a job of its own (a
// singleton).
//
// The launcher hands two descriptors and a number down through the environment (environment.hpp): the job segment,
// a socket that wakes the launcher, and the rank on this node; on several nodes also the descriptor of the job card,
// which says the rest. The first process that joins claims the rank in its RankBlock and takes the variables out of its
// environment, so a program that this process starts later is a job of its own, with a warning, and never a second copy
// of the same rank.
//
// Another launcher offers an exchange (pmi/exchange.hpp) in place of a segment and a card: the ranks make both
// (foreign_job.hpp). That launcher learns of deaths and ends the job; nobody wakes it, and each rank reports its crash
// itself.
//
// Thread safety: join() changes the environment and belongs into the start of the program, before other threads read
// it; announce(), notify_launcher() and abort() may be called from any thread.
// Invariants: a rank is claimed once in the life of a job, by a compare-and-swap of RankBlock::pid from 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/id.hpp"
#include "base/status.hpp"
#include "bootstrap/death_watch.hpp"
#include "bootstrap/nodes/entrances.hpp"
#include "bootstrap/nodes/job_card_view.hpp"
#include "bootstrap/pmi/exchange.hpp"
#include "bootstrap/segment_address.hpp"
#include "config/config.hpp"
#include "memory/job_segment.hpp"
#include "memory/placement.hpp"

namespace starling::bootstrap {

struct Job {
  std::uint64_t id = 0;                         ///< the same on all its nodes; 0: that of the segment (JobHeader::id)
  std::unique_ptr<memory::JobSegment> segment;  ///< of this node
  WorldRank rank{0};
  LocalRank local_rank{0};  ///< in the segment
  std::shared_ptr<const memory::Placement> placement;
  std::optional<JobCardView> card;      ///< how the nodes reach each other; none: all ranks are on one node
  std::vector<std::int32_t> listeners;  ///< with a card: descriptors, one at each entrance that it has for this rank

  [[nodiscard]] std::int32_t size() const noexcept { return placement->size(); }

  std::optional<SegmentAddress> parent;  ///< the segment in which the job that spawned this one waits
  std::string parent_door;               ///< the same, where that job may be on another host; empty: it is not
  std::string initial_errhandler;        ///< as in mpi_initial_errhandler; empty: the standard's
  bool launched = false;                 ///< started by our launcher
  memory::KeptFile launcher_event;       ///< a socket that wakes the launcher; invalid without it
  std::unique_ptr<Exchange> exchange;    ///< with another launcher that has started the job; null: there is none
  std::unique_ptr<DeathWatch> deaths;    ///< where the launcher goes on without the dead; null: there is none
  std::optional<std::string> tuning;  ///< the constants that rank 0 has read, where another launcher has several nodes
  Descriptor card_file;               ///< of the card that the other ranks of the node read, where this rank made it
  std::vector<std::string> warnings;  ///< the caller of join() prints them once; each is a whole sentence
};

/// Joins the job that our launcher or another one started, else makes a singleton. geometry: of the segment, if this
/// process makes it, but for the numbers of ranks. A failure means that our launcher's job cannot be joined,
/// or that no shared memory is to be had. A job of another launcher that cannot be joined ends.
Result<Job> join(const memory::JobGeometry& geometry, const NetworkHooks& network = {},
                 const config::Store& config = {});

/// Whether a job with this configuration goes on when ranks die (STARLING_FT). For the launcher, which tells the ranks
/// in JobHeader::survives.
[[nodiscard]] bool survives_deaths(const config::Store& config);

/// How long the launcher waits between asking the ranks of a failed job to end and killing them. Declared here,
/// because the library must know each variable that the launcher reads: a rank finds it in its environment as well.
[[nodiscard]] std::int64_t grace_ms(const config::Store& config);

/// Writes the state of this rank (kInitialized, kFinalized) for the launcher and the peers.
void announce(Job& job, memory::RankState state) noexcept;

/// This process needs no other of its job any more, and may end. Only another launcher has to be told.
void take_leave(Job& job) noexcept;

/// Makes our launcher look at the job segment now; nothing happens without it. Async-signal-safe.
void notify_launcher(const Job& job) noexcept;

/// Ends the whole job: records rank, code and text (the first rank of a job that aborts wins), wakes the launcher,
/// which ends the other ranks, and leaves this process by _exit(code). Without a launcher of ours the process prints
/// the text itself and asks another launcher, if there is one, to end the job.
[[noreturn]] void abort(Job& job, int code, std::string_view what) noexcept;

}  // namespace starling::bootstrap
