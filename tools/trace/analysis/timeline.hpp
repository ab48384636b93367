// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Timeline: makes the calls of all ranks, with the causes of their waits, of a log. The events are gone through in the
// order of time by two readers: the first is some way ahead and notes which messages and collectives there are; the
// second makes the calls, and asks the first about the other ranks.
// Thread safety: none. Memory: what lies between the two readers, at most kMostAhead events, and the tables' bounds.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/analysis/call_sites.hpp"
#include "trace/analysis/collective_table.hpp"
#include "trace/analysis/message_table.hpp"
#include "trace/analysis/wait_causes.hpp"
#include "trace/log/event_merge.hpp"
#include "trace/model/call.hpp"
#include "trace/model/timeline_sink.hpp"

namespace starling::trace {

class Timeline {
 public:
  static constexpr std::uint64_t kMostAhead = 1 << 18;      ///< events
  static constexpr std::int64_t kFarAhead = 1'000'000'000;  ///< ns

  using NameOf = std::string_view (*)(std::uint32_t function);
  Timeline(const TraceLog& log, LogClock& clock, NameOf name_of, SiteNamer name_site);

  /// All of it: the calls, then the totals of each rank.
  void tell(TimelineSink& sink);

 private:
  /// What a thread has told of the call that it is in.
  struct Thread {
    std::vector<WaitPart> waits;
    std::vector<MessageEnd> messages;
    std::vector<Arrival> arrivals;
    std::int64_t told_until_ns = 0;
  };
  struct Rank {
    std::vector<Thread> threads;
    bool seen = false;
    RankTotals totals;
  };

  void look_ahead(std::int64_t until_ns);
  void note(const TimedEvent& at);
  void tell(const TimedEvent& at, TimelineSink& sink);
  /// Messages of calls that are not told at all must not pile up.
  void make_room(const TimedEvent& at, Thread& thread, TimelineSink& sink);
  void tell_send(const TimedEvent& at, Thread& thread);
  void tell_receive(const TimedEvent& at, Thread& thread);
  void tell_wait(const TimedEvent& at, Thread& thread);
  void tell_call(const TimedEvent& at, Thread& thread, TimelineSink& sink);
  void tell_end(std::int32_t number, TimelineSink& sink);
  void tell_hosts(TimelineSink& sink);
  void introduce(std::uint32_t function, TimelineSink& sink);
  [[nodiscard]] Thread& thread_of(const TimedEvent& at);
  [[nodiscard]] bool is_rank(std::int32_t number) const {
    return number >= 0 && static_cast<std::size_t>(number) < ranks_.size();
  }

  const TraceLog& log_;
  NameOf name_of_;
  EventMerge ahead_;
  EventMerge events_;
  TimedEvent next_ahead_;
  bool more_ahead_ = false;
  std::uint64_t noted_ = 0;
  std::uint64_t told_ = 0;
  std::uint64_t flows_ = 0;
  MessageTable messages_;
  CollectiveTable collectives_;
  CallSites sites_;
  std::vector<Rank> ranks_;
  std::vector<bool> introduced_;
  Call call_;  ///< its memory is used again
};

}  // namespace starling::trace
