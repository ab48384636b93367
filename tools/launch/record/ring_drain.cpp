// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/record/ring_drain.hpp"

#include <optional>

#include "base/clock.hpp"
#include "base/cycles.hpp"

namespace starling::launch {
namespace {

using observe::RecordKind;

/// A rank that sends without a pause fills its ring in some milliseconds more.
constexpr std::int64_t kPauseNs = 10'000'000;
constexpr std::int64_t kBetweenReadingsNs = 500'000'000;

}  // namespace

RingDrain::RingDrain(EventLoop& loop, memory::JobSegment& segment, std::int32_t node, EventLogFile& log)
    : loop_(loop),
      segment_(segment),
      node_(node),
      log_(log),
      machine_(segment),
      lost_(segment.ranks(), 0),
      module_bytes_(segment.ranks(), 0) {
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank)
    readers_.emplace_back(segment.event_ring(LocalRank(rank)));
}

void RingDrain::start() {
  read_clock();
  drain();
}

void RingDrain::drain() {
  if (finished_) return;
  for (std::uint32_t rank = 0; rank < segment_.ranks(); ++rank) drain_rank(rank);
  if (now_ns() - clock_read_ns_ >= kBetweenReadingsNs) read_clock();
  look_at_communicators();
  machine_.look();
  loop_.after(kPauseNs, [this] { drain(); });
}

void RingDrain::drain_rank(std::uint32_t rank) {
  constexpr std::size_t kMost = 16 * 1024;
  // As much as the ring holds. A rank may write faster than it is read here, and the loop has others to serve.
  std::uint64_t rounds = segment_.event_ring(LocalRank(rank)).capacity() / kMost + 1;
  do {
    events_.clear();
    lost_[rank] += readers_[rank].read(&events_, kMost);
    log_.put_events(world_rank(rank), events_);
  } while (events_.size() == kMost && --rounds > 0);
  tell_modules(rank);
}

void RingDrain::tell_modules(std::uint32_t rank) {
  const std::span<const std::byte> modules = segment_.event_ring(LocalRank(rank)).modules();
  if (modules.size() > module_bytes_[rank])
    log_.put(RecordKind::kModules, world_rank(rank), modules.subspan(module_bytes_[rank]));
  module_bytes_[rank] = modules.size();
}

void RingDrain::read_clock() {
  observe::ClockReading reading;
  // The counter is read before and after, so that a pause between the two readings does not count.
  std::uint64_t least = ~std::uint64_t{0};
  for (int tries = 0; tries < 3; ++tries) {
    const std::uint64_t before = cycles();
    const std::int64_t ns = now_ns();
    const std::uint64_t after = cycles();
    if (after - before >= least) continue;
    least = after - before;
    reading = {before + (after - before) / 2, ns};
  }
  clock_read_ns_ = reading.ns;
  log_.put_value(RecordKind::kClock, node_, reading);
}

void RingDrain::look_at_communicators() {
  const observe::CommunicatorDirectory directory = segment_.directory();
  if (directory.empty()) return;
  for (std::uint32_t place = 0; place < observe::CommunicatorDirectory::kPlaces; ++place) {
    const std::optional<observe::CommunicatorEntry> entry = directory.at(place);
    if (!entry || (entry->flags & observe::DirectoryPlace::kInternal) != 0) continue;
    std::vector<std::uint32_t> members;
    for (std::uint32_t rank = 0; rank < entry->members.size() * 64; ++rank) {
      if (entry->has(WorldRank(static_cast<std::int32_t>(rank)))) members.push_back(rank);
    }
    if (members.empty()) continue;
    const std::pair<std::uint32_t, std::int32_t> key{entry->context_id, static_cast<std::int32_t>(members.front())};
    const auto [known, is_new] = named_.try_emplace(key, entry->name);
    if (!is_new && known->second == entry->name) continue;
    known->second = entry->name;
    observe::CommunicatorRecord record;
    record.context_id = entry->context_id;
    record.flags = entry->flags;
    record.name_bytes = static_cast<std::uint32_t>((entry->name.size() + 3) / 4 * 4);
    record.members = static_cast<std::uint32_t>(members.size());
    std::string body(reinterpret_cast<const char*>(&record), sizeof record);
    body += entry->name;
    body.resize(sizeof record + record.name_bytes);
    body.append(reinterpret_cast<const char*>(members.data()), members.size() * sizeof(std::uint32_t));
    log_.put(RecordKind::kCommunicator, node_, std::as_bytes(std::span(body)));
  }
}

/// Of a rank that has died in a call.
void RingDrain::tell_open_call(std::uint32_t rank) {
  const observe::EventRing ring = segment_.event_ring(LocalRank(rank));
  const observe::EventRingHead& head = ring.head();
  observe::Event event;
  event.kind = observe::EventKind::kOpenCall;
  event.call = static_cast<std::uint16_t>(head.open_call.load(std::memory_order_relaxed));
  event.site = head.open_site.load(std::memory_order_relaxed);
  event.begin_ticks = head.open_begin_ticks.load(std::memory_order_relaxed);
  event.end_ticks = cycles();
  if (event.call != 0 && event.begin_ticks != 0) log_.put_events(world_rank(rank), {&event, 1});
}

void RingDrain::tell_counts(std::uint32_t rank) {
  const observe::EventRing ring = segment_.event_ring(LocalRank(rank));
  std::vector<observe::CallCount> counts;
  for (std::uint32_t call = 0; call < observe::EventRing::kFunctions; ++call) {
    const std::uint64_t count = ring.count(call).load(std::memory_order_relaxed);
    if (count != 0) counts.push_back({call, 0, count});
  }
  if (!counts.empty()) log_.put(RecordKind::kCounts, world_rank(rank), std::as_bytes(std::span(counts)));
}

void RingDrain::tell_usage(std::uint32_t rank, const rusage& usage) {
  constexpr std::uint64_t kKibibyte = 1024;
  const auto ns = [](const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
  };
  tell_usage(rank, observe::UsageRecord{static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte, ns(usage.ru_utime),
                                        ns(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_nivcsw)});
}

void RingDrain::finish() {
  if (finished_) return;
  finished_ = true;
  look_at_communicators();
  for (std::uint32_t rank = 0; rank < segment_.ranks(); ++rank) {
    if (world_rank(rank) < 0) continue;  // of another host, where nobody tells of it
    drain_rank(rank);
    tell_open_call(rank);
    tell_counts(rank);
    if (lost_[rank] != 0) log_.put_value(RecordKind::kLost, world_rank(rank), lost_[rank]);
    const std::int32_t process = segment_.rank(LocalRank(rank)).pid.load(std::memory_order_relaxed);
    log_.put_value(RecordKind::kRank, world_rank(rank), observe::RankRecord{node_, process});
  }
  machine_.tell(node_, log_);
  read_clock();
  if (log_.left_out() != 0) log_.put_value(RecordKind::kLeftOut, node_, log_.left_out());
}

}  // namespace starling::launch
