// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/own_card.hpp"

#include "base/clock.hpp"

namespace starling::progress {
namespace {

/// A row of tests that lasts longer is on the status card.
constexpr std::int64_t kLongRowNs = 10'000'000;

}  // namespace

void OwnCard::publish(const observe::Wait& wait) noexcept {
  block_.wait.publish(wait, card().moves.load(std::memory_order_relaxed), card().calls.load(std::memory_order_relaxed));
}

void OwnCard::describe_anew(const observe::Wait& wait, std::int64_t since_ns) noexcept {
  publish(wait);
  card().since_ns.store(since_ns, std::memory_order_release);
}

void OwnCard::begin_wait(const observe::Wait& wait, std::int64_t since_ns) {
  describe_anew(wait, since_ns);
  if (listeners_.tracer != nullptr) listeners_.tracer->begin_wait(wait);
  if (listeners_.listener == nullptr) return;
  observe::Occurrence what;
  what.kind = observe::OccurrenceKind::kWaitBegun;
  what.number = static_cast<std::uint64_t>(wait.kind());
  if (!wait.awaited().empty()) {
    const observe::Awaited& first = wait.awaited().front();
    what.rank = first.peer.is_none() ? -1 : first.peer.value;
    what.tag = first.as == observe::AwaitedAs::kCollective ? -1 : first.tag;
    what.context_id = first.context_id;
  }
  listeners_.listener->hear(what);
}

void OwnCard::end_wait(std::int64_t since_ns) {
  card().since_ns.store(0, std::memory_order_relaxed);
  if (listeners_.tracer != nullptr) listeners_.tracer->end_wait();
  if (listeners_.listener == nullptr) return;
  observe::Occurrence what;
  what.kind = observe::OccurrenceKind::kWaitEnded;
  what.number = static_cast<std::uint64_t>(now_ns() - since_ns);
  listeners_.listener->hear(what);
}

bool OwnCard::goes_on(Looks& looks, std::int64_t now_ns) noexcept {
  looks.note_calls(card().calls.load(std::memory_order_relaxed));
  if (now_ns - looks.vain_since_ns() < kLongRowNs) return false;
  block_.wait.calls.store(card().calls.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return card().tests_since_ns.load(std::memory_order_relaxed) != looks.vain_since_ns() ||
         block_.wait.kind.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(observe::WaitKind::kTestLoop);
}

void OwnCard::begin_row(const Looks& looks, const observe::Wait& wait) noexcept {
  publish(wait);
  card().tests_since_ns.store(looks.vain_since_ns(), std::memory_order_release);
}

}  // namespace starling::progress
