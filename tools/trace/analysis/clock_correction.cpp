// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/analysis/clock_correction.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "trace/analysis/message_table.hpp"
#include "trace/log/event_merge.hpp"

namespace starling::trace {
namespace {

using observe::EventKind;

struct Trips {
  ShortestTrips shortest;
  std::uint64_t backward = 0;  ///< messages that arrive before they were sent
};

class TripMeter {
 public:
  explicit TripMeter(const TraceLog& log) : log_(log) {}

  void add(const TimedEvent& at) {
    const observe::Event& event = *at.event;
    const std::int32_t peer = event.peer;
    if (peer < 0 || static_cast<std::size_t>(peer) >= log_.ranks().size() || node(peer) == node(at.rank)) return;
    if (event.kind == EventKind::kSend) {
      const Message& both = messages_.sent(channel_of(log_, at.rank, peer, event), {event.sequence, at.begin_ns});
      if (both.received_ns != Message::kNever) add_trip(at.rank, peer, both);
    } else if (event.kind == EventKind::kReceive) {
      const Message* both =
          messages_.received(channel_of(log_, peer, at.rank, event), {event.sequence, 0, at.end_ns, at.end_ns});
      if (both != nullptr) add_trip(peer, at.rank, *both);
      messages_.forget_before(at.end_ns);
    }
  }
  [[nodiscard]] const Trips& trips() const { return trips_; }

 private:
  [[nodiscard]] std::int32_t node(std::int32_t rank) const {
    return log_.ranks()[static_cast<std::size_t>(rank)].facts.node;
  }
  void add_trip(std::int32_t from, std::int32_t to, const Message& message) {
    const std::int64_t took = message.received_ns - message.sent_ns;
    const auto [place, added] = trips_.shortest.try_emplace({node(from), node(to)}, took);
    if (!added) place->second = std::min(place->second, took);
    if (took < 0) ++trips_.backward;
  }

  const TraceLog& log_;
  MessageTable messages_;
  Trips trips_;
};

Trips measure(const TraceLog& log, LogClock* clock) {
  TripMeter meter(log);
  EventMerge events(log, *clock);
  for (TimedEvent event; events.next(&event);) meter.add(event);
  return meter.trips();
}

}  // namespace

std::vector<std::int64_t> host_shifts(std::int32_t hosts, const ShortestTrips& trips) {
  std::vector<std::int64_t> shifts(static_cast<std::size_t>(hosts), 0);
  for (std::int32_t round = 0; round < hosts; ++round) {
    bool moved = false;
    for (const auto& [way, took] : trips) {
      std::int64_t& from = shifts[static_cast<std::size_t>(way.first)];
      const std::int64_t most = shifts[static_cast<std::size_t>(way.second)] + took;
      if (from <= most) continue;
      from = most;
      moved = true;
    }
    if (!moved) break;
  }
  const std::int64_t first = shifts.front();
  for (std::int64_t& each : shifts) each -= first;
  return shifts;
}

std::vector<std::string> correct_clocks(const TraceLog& log, LogClock* clock) {
  const auto hosts = static_cast<std::int32_t>(log.nodes().size());
  if (hosts < 2) return {};
  const Trips before = measure(log, clock);
  if (before.backward == 0) return {};
  const std::vector<std::int64_t> shifts = host_shifts(hosts, before.shortest);
  for (std::int32_t host = 0; host < hosts; ++host) clock->shift(host, shifts[static_cast<std::size_t>(host)]);
  const std::uint64_t left = measure(log, clock).backward;
  std::vector<std::string> said;
  for (std::size_t host = 0; host < shifts.size(); ++host) {
    if (shifts[host] == 0) continue;
    said.push_back(
        formatted("the clock of {} was moved by {:.1f} us, for messages seemed to arrive before they were sent",
                  log.nodes()[host].name, static_cast<double>(shifts[host]) / 1e3));
  }
  if (left > 0)
    said.push_back(
        formatted("{} messages seem to arrive before they were sent: the clocks of the hosts do not run "
                  "evenly enough",
                  left));
  return said;
}

}  // namespace starling::trace
