// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watch/node_scan.hpp"

#include <algorithm>
#include <atomic>

#include "base/byte_stream.hpp"
#include "memory/layout.hpp"
#include "observe/card_sample.hpp"

namespace starling::launch {
namespace {

using memory::RankState;

constexpr auto kRelaxed = std::memory_order_relaxed;

class Scan {
 public:
  Scan(std::int64_t now_ns, std::int64_t late_ns) : now_ns_(now_ns), late_ns_(late_ns) {}

  void look_at(std::uint32_t rank, memory::RankBlock& block) {
    const RankState state = block.state.load(std::memory_order_acquire);
    const std::uint64_t calls = block.card.calls.load(kRelaxed);
    block.call_count_seen.note(calls, now_ns_);
    if (state == RankState::kFinalized || state == RankState::kDead) return;
    ++found_.there;
    const std::int64_t since_ns = state == RankState::kInitialized ? block.card.since_ns.load(kRelaxed) : 0;
    if (since_ns != 0) return add_wait(rank, block, calls, since_ns);
    if (block.card.tests_since_ns.load(kRelaxed) != 0) {
      const observe::CardSample sample = observe::sample(block.card, block.wait, block.doorbell.ticket);
      if (sample.tests()) return add_tests(rank, sample.tests_since_ns);
    }
    if (const auto unchanged = block.call_count_seen.unchanged_since_ns(calls)) add_away(rank, calls, *unchanged);
  }

  [[nodiscard]] NodeScan take() const { return found_; }

 private:
  static void mix(std::uint64_t& state, std::uint64_t rank, std::uint64_t a, std::uint64_t b) {
    // By words: a fingerprint, which goes by bytes, would take most of the time of a scan.
    for (const std::uint64_t word : {rank + 1, a, b}) {
      state = (state ^ word) * 0x9e3779b97f4a7c15;
      state ^= state >> 29;
    }
  }

  void add_wait(std::uint32_t rank, const memory::RankBlock& block, std::uint64_t calls, std::int64_t since_ns) {
    if (now_ns_ - since_ns < NodeScan::kYoungNs) return;
    ++found_.waiting;
    ++found_.idle;
    found_.waited_ns = std::max(found_.waited_ns, now_ns_ - since_ns);
    mix(found_.state, rank, calls + block.card.moves.load(kRelaxed), static_cast<std::uint64_t>(since_ns));
  }

  void add_tests(std::uint32_t rank, std::int64_t since_ns) {
    ++found_.idle;
    mix(found_.state, rank, 0, static_cast<std::uint64_t>(since_ns));
    add_away(rank, 0, since_ns);
  }

  void add_away(std::uint32_t rank, std::uint64_t calls, std::int64_t since_ns) {
    found_.away_ns = std::max(found_.away_ns, now_ns_ - since_ns);
    if (now_ns_ - since_ns >= late_ns_) mix(found_.away_state, rank, calls, static_cast<std::uint64_t>(since_ns));
  }

  std::int64_t now_ns_;
  std::int64_t late_ns_;
  NodeScan found_;
};

}  // namespace

bool NodeScan::is_like(const NodeScan& other) const noexcept {
  return there == other.there && waiting == other.waiting && idle == other.idle && state == other.state &&
         away_state == other.away_state;
}

NodeScan NodeScan::with(const NodeScan& other) const noexcept {
  NodeScan both = *this;
  both.there += other.there;
  both.waiting += other.waiting;
  both.idle += other.idle;
  both.state = memory::fingerprint({state, other.state});
  both.waited_ns = std::max(waited_ns, other.waited_ns);
  both.away_ns = std::max(away_ns, other.away_ns);
  if (other.away_state != 0) both.away_state = memory::fingerprint({away_state, other.away_state});
  return both;
}

NodeScan NodeScan::after(std::int64_t ns) const noexcept {
  NodeScan later = *this;
  if (waited_ns > 0) later.waited_ns += ns;
  if (away_ns > 0) later.away_ns += ns;
  return later;
}

std::string NodeScan::serialised() const {
  ByteWriter writer;
  writer.put(there).put(waiting).put(idle).put(state).put(waited_ns).put(away_ns).put(away_state);
  return writer.take();
}

Result<NodeScan> NodeScan::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  NodeScan scan;
  scan.there = reader.get<std::uint32_t>();
  scan.waiting = reader.get<std::uint32_t>();
  scan.idle = reader.get<std::uint32_t>();
  scan.state = reader.get<std::uint64_t>();
  scan.waited_ns = reader.get<std::int64_t>();
  scan.away_ns = reader.get<std::int64_t>();
  scan.away_state = reader.get<std::uint64_t>();
  if (reader.ok_and_at_end()) return scan;
  return Status::error(ErrorClass::kOther, "a damaged message between mpiexec and an agent");
}

NodeScan scan_node(const memory::JobSegment& segment, std::int64_t now_ns, std::int64_t late_ns) {
  Scan scan(now_ns, late_ns);
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) scan.look_at(rank, segment.rank(LocalRank(rank)));
  return scan.take();
}

}  // namespace starling::launch
