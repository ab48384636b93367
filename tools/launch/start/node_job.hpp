// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NodeJob: the part of a job that is on one node: its ranks, and what they get from the launcher there. Where the job
// is on one node, all of it. Thread safety: a value; descriptors belong to whoever made it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "launch/options/job_spec.hpp"
#include "memory/job_header.hpp"
#include "memory/placement.hpp"

namespace starling::launch {

class EventLogFile;

/// What the death of a rank means for the others.
enum class OnDeath : std::uint8_t { kEndJob, kGoOn };

struct NodeJob {
  memory::Placement::Node members;    ///< the world ranks on this node and their applications, by local rank
  std::string host;                   ///< as messages name it; empty: the whole job is here
  std::vector<std::string> programs;  ///< for each application of the job, the path to execute
  memory::JobGeometry geometry;       ///< of the node's segment
  /// That the ranks may use; 0: as many as this process. Fewer where several nodes of the job are on one machine.
  std::uint32_t usable_cores = 0;
  OnDeath on_death = OnDeath::kEndJob;
  std::int64_t grace_ms = 1000;  ///< between SIGTERM and SIGKILL
  WatchSettings watch;           ///< of a job that is all here
  int input = STDIN_FILENO;      ///< standard input of world rank 0
  bool answers = false;          ///< somebody at a terminal answers rank 0's questions
  bool to_terminal = false;      ///< what ranks print goes to a terminal in the end
  /// A lone rank gets our own descriptors, so that debuggers and editors work; others get pipes for their output.
  bool is_lone = false;
  /// Of a lone rank where there is a terminal, which only the foreground group may read; 0: each rank has a group of
  /// its own. A rank is no child of a member of this group, so its end may orphan the group; the system then sends
  /// SIGHUP to all of it if any member is stopped.
  pid_t lone_group = 0;
  int card = -1;                            ///< descriptor of the job card; -1: the whole job is on this node
  std::int32_t node = 0;                    ///< its number in the job
  EventLogFile* event_log = nullptr;        ///< where the events of its ranks go; null: they are not recorded
  std::vector<std::vector<int>> listeners;  ///< of each local rank; empty: nobody calls from other nodes

  [[nodiscard]] std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(members.ranks.size()); }
  [[nodiscard]] WorldRank world_rank(std::size_t local) const noexcept { return members.ranks[local]; }
  [[nodiscard]] bool goes_on() const noexcept { return on_death == OnDeath::kGoOn; }
};

/// The ranks of a job that is on one node.
[[nodiscard]] memory::Placement::Node all_ranks_of(const JobSpec& spec);

}  // namespace starling::launch
