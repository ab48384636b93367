// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "see/seen_job.hpp"

#include <unistd.h>

#include <utility>

#include "base/format.hpp"
#include "base/usable_cores.hpp"
#include "launch/start/job_settings.hpp"
#include "memory/segment_offsets.hpp"
#include "observe/job/other_mpi.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::see {
namespace {

using memory::RankState;

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

Result<std::unique_ptr<SeenJob>> SeenJob::create(const observe::JoinRequest& first, observe::TraceMode trace) {
  memory::JobGeometry geometry;
  geometry.ranks = static_cast<std::uint32_t>(first.ranks);
  geometry.world_ranks = geometry.ranks;
  if (trace != observe::TraceMode::kOff) geometry.trace_events = launch::trace_events_for(geometry.ranks);
  Result<std::unique_ptr<memory::JobSegment>> made = memory::JobSegment::create(geometry);
  if (!made.ok()) return std::move(made).status();
  memory::JobHeader& header = made.value()->header();
  header.launcher_pid = getpid();
  header.trace_mode = trace;
  header.usable_cores = usable_cores();
  header.library_layout.store(observe::kOtherMpiLayout, kRelaxed);
  // Ranks of other hosts never come here, so nothing is said of a place until its rank has come.
  const bool all_here = first.ranks_here == 0 || first.ranks_here == first.ranks;
  for (std::uint32_t rank = 0; !all_here && rank < geometry.ranks; ++rank)
    made.value()->rank(LocalRank(rank)).home_rank = WorldRank();
  return std::unique_ptr<SeenJob>(new SeenJob(std::move(made).value()));
}

bool SeenJob::admit(const observe::JoinRequest& request, pid_t process, observe::JoinAnswer* answer) {
  const memory::JobGeometry& geometry = segment_->header().geometry;
  if (static_cast<std::uint32_t>(request.ranks) != geometry.ranks || request.rank < 0 || request.rank >= request.ranks)
    return false;
  memory::RankBlock& mine = block(request.rank);
  if (mine.state.load(kRelaxed) != RankState::kStarting) return false;
  const memory::SegmentOffsets at(geometry);
  const auto rank = static_cast<std::uint64_t>(request.rank);
  const std::uint64_t own_block = at.rank_blocks + rank * sizeof(memory::RankBlock);
  answer->bytes = at.end;
  answer->card = own_block + offsetof(memory::RankBlock, card);
  answer->wait = own_block + offsetof(memory::RankBlock, wait);
  answer->directory = at.directory;
  answer->traffic = at.traffic;
  answer->event_ring = at.event_rings + rank * observe::EventRing::bytes(geometry.trace_events);
  answer->local_rank = static_cast<std::uint32_t>(request.rank);
  answer->ranks = geometry.ranks;
  answer->world_ranks = geometry.world_ranks;
  answer->trace_events = geometry.trace_events;
  answer->trace_mode = segment_->header().trace_mode;
  mine.home_rank = WorldRank(request.rank);
  mine.pid.store(observe::own_number(formatted("/proc/{}", process)), kRelaxed);
  mine.state.store(RankState::kInitialized, std::memory_order_release);
  return true;
}

void SeenJob::left(std::int32_t rank) { block(rank).state.store(RankState::kFinalized, std::memory_order_release); }

bool SeenJob::ended(std::int32_t rank) {
  if (block(rank).state.load(kRelaxed) != RankState::kInitialized) return false;
  memory::publish_death(*segment_, LocalRank(rank));
  return true;
}

bool SeenJob::is_over() const {
  for (std::uint32_t rank = 0; rank < segment_->ranks(); ++rank) {
    const RankState state = segment_->rank(LocalRank(rank)).state.load(kRelaxed);
    if (state == RankState::kInitialized) return false;
  }
  return true;
}

void SeenJob::look(std::int64_t now_ns) {
  for (std::uint32_t rank = 0; rank < segment_->ranks(); ++rank)
    look_at(segment_->rank(LocalRank(rank)), looks_[rank], now_ns);
}

void SeenJob::look_at(memory::RankBlock& block, LastLook& last, std::int64_t now_ns) {
  if (block.state.load(kRelaxed) != RankState::kInitialized) return;
  observe::StatusCard& card = block.card;
  const auto waits_in = [&](std::uint64_t calls) {
    return card.calls.load(kRelaxed) == calls && card.call.load(kRelaxed) != 0 &&
           block.wait.calls.load(kRelaxed) == calls && card.tests_since_ns.load(kRelaxed) == 0;
  };
  const std::uint64_t calls = card.calls.load(kRelaxed);
  if (!waits_in(calls)) {
    last.since_ns = 0;
    if (card.since_ns.load(kRelaxed) != 0) card.since_ns.store(0, kRelaxed);
  } else if (last.since_ns == 0 || last.calls != calls) {
    last = {calls, now_ns};
    if (card.since_ns.load(kRelaxed) != 0) card.since_ns.store(0, kRelaxed);
  } else if (card.since_ns.load(kRelaxed) == 0) {
    card.since_ns.store(last.since_ns, std::memory_order_seq_cst);
    if (!waits_in(calls)) card.since_ns.store(0, kRelaxed);
  }
}

}  // namespace starling::see
