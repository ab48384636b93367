// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watch/local_watch.hpp"

#include <utility>

#include "base/clock.hpp"
#include "launch/query/positions.hpp"

namespace starling::launch {

using observe::JobReader;

LocalWatch::LocalWatch(EventLoop& loop, const NodeView& node, const WatchSettings& settings, Tell say, Tell end)
    : loop_(loop),
      node_(node),
      reader_(*node.segment, node.worker),
      watch_(settings,
             {[this] { return reader_.glance(); },
              [this](std::int64_t patience_ns, Looked looked) { look(patience_ns, std::move(looked)); },
              [this](const std::vector<std::int32_t>& ranks, std::function<void(HangWatch::Positions)> found) {
                find_positions(ranks, std::move(found));
              },
              std::move(say), std::move(end)}) {}

void LocalWatch::take(const NodeScan& scan) { watch_.take(scan, now_ns()); }

void LocalWatch::look(std::int64_t patience_ns, Looked looked) {
  reader_.begin();
  look_again(now_ns() + patience_ns, std::move(looked));
}

void LocalWatch::look_again(std::int64_t deadline_ns, Looked looked) {
  loop_.after(JobReader::kBetweenLooksNs, [this, deadline_ns, looked = std::move(looked)] {
    const bool done = reader_.look_again() || now_ns() + JobReader::kBetweenLooksNs > deadline_ns;
    return done ? looked(reader_.snapshot()) : look_again(deadline_ns, looked);
  });
}

void LocalWatch::find_positions(const std::vector<std::int32_t>& ranks,
                                std::function<void(HangWatch::Positions)> found) {
  constexpr std::int64_t kPatienceNs = 2'000'000'000;
  respond(loop_, node_, positions_query(ranks, kPatienceNs), [ranks, found = std::move(found)](NodeReply reply) {
    Answers answers;
    answers.nodes.push_back({{}, ranks, std::move(reply)});
    HangWatch::Positions positions;
    for (const RankPosition& each : positions_of(answers)) {
      if (!each.position.empty()) positions[each.rank] = each.position;
    }
    found(positions);
  });
}

}  // namespace starling::launch
