// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/analysis/timeline.hpp"

#include <algorithm>
#include <utility>

#include "observe/awaited.hpp"

namespace starling::trace {
namespace {

using observe::AwaitedAs;
using observe::Event;
using observe::EventKind;

bool is_collective(const Event& event) { return (event.flags & Event::kCollective) != 0; }

/// Keeps everything of a call within it, and the waits apart.
void fit(Call* call) {
  std::int64_t from = call->begin_ns;
  for (WaitPart& each : call->waits) {
    each.begin_ns = std::clamp(each.begin_ns, from, call->end_ns);
    each.end_ns = std::clamp(each.end_ns, each.begin_ns, call->end_ns);
    from = each.end_ns;
  }
  for (MessageEnd& each : call->messages) each.at_ns = std::clamp(each.at_ns, call->begin_ns, call->end_ns);
}

}  // namespace

Timeline::Timeline(const TraceLog& log, LogClock& clock, NameOf name_of, SiteNamer name_site)
    : log_(log),
      name_of_(name_of),
      ahead_(log, clock),
      events_(log, clock),
      collectives_(log),
      sites_(log, std::move(name_site)),
      ranks_(log.ranks().size()) {
  more_ahead_ = ahead_.next(&next_ahead_);
}

void Timeline::tell(TimelineSink& sink) {
  constexpr std::uint64_t kBetweenLooks = 1 << 16;
  for (TimedEvent at; events_.next(&at); ++told_) {
    if (told_ % kBetweenLooks == 0 && sink.broken()) return;
    look_ahead(at.end_ns + kFarAhead);
    messages_.forget_before(at.end_ns - kFarAhead);
    tell(at, sink);
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) tell_end(static_cast<std::int32_t>(rank), sink);
  tell_hosts(sink);
}

void Timeline::look_ahead(std::int64_t until_ns) {
  while (more_ahead_ && (noted_ <= told_ || (next_ahead_.end_ns <= until_ns && noted_ < told_ + kMostAhead))) {
    note(next_ahead_);
    ++noted_;
    more_ahead_ = ahead_.next(&next_ahead_);
  }
}

void Timeline::note(const TimedEvent& at) {
  const Event& event = *at.event;
  // One without a number has an other end that cannot be found.
  const bool is_message = is_rank(event.peer) && event.sequence != 0;
  if (event.kind == EventKind::kSend && is_message) {
    const bool rendezvous = (event.flags & Event::kRendezvous) != 0;
    messages_.sent(channel_of(log_, at.rank, event.peer, event),
                   {event.sequence, at.begin_ns, Message::kNever, Message::kNever, ++flows_, rendezvous});
  } else if (event.kind == EventKind::kReceive && is_message) {
    messages_.received(channel_of(log_, event.peer, at.rank, event),
                       {event.sequence, 0, at.end_ns, log_.is_seen() ? at.begin_ns : at.end_ns});
  } else if (event.kind == EventKind::kCall && is_collective(event)) {
    const CollectiveShape shape = collective_shape(name_of_(event.call));
    collectives_.begin({at.rank, event.context_id, event.sequence, event.peer, shape, at.begin_ns});
  }
}

Timeline::Thread& Timeline::thread_of(const TimedEvent& at) {
  Rank& rank = ranks_[static_cast<std::size_t>(at.rank)];
  const std::size_t number = at.event->thread;
  if (number >= rank.threads.size()) rank.threads.resize(number + 1);
  if (!rank.seen) rank.totals.begin_ns = at.end_ns;
  rank.seen = true;
  rank.totals.end_ns = std::max(rank.totals.end_ns, at.end_ns);
  return rank.threads[number];
}

void Timeline::tell(const TimedEvent& at, TimelineSink& sink) {
  const Event& event = *at.event;
  if (event.kind == EventKind::kTraffic) {
    if (is_rank(event.peer))
      ranks_[static_cast<std::size_t>(at.rank)].totals.traffic.push_back({event.peer, event.sequence, event.bytes});
    return;
  }
  Thread& thread = thread_of(at);
  switch (event.kind) {
    case EventKind::kSend:
    case EventKind::kReceive:
      make_room(at, thread, sink);
      return event.kind == EventKind::kSend ? tell_send(at, thread) : tell_receive(at, thread);
    case EventKind::kWait: return tell_wait(at, thread);
    case EventKind::kCall:
    case EventKind::kOpenCall: return tell_call(at, thread, sink);
    default: return;
  }
}

void Timeline::make_room(const TimedEvent& at, Thread& thread, TimelineSink& sink) {
  constexpr std::size_t kMostOfCall = 1 << 12;
  if (thread.messages.size() < kMostOfCall) return;
  for (const MessageEnd& each : thread.messages) sink.message(at.rank, at.event->thread, each);
  thread.messages.clear();
  thread.arrivals.clear();
}

void Timeline::tell_send(const TimedEvent& at, Thread& thread) {
  const Event& event = *at.event;
  const Message* message = messages_.find(channel_of(log_, at.rank, event.peer, event), event.sequence);
  const bool both = message != nullptr && message->received_ns != Message::kNever;
  thread.messages.push_back(
      {at.begin_ns, event.bytes, both ? message->flow : 0, event.peer, event.tag, event.context_id, true});
}

void Timeline::tell_receive(const TimedEvent& at, Thread& thread) {
  const Event& event = *at.event;
  const Message* message = messages_.find(channel_of(log_, event.peer, at.rank, event), event.sequence);
  const bool came_before = (event.flags & Event::kUnexpected) != 0 && event.begin_ticks != 0;
  thread.messages.push_back(
      {at.end_ns, event.bytes, message == nullptr ? 0 : message->flow, event.peer, event.tag, event.context_id, false});
  thread.arrivals.push_back({event.peer, at.end_ns, message == nullptr ? Message::kNever : message->sent_ns,
                             came_before ? at.begin_ns : at.end_ns});
}

void Timeline::tell_wait(const TimedEvent& at, Thread& thread) {
  const Event& event = *at.event;
  const auto as = static_cast<AwaitedAs>(event.awaited_as);
  const auto kind = static_cast<observe::WaitKind>(event.wait_kind);
  Explanation why;
  if (kind == observe::WaitKind::kCollective || as == AwaitedAs::kCollective) {
    why = explain_collective(at, collectives_.find(at.rank, event.context_id, event.sequence));
  } else if (as == AwaitedAs::kReceive || as == AwaitedAs::kSend) {
    why = explain_receive(at, thread.arrivals);
    const Explanation send = explain_send(at, channel_of(log_, at.rank, event.peer, event), messages_);
    if (send.until_ns > why.until_ns) why = send;
  } else if (as == AwaitedAs::kProbe && is_rank(event.peer)) {
    why = {Cause::kLateSender, at.end_ns, event.peer, true};  // it ends when the message comes
  } else {
    why = {Cause::kOther, at.end_ns, kNoRank, false};
  }
  add_parts(at, why, &thread.waits);
}

void Timeline::introduce(std::uint32_t function, TimelineSink& sink) {
  if (function >= introduced_.size()) introduced_.resize(function + 1);
  if (introduced_[function]) return;
  introduced_[function] = true;
  sink.function(function, name_of_(function));
}

void Timeline::tell_call(const TimedEvent& at, Thread& thread, TimelineSink& sink) {
  const Event& event = *at.event;
  introduce(event.call, sink);
  call_.rank = at.rank;
  call_.thread = event.thread;
  call_.function = event.call;
  call_.site = sites_.number(at.rank, event.site, sink);
  call_.collective = event.kind == EventKind::kCall && is_collective(event);
  call_.open = event.kind == EventKind::kOpenCall;
  call_.begin_ns = std::max(event.begin_ticks == 0 ? thread.told_until_ns : at.begin_ns, thread.told_until_ns);
  call_.end_ns = std::max(at.end_ns, call_.begin_ns);
  call_.skipped = event.skipped;
  call_.context = event.context_id;
  call_.number = event.sequence;
  call_.root = event.peer;
  call_.bytes = event.bytes;
  const Collective* all = call_.collective ? collectives_.find(at.rank, event.context_id, event.sequence) : nullptr;
  call_.flow = all == nullptr ? 0 : all->flow;
  call_.waits.swap(thread.waits);
  call_.messages.clear();
  for (const MessageEnd& each : thread.messages) {
    if (each.at_ns >= call_.begin_ns)
      call_.messages.push_back(each);
    else
      sink.message(at.rank, event.thread, each);
  }
  fit(&call_);
  sink.call(call_);
  thread.told_until_ns = call_.end_ns;
  thread.waits.clear();
  thread.messages.clear();
  thread.arrivals.clear();
}

void Timeline::tell_hosts(TimelineSink& sink) {
  std::int64_t end_ns = 0;
  for (const Rank& rank : ranks_) end_ns = std::max(end_ns, rank.totals.end_ns);
  for (std::size_t host = 0; host < log_.nodes().size(); ++host) {
    const observe::MachineRecord& had = log_.nodes()[host].machine;
    if (had.cores == 0) continue;
    sink.totals(HostTotals{static_cast<std::int32_t>(host), end_ns, had.cores, had.quota_thousandths, had.periods,
                           had.throttled, had.swap_ins});
  }
}

void Timeline::tell_end(std::int32_t number, TimelineSink& sink) {
  Rank& rank = ranks_[static_cast<std::size_t>(number)];
  for (std::size_t thread = 0; thread < rank.threads.size(); ++thread)
    for (const MessageEnd& each : rank.threads[thread].messages)
      sink.message(number, static_cast<std::uint32_t>(thread), each);
  const LoggedRank& logged = log_.ranks()[static_cast<std::size_t>(number)];
  rank.totals.rank = number;
  rank.totals.lost = logged.lost;
  rank.totals.usage = {logged.usage.peak_bytes, logged.usage.user_ns + logged.usage.system_ns, logged.usage.taken_off,
                       logged.load.swapped_bytes, logged.load.running_thousandths};
  for (const observe::CallCount& each : logged.counts) {
    introduce(each.call, sink);
    rank.totals.calls.push_back({each.call, each.count});
  }
  sink.totals(rank.totals);
}

}  // namespace starling::trace
