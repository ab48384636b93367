// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How processes that another launcher has started become one job: each leaves a card with the launcher's exchange, the
// lowest rank of each node makes the node's job segment, and the others open it. With several nodes it also composes
// the job card from the cards of all.
// Thread safety: a process joins once, from one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/id.hpp"
#include "base/status.hpp"
#include "bootstrap/death_watch.hpp"
#include "bootstrap/nodes/entrances.hpp"
#include "bootstrap/nodes/job_card_view.hpp"
#include "bootstrap/pmi/exchange.hpp"
#include "memory/job_segment.hpp"
#include "memory/placement.hpp"

namespace starling::bootstrap {

/// What a process has once it has joined. All ranks of its node have written their process ids into the segment.
struct ForeignJob {
  std::unique_ptr<memory::JobSegment> segment;  ///< of its node
  LocalRank local_rank{0};
  std::optional<JobCardView> card;      ///< none: all ranks are on one node
  std::vector<std::int32_t> listeners;  ///< descriptors, one at each entrance that the card has for this rank
  std::optional<std::string> tuning;    ///< with several nodes: the constants that rank 0 goes by, as text
  Descriptor card_file;  ///< of a node's leader, to be kept: the node's other ranks may not have read it yet
};

/// geometry: of the node's segment, but for the numbers of ranks. tuning: the constants that this process would go by.
/// Called by all processes of the exchange.
Result<ForeignJob> join_by_exchange(Exchange& exchange, const memory::JobGeometry& geometry,
                                    const NetworkHooks& network, const std::string& tuning);

/// Says why this process cannot join, and ends the job: the others would wait for it.
[[noreturn]] void fail_to_join(Exchange& exchange, const Status& why) noexcept;

/// Whether no other rank of the node has ended the job before. Only the first says why: what others see is its effect.
[[nodiscard]] bool is_first_to_end(memory::JobSegment& segment, LocalRank own) noexcept;

/// Leaves this process, after the time that the first needs to be heard and the launcher to end all.
[[noreturn]] void leave_to_the_first(int code) noexcept;

/// Asks the launcher to end the job, after a moment in which it can pass on what this process has printed.
void end_foreign_job(Exchange& exchange, int code, std::string_view why) noexcept;

/// Ends the job when another rank of the node dies. Null where the launcher does so. All arguments outlive the watch.
std::unique_ptr<DeathWatch> watch_deaths(Exchange& exchange, memory::JobSegment& segment,
                                         std::shared_ptr<const memory::Placement> placement, WorldRank own);

}  // namespace starling::bootstrap
