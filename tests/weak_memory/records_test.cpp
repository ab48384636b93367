// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a rank shows to readers who take no lock (observe/, rma/shared/attachments.hpp): a reader gets what was there at
// one moment, or nothing.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "observe/call_count_seen.hpp"
#include "observe/event_ring.hpp"
#include "observe/last_calls.hpp"
#include "observe/show_call.hpp"
#include "observe/status_card.hpp"
#include "observe/wait_record.hpp"
#include "rma/shared/attachments.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::records_test {
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

/// A ring of two events in memory of its own. Of the eight words of an event the first and the last make steps.
class SmallRing {
 public:
  static constexpr std::uint32_t kEvents = 2;

  explicit SmallRing(Execution& execution) : ring_(execution.make<Memory>().bytes, kEvents) {
    execution.name(&ring_.head().written, "written");
    const auto* words = reinterpret_cast<const std::atomic<std::uint64_t>*>(
        reinterpret_cast<const std::byte*>(&ring_.head()) + observe::EventRing::bytes(kEvents));
    words -= kEvents * observe::EventRing::kWords;
    for (std::size_t i = 0; i < kEvents * observe::EventRing::kWords; ++i) {
      const std::size_t word = i % observe::EventRing::kWords;
      if (word != 0 && word + 1 != observe::EventRing::kWords) execution.leave_out(words + i);
    }
  }
  [[nodiscard]] observe::EventRing get() const { return ring_; }

  static void put(observe::EventRing ring, std::uint32_t number) {
    observe::Event event;
    event.begin_ticks = number;
    event.skipped = number;
    ring.put(event);
  }

 private:
  struct Memory {
    alignas(kCacheLine) std::byte bytes[observe::EventRing::bytes(kEvents)] = {};
  };
  observe::EventRing ring_;
};

/// The ring is full; the reader reads so often while so many events come.
Model event_ring(std::uint32_t more, int reads) {
  return [more, reads](Execution& execution) {
    const observe::EventRing ring = SmallRing(execution).get();
    for (std::uint32_t i = 0; i < SmallRing::kEvents; ++i) SmallRing::put(ring, i);
    execution.thread("rank", [ring, more] {
      for (std::uint32_t i = 0; i < more; ++i) SmallRing::put(ring, SmallRing::kEvents + i);
    });
    execution.thread("reader", [ring, more, reads] {
      observe::EventReader reader(ring);
      std::uint64_t next = 0;
      for (int i = 0; i < reads; ++i) {
        std::vector<observe::Event> events;
        next += reader.read(&events, SmallRing::kEvents);
        for (const observe::Event& event : events) {
          require(event.begin_ticks == next && event.skipped == next, "an event is the one of its number, and whole");
          ++next;
        }
      }
      require(next <= SmallRing::kEvents + more, "none is counted twice");
    });
  };
}

TEST(Records, ShowEventsWholeOrCountThemAsLost) { expect_right(event_ring(2, 1)); }

TEST(Records, CountEventsOnceInTwoReads) { expect_right(event_ring(4, 2)); }

observe::Wait wait_number(std::int32_t number) {
  observe::Wait wait(observe::WaitKind::kAll);
  observe::Awaited awaited;
  awaited.tag = number;
  wait.add(awaited);
  return wait;
}

/// The rank describes so many waits for one operation each. Of a wait's words, moves and the tag make steps.
Model wait_record(int more) {
  return [more](Execution& execution) {
    auto& record = execution.make<observe::WaitRecord>();
    execution.name(&record.version, "version");
    observe::WaitRecord::Entry& entry = record.entries[0];
    for (const void* same : {static_cast<const void*>(&record.kind), static_cast<const void*>(&record.told),
                             static_cast<const void*>(&record.pending), static_cast<const void*>(&record.calls),
                             static_cast<const void*>(&entry.peer), static_cast<const void*>(&entry.context_id),
                             static_cast<const void*>(&entry.as)}) {
      execution.leave_out(same);
    }
    record.publish(wait_number(1), 1, 0);
    execution.thread("rank", [&record, more] {
      for (std::int32_t i = 2; i <= more + 1; ++i) record.publish(wait_number(i), static_cast<std::uint64_t>(i), 0);
    });
    execution.thread("reader", [&record] {
      const std::optional<observe::WaitSample> sample = record.read();
      if (!sample) return;
      const std::uint64_t number = sample->version / 2;
      require(sample->moves == number, "the wait is the one of its version");
      require(sample->wait.awaited().size() == 1, "and has its operation");
      require(static_cast<std::uint64_t>(sample->wait.awaited()[0].tag) == number, "which is the one of that wait");
    });
  };
}

TEST(Records, ShowAWaitAsItWasAtOneMoment) { expect_right(wait_record(1)); }

TEST(Records, ShowOneOfThreeWaits) { EXPECT_EQ(explore(wait_record(2)).wrong, ""); }

TEST(LongRecords, ShowOneOfThreeWaits) { expect_right(wait_record(2)); }

/// Two stretches are attached; the owner attaches one before them or detaches the first while an origin looks once for
/// [begin, end).
enum class Owner : std::uint8_t { kAttaches, kDetaches };
Model attachments(Owner does, std::uint64_t begin, std::uint64_t end, bool there) {
  return [does, begin, end, there](Execution& execution) {
    auto& table = execution.make<rma::AttachmentTable>();
    auto& owner = execution.make<rma::Attachments>();
    execution.name(&table.version, "version");
    execution.leave_out(&table.overflowed);
    EXPECT_TRUE(owner.add(table, 1000, 100).ok());
    EXPECT_TRUE(owner.add(table, 3000, 100).ok());
    execution.thread("owner", [&table, &owner, does] {
      const bool done = does == Owner::kAttaches ? owner.add(table, 500, 100).ok() : owner.remove(table, 1000).ok();
      require(done, "the stretch is attached or detached");
    });
    execution.thread("origin", [&table, begin, end, there] {
      require(table.holds(begin, end) == there, "what stays attached is found, and nothing else");
    });
  };
}

/// The owner detaches its only stretch and attaches another, which lies across its end, while an origin looks once for
/// both together.
void another_attached(Execution& execution) {
  auto& table = execution.make<rma::AttachmentTable>();
  auto& owner = execution.make<rma::Attachments>();
  execution.name(&table.version, "version");
  execution.leave_out(&table.overflowed);
  EXPECT_TRUE(owner.add(table, 1000, 100).ok());
  execution.thread("owner", [&table, &owner] {
    require(owner.remove(table, 1000).ok(), "the stretch is detached");
    require(owner.add(table, 1050, 100).ok(), "the other is attached");
  });
  execution.thread("origin",
                   [&table] { require(!table.holds(1000, 1150), "what was never attached as a whole is not found"); });
}

TEST(Records, FindNothingOfTwoStretchesOfWhichOneFollowsTheOther) { expect_right(another_attached); }

TEST(Records, FindWhatStaysAttached) { expect_right(attachments(Owner::kAttaches, 3000, 3100, true)); }

TEST(Records, FindNothingAcrossAGap) { expect_right(attachments(Owner::kDetaches, 1050, 3050, false)); }

}  // namespace
}  // namespace starling::weak::records_test
