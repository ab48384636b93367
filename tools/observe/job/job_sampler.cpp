// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/job_sampler.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "observe/job/process_reader.hpp"

namespace starling::observe {

JobSampler::JobSampler(const memory::JobSegment& segment, std::size_t window)
    : segment_(segment), window_(std::max<std::size_t>(window, 1)), watched_(segment.ranks()) {
  for (std::uint32_t i = 0; i < segment.ranks(); ++i) {
    watched_[i].rank = segment.rank(LocalRank(i)).home_rank.value;
    watched_[i].looks.emplace_back();
  }
}

void JobSampler::look() {
  const std::int64_t now = now_ns();
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    const memory::RankBlock& block = segment_.rank(LocalRank(i));
    if (block.state.load(std::memory_order_relaxed) != memory::RankState::kInitialized) continue;
    const std::uint64_t calls = block.card.calls.load(std::memory_order_relaxed);
    const std::uint32_t call = block.card.call.load(std::memory_order_relaxed);
    Watched& rank = watched_[i];
    if (rank.since_ns == 0 || calls != rank.calls || call != rank.call) {
      rank.has_changed = rank.since_ns != 0;
      rank.since_ns = now;
      rank.calls = calls;
      rank.call = call;
    }
    ++rank.looks.back().all;
    if (call != 0) ++rank.looks.back().inside;
  }
}

std::int64_t JobSampler::pause_ns() noexcept {
  constexpr std::uint32_t kLeastUs = 10'000;
  constexpr std::uint32_t kSpreadUs = 20'000;
  random_ = random_ * 1664525 + 1013904223;  // the generator of "Numerical Recipes"
  return std::int64_t{kLeastUs + (random_ >> 8) % kSpreadUs} * 1000;
}

void JobSampler::read() {
  for (std::uint32_t i = 0; i < segment_.ranks(); ++i) {
    Watched& rank = watched_[i];
    rank.before = std::exchange(rank.last, reading_of(LocalRank(i)));
    rank.looks.emplace_back();
    if (rank.looks.size() > window_ + 1) rank.looks.pop_front();
  }
  ++readings_;
}

std::vector<RankFigures> JobSampler::figures() const {
  const memory::JobGeometry& geometry = segment_.header().geometry;
  std::vector<RankFigures> figures(std::max(geometry.world_ranks, geometry.ranks));
  for (const Watched& rank : watched_) {
    const auto index = static_cast<std::size_t>(rank.rank);
    if (rank.rank < 0 || index >= figures.size() || readings_ < 2) continue;
    CallLooks sum;
    for (const CallLooks& looks : rank.looks) sum.all += looks.all, sum.inside += looks.inside;
    figures[index] = figures_between(rank.before, rank.last, sum);
  }
  return figures;
}

std::vector<std::optional<Since>> JobSampler::since() const {
  const memory::JobGeometry& geometry = segment_.header().geometry;
  std::vector<std::optional<Since>> since(std::max(geometry.world_ranks, geometry.ranks));
  const std::int64_t now = now_ns();
  for (const Watched& rank : watched_) {
    const auto index = static_cast<std::size_t>(rank.rank);
    if (rank.rank < 0 || index >= since.size() || rank.since_ns == 0) continue;
    since[index] = Since{now - rank.since_ns, !rank.has_changed};
  }
  return since;
}

RankReading JobSampler::reading_of(LocalRank rank) const {
  const memory::RankBlock& block = segment_.rank(rank);
  const TrafficTable traffic = segment_.traffic();
  RankReading reading;
  reading.at_ns = now_ns();
  reading.calls = block.card.calls.load(std::memory_order_relaxed);
  for (std::uint32_t to = 0; to < traffic.columns(); ++to) {
    const TrafficCount sent = traffic.count(rank, WorldRank(to)).read();
    reading.messages += sent.messages;
    reading.bytes += sent.bytes;
  }
  const pid_t process = block.pid.load(std::memory_order_relaxed);
  const memory::RankState state = block.state.load(std::memory_order_relaxed);
  if (process > 0 && state != memory::RankState::kDead) reading.process = read_process(process);
  return reading;
}

}  // namespace starling::observe
