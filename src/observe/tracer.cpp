// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/tracer.hpp"

#include <algorithm>
#include <utility>

#include "base/cycles.hpp"
#include "observe/wait_event.hpp"

namespace starling::observe {
namespace {

/// Of short messages that are sent one upon the other only some are told: those that come so much later than the last.
/// About a microsecond; a receiver that has waited longer finds its sender.
constexpr std::uint64_t kBetweenShortSends = 2048;

}  // namespace

Tracer::Tracer(EventRing ring, TraceMode mode, const StatusCard& card, std::uint32_t world_ranks)
    : ring_(ring), modules_(ring), mode_(mode), card_(card), timed_(EventRing::kFunctions), counts_(world_ranks) {
  calls_.resize(1);
  calls_.front().thread = std::this_thread::get_id();
  Event event;
  event.kind = EventKind::kMark;
  event.begin_ticks = event.end_ticks = cycles();
  ring_.put(event);
}

void Tracer::time_always(std::uint16_t function) {
  if (function < timed_.size()) timed_[function] = true;
}

Tracer::CallInProgress& Tracer::mine() {
  if ((card_.flags.load(std::memory_order_relaxed) & StatusCard::kThreads) == 0) return calls_.front();
  const std::thread::id self = std::this_thread::get_id();
  for (CallInProgress& call : calls_) {
    if (call.thread == self) return call;
  }
  CallInProgress& made = calls_.emplace_back();
  made.thread = self;
  made.number = static_cast<std::uint16_t>(calls_.size() - 1);
  return made;
}

void Tracer::begin_call(std::uint16_t function, std::uint64_t site) {
  CallInProgress& call = mine();
  if (call.depth++ != 0) return;
  ring_.count_call(function);
  call.function = function;
  call.site = site;
  modules_.saw(site);
  call.collectives = card_.collective.begun.load(std::memory_order_relaxed);
  call.begin_ticks = all() || timed_[function] ? cycles() : 0;
  call.begun_late = false;
  call.has_waited = false;
  call.message = {};
  ring_.head().open_begin_ticks.store(call.begin_ticks, std::memory_order_relaxed);
  ring_.head().open_site.store(site, std::memory_order_relaxed);
  ring_.head().open_call.store(function, std::memory_order_relaxed);
}

void Tracer::end_call() {
  CallInProgress& call = mine();
  if (--call.depth != 0) return;
  ring_.head().open_call.store(0, std::memory_order_relaxed);
  if (call.begin_ticks == 0) {
    ++skipped_;
    return;
  }
  Event event;
  event.kind = EventKind::kCall;
  event.begin_ticks = call.begin_ticks;
  event.end_ticks = cycles();
  event.call = call.function;
  event.flags = call.begun_late ? Event::kBegunLate : 0;
  event.thread = call.number;
  event.site = call.site;
  event.skipped = std::exchange(skipped_, 0);
  if (card_.collective.begun.load(std::memory_order_relaxed) != call.collectives) {
    tell_collective(&event);
  } else {
    event.peer = call.message.peer.value;
    event.tag = call.message.tag;
    event.context_id = call.message.context_id;
    event.bytes = call.message.bytes;
  }
  ring_.put(event);
}

void Tracer::tell_collective(Event* event) const {
  const CollectiveCard::Entry& collective =
      card_.collective.entry(card_.collective.begun.load(std::memory_order_relaxed));
  event->flags |= Event::kCollective;
  event->context_id = collective.context_id.load(std::memory_order_relaxed);
  event->sequence = collective.sequence.load(std::memory_order_relaxed);
  event->peer = collective.root.load(std::memory_order_relaxed);
  event->bytes = collective.bytes.load(std::memory_order_relaxed);
}

void Tracer::begin_late(CallInProgress& call, std::uint64_t ticks) {
  if (call.begin_ticks != 0 || call.depth == 0) return;
  call.begin_ticks = ticks;
  call.begun_late = true;
  ring_.head().open_begin_ticks.store(ticks, std::memory_order_relaxed);
}

void Tracer::begin_wait(const Wait& wait) {
  CallInProgress& call = mine();
  if (call.depth == 0 || call.wait_begin_ticks != 0) return;
  call.wait = wait;
  call.wait_begin_ticks = cycles();
  begin_late(call, call.wait_begin_ticks);
}

void Tracer::end_wait() {
  CallInProgress& call = mine();
  if (call.wait_begin_ticks == 0) return;
  Event event;
  event.kind = EventKind::kWait;
  event.begin_ticks = std::exchange(call.wait_begin_ticks, 0);
  event.end_ticks = cycles();
  event.call = call.function;
  event.thread = call.number;
  call.has_waited = true;
  tell_awaited(call.wait.kind(), call.wait.awaited().empty() ? nullptr : &call.wait.awaited().front(), &event);
  ring_.put(event);
}

void Tracer::sent(const TracedMessage& message) {
  PeerCounts* counts = counts_of(message.peer);
  if (counts == nullptr) return;
  const std::uint64_t number = ++counts->sent;
  counts->sent_bytes += message.bytes;
  if (!all() && (message.flags & Event::kCollective) != 0) return;
  CallInProgress& call = mine();
  const std::uint64_t known = time_of_first(call, message);
  const std::uint64_t now = known != 0 ? known : cycles();
  call.message = message;
  if (message.bytes > kLongBytes) begin_late(call, now);
  const bool is_short = message.bytes <= kLongBytes && (message.flags & Event::kRendezvous) == 0;
  if (!all() && is_short && now - std::exchange(last_short_send_, now) < kBetweenShortSends) return;
  Event event = event_of(EventKind::kSend, call, message, number);
  event.begin_ticks = event.end_ticks = now;
  ring_.put(event);
}

std::uint64_t Tracer::time_of_first(const CallInProgress& call, const TracedMessage& message) noexcept {
  const bool is_first = call.depth == 1 && call.message.peer.is_none() && (message.flags & Event::kCollective) == 0;
  return is_first && !call.begun_late && !call.has_waited && call.wait_begin_ticks == 0 ? call.begin_ticks : 0;
}

Event Tracer::event_of(EventKind kind, const CallInProgress& call, const TracedMessage& message,
                       std::uint64_t number) noexcept {
  Event event;
  event.kind = kind;
  event.call = call.function;
  event.flags = message.flags;
  event.thread = call.number;
  event.peer = message.peer.value;
  event.tag = message.tag;
  event.context_id = message.context_id;
  event.bytes = message.bytes;
  event.sequence = number;
  return event;
}

std::uint64_t Tracer::arrived(PeerId peer) {
  PeerCounts* counts = counts_of(peer);
  return counts != nullptr ? ++counts->arrived : 0;
}

std::uint64_t Tracer::time_of_arrival(std::uint64_t bytes) const { return all() || bytes > kLongBytes ? cycles() : 0; }

void Tracer::received(const TracedMessage& message, std::uint64_t number, std::uint64_t arrived_ticks) {
  if (number == 0 || (!all() && (message.flags & Event::kCollective) != 0)) return;
  CallInProgress& call = mine();
  const std::uint64_t known = time_of_first(call, message);
  call.message = message;
  const bool is_told = all() || message.bytes > kLongBytes || call.wait_begin_ticks != 0 || call.has_waited;
  if (!is_told) return;
  Event event = event_of(EventKind::kReceive, call, message, number);
  const bool was_there = (message.flags & Event::kUnexpected) != 0;
  event.end_ticks = was_there && known != 0 ? std::max(known, arrived_ticks) : cycles();
  event.begin_ticks = was_there ? arrived_ticks : event.end_ticks;
  if (message.bytes > kLongBytes) begin_late(call, event.end_ticks);
  ring_.put(event);
}

void Tracer::tell_end() {
  const std::uint64_t now = cycles();
  for (std::size_t peer = 0; peer < counts_.size(); ++peer) {
    if (counts_[peer].sent == 0) continue;
    Event event;
    event.kind = EventKind::kTraffic;
    event.begin_ticks = event.end_ticks = now;
    event.peer = static_cast<std::int32_t>(peer);
    event.sequence = counts_[peer].sent;
    event.bytes = counts_[peer].sent_bytes;
    ring_.put(event);
  }
  Event event;
  event.kind = EventKind::kMark;
  event.begin_ticks = event.end_ticks = now;
  event.call = calls_.front().function;
  ring_.put(event);
}

}  // namespace starling::observe
