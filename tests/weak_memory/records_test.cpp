// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a rank shows to readers who take no lock (observe/): a reader gets what was there at
// one moment, or nothing.
#include <vector>

#include "observe/call_count_seen.hpp"
#include "observe/last_calls.hpp"
#include "observe/show_call.hpp"
#include "observe/status_card.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak {
namespace {

void show(observe::StatusCard& card, std::int32_t number) {
  observe::ShownCall call;
  call.peer = call.tag = number;
  observe::show_call<observe::kTellsDestination | observe::kTellsTag>(card, static_cast<std::uint32_t>(number), call);
}

/// Those of the last calls that are about to be written over.
void last_calls(Execution& execution) {
  constexpr auto kFull = static_cast<std::int32_t>(observe::LastCalls::kMost);
  auto& card = execution.make<observe::StatusCard>();
  execution.name(&card.calls, "calls");
  for (std::int32_t i = 1; i <= kFull - 1; ++i) show(card, i);
  execution.thread("rank", [&card] {
    for (std::int32_t i = kFull; i <= kFull + 2; ++i) show(card, i);
  });
  execution.thread("reader", [&card] {
    for (const observe::LastCall& call : observe::last_calls(card.last, card.calls, card.call, 2)) {
      const auto number = static_cast<std::int32_t>(call.number);
      require(call.peer == number && call.tag == number && static_cast<std::int32_t>(call.call) == number,
              "the call is the one of its number");
    }
  });
}

TEST(Records, ShowTheLastCallsWhole) { expect_right(last_calls); }

/// The oldest of the calls that a reader can ask for.
void oldest_calls(Execution& execution) {
  constexpr auto kFull = static_cast<std::int32_t>(observe::LastCalls::kMost);
  auto& card = execution.make<observe::StatusCard>();
  execution.name(&card.calls, "calls");
  for (std::int32_t i = 1; i <= kFull; ++i) show(card, i);
  execution.thread("rank", [&card] {
    for (std::int32_t i = kFull + 1; i <= kFull + 3; ++i) show(card, i);
  });
  execution.thread("reader", [&card] {
    const std::vector<observe::LastCall> calls = observe::last_calls(card.last, card.calls, card.call, kFull);
    if (calls.empty()) return;
    const auto number = static_cast<std::int32_t>(calls.front().number);
    require(calls.front().peer == number && calls.front().tag == number, "the call is the one of its number");
  });
}

TEST(Records, ShowTheOldestCallsWholeOrNotAtAll) { expect_right(oldest_calls); }

void call_count(Execution& execution) {
  auto& seen = execution.make<observe::CallCountSeen>();
  execution.name(&seen.seen_ns, "seen_ns");
  execution.name(&seen.calls, "calls");
  seen.note(1, 10);
  execution.thread("launcher", [&seen] {
    seen.note(2, 20);
    seen.note(3, 30);
  });
  execution.thread("reader", [&seen] {
    for (std::uint64_t calls = 1; calls <= 3; ++calls) {
      const std::optional<std::int64_t> since = seen.unchanged_since_ns(calls);
      require(!since || *since == static_cast<std::int64_t>(10 * calls), "the time is the one of the number");
    }
  });
}

TEST(Records, JoinACountOfCallsWithItsTime) { expect_right(call_count); }

}  // namespace
}  // namespace starling::weak
