// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "recorder.hpp"

#include <utility>

#include "base/cycles.hpp"
#include "observe/tracer.hpp"
#include "observe/wait_event.hpp"
#include "relaxed.hpp"

namespace starling::see {
namespace {

using observe::Event;
using observe::EventKind;

/// About a microsecond: a shorter call has not waited, and of short messages that follow one upon the other within it
/// only the first is told.
constexpr std::uint64_t kShortTicks = 2048;

/// From 1; 0: this thread has not called yet.
constinit thread_local std::uint16_t thread_number [[gnu::tls_model("initial-exec")]] = 0;

Event event_of(EventKind kind, const RecordedCall& call) noexcept {
  Event event;
  event.kind = kind;
  event.call = call.function;
  event.begin_ticks = call.begin_ticks;
  event.end_ticks = call.end_ticks;
  event.context_id = Event::kNoContext;
  return event;
}

void tell(const Envelope& envelope, std::uint64_t bytes, Event* event) noexcept {
  event->peer = envelope.peer;
  event->tag = envelope.tag;
  event->context_id = envelope.context;
  event->bytes = bytes;
}

}  // namespace

Recorder::Recorder(const Seat& seat, bool is_threaded)
    : seat_(seat), ring_(seat.ring), mode_(seat.trace_mode), is_threaded_(is_threaded), modules_(ring_) {
  Event event;
  event.kind = EventKind::kMark;
  event.begin_ticks = event.end_ticks = cycles();
  ring_.put(event);
}

bool Recorder::has_waited(const RecordedCall& call) noexcept {
  return call.awaited && call.end_ticks - call.begin_ticks >= kShortTicks;
}

RecordedCall Recorder::begin(std::uint16_t function, std::uint64_t site) {
  const auto lock = guard();
  if (thread_number == 0) thread_number = static_cast<std::uint16_t>(threads_.fetch_add(1, kRelaxed) + 1);
  ring_.count_call(function);
  modules_.saw(site);
  RecordedCall call;
  call.function = function;
  call.site = site;
  call.told.context_id = Event::kNoContext;
  call.begin_ticks = cycles();
  ring_.head().open_begin_ticks.store(call.begin_ticks, kRelaxed);
  ring_.head().open_site.store(site, kRelaxed);
  ring_.head().open_call.store(function, kRelaxed);
  return call;
}

void Recorder::end(RecordedCall& call) {
  const auto lock = guard();
  if (call.end_ticks == 0) call.end_ticks = cycles();
  ring_.head().open_call.store(0, kRelaxed);
  const bool waited = has_waited(call);
  if (!records_all() && !call.is_told && !waited) {
    ++skipped_;
    return;
  }
  const auto thread = static_cast<std::uint16_t>(thread_number - 1);
  if (waited) put_wait(call, thread);
  Event event = call.told;
  event.kind = EventKind::kCall;
  event.call = call.function;
  event.begin_ticks = call.begin_ticks;
  event.end_ticks = call.end_ticks;
  event.site = call.site;
  event.thread = thread;
  event.skipped = std::exchange(skipped_, 0);
  ring_.put(event);
}

void Recorder::put_wait(const RecordedCall& call, std::uint16_t thread) {
  Event event = event_of(EventKind::kWait, call);
  event.thread = thread;
  observe::tell_awaited(call.wait_kind, &*call.awaited, &event);
  ring_.put(event);
}

void Recorder::sent(RecordedCall& call, const Envelope& to, std::uint64_t bytes) {
  const auto lock = guard();
  tell(to, bytes, &call.told);
  const bool is_short = bytes <= observe::Tracer::kLongBytes;
  if (!is_short) call.is_told = true;
  const std::uint64_t number = to.context != Event::kNoContext ? numbers_.sent(to) : 0;
  const bool follows = is_short && call.begin_ticks - std::exchange(last_short_send_, call.begin_ticks) < kShortTicks;
  if (follows && !records_all()) return;
  Event event = event_of(EventKind::kSend, call);
  event.end_ticks = call.begin_ticks;
  event.flags = Event::kRendezvous;
  event.thread = static_cast<std::uint16_t>(thread_number - 1);
  event.sequence = number;
  tell(to, bytes, &event);
  ring_.put(event);
}

BegunReceive Recorder::expects(const RecordedCall& call, BegunReceive receive) {
  const auto lock = guard();
  receive.place = numbers_.begin();
  receive.begin_ticks = call.begin_ticks;
  return receive;
}

void Recorder::received(RecordedCall& call, const BegunReceive& receive, const Envelope& from, std::uint64_t bytes) {
  const auto lock = guard();
  if (call.end_ticks == 0) call.end_ticks = cycles();
  tell(from, bytes, &call.told);
  const bool is_long = bytes > observe::Tracer::kLongBytes;
  if (is_long) call.is_told = true;
  std::uint64_t number = receive.number;
  if (!receive.is_matched && from.context != Event::kNoContext) number = numbers_.received(from, receive.place);
  if (!records_all() && !is_long && !has_waited(call)) return;
  Event event = event_of(EventKind::kReceive, call);
  event.begin_ticks = receive.begin_ticks;
  event.thread = static_cast<std::uint16_t>(thread_number - 1);
  event.sequence = number;
  tell(from, bytes, &event);
  ring_.put(event);
}

void Recorder::ends_without(const BegunReceive& receive) {
  const auto lock = guard();
  withdraw(receive);
}

void Recorder::ends_unseen(const BegunReceive& receive) {
  const auto lock = guard();
  if (!receive.is_matched && receive.wanted.is_whole()) (void)numbers_.received(receive.wanted, receive.place);
}

void Recorder::withdraw(const BegunReceive& receive) {
  if (!receive.is_matched && receive.wanted.is_whole()) numbers_.ends_without(receive.wanted, receive.place);
}

void Recorder::matched(std::uintptr_t message, BegunReceive receive, const Envelope& from) {
  const auto lock = guard();
  receive.is_matched = true;
  receive.number = from.context != Event::kNoContext ? numbers_.received(from, receive.place) : 0;
  receive.wanted = from;
  matched_[message] = receive;
}

std::optional<BegunReceive> Recorder::take_matched(std::uintptr_t message) {
  const auto lock = guard();
  const auto found = matched_.find(message);
  if (found == matched_.end()) return std::nullopt;
  const BegunReceive receive = found->second;
  matched_.erase(found);
  return receive;
}

void Recorder::keep(std::uintptr_t request, const BegunReceive& receive) {
  if (!receive.is_of_job) return;
  const auto lock = guard();
  const auto [place, is_new] = kept_.try_emplace(request, Kept{receive});
  if (!is_new) {
    // The one before has ended in a way that was not seen, as by an error; or another thread is about to hear of its
    // end.
    if (!place->second.is_watched) withdraw(place->second.receive);
    place->second = Kept{receive};
  }
  kept_count_.store(kept_.size(), kRelaxed);
  if (!receive.is_matched && receive.wanted.is_whole()) numbers_.goes_on(receive.wanted, receive.place);
}

std::optional<BegunReceive> Recorder::take(std::uintptr_t request) {
  const auto lock = guard();
  const auto found = kept_.find(request);
  if (found == kept_.end()) return std::nullopt;
  const BegunReceive receive = found->second.receive;
  kept_.erase(found);
  kept_count_.store(kept_.size(), kRelaxed);
  return receive;
}

Recorder::Kept* Recorder::find_kept(std::uintptr_t request, const BegunReceive& receive) {
  const auto found = kept_.find(request);
  return found != kept_.end() && found->second.receive.place == receive.place ? &found->second : nullptr;
}

std::optional<BegunReceive> Recorder::watch(std::uintptr_t request) {
  const auto lock = guard();
  const auto found = kept_.find(request);
  if (found == kept_.end()) return std::nullopt;
  found->second.is_watched = true;
  return found->second.receive;
}

void Recorder::take_watched(std::uintptr_t request, const BegunReceive& receive) {
  const auto lock = guard();
  if (find_kept(request, receive) == nullptr) return;
  kept_.erase(request);
  kept_count_.store(kept_.size(), kRelaxed);
}

void Recorder::unwatch(std::uintptr_t request, const BegunReceive& receive) {
  const auto lock = guard();
  if (Kept* const kept = find_kept(request, receive)) kept->is_watched = false;
}

void Recorder::forget(const Communicator* communicator) {
  const auto lock = guard();
  for (auto& [request, kept] : kept_) {
    if (kept.receive.communicator == communicator) kept.receive.communicator = nullptr;
  }
}

void Recorder::leave(std::uint16_t function) {
  const auto lock = guard();
  Event event;
  event.begin_ticks = event.end_ticks = cycles();
  event.kind = EventKind::kTraffic;
  // Of more ranks the last column has several.
  const std::uint32_t columns = seat_.traffic.columns();
  const std::uint32_t peers = columns < observe::TrafficTable::kMostColumns ? columns : columns - 1;
  for (std::uint32_t peer = 0; peer < peers; ++peer) {
    const auto rank = static_cast<std::int32_t>(peer);
    const observe::TrafficCount count = seat_.traffic.count(seat_.local, WorldRank(rank)).read();
    if (count.messages == 0) continue;
    event.peer = rank;
    event.sequence = count.messages;
    event.bytes = count.bytes;
    ring_.put(event);
  }
  Event mark;
  mark.kind = EventKind::kMark;
  mark.begin_ticks = mark.end_ticks = event.end_ticks;
  mark.call = function;
  ring_.put(mark);
}

}  // namespace starling::see
