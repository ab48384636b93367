// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every interleaving of messages to one element with its creations, moves and deletions, on up to three processes whose
// channels keep their order. What confirms is collected first, and sent at any moment after that. Places are forgotten
// and tombstones reclaimed at any moment at which they may be.
#include "directory/directory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "../resilience/explorer.hpp"
#include "support/sanitized.hpp"

namespace starling::array::detail {
namespace {

using resilience::Step;

constexpr std::int32_t kMostProcesses = 3;
constexpr std::int32_t kMostMessages = 2;
constexpr std::int32_t kHome = 0;

/// What may happen, how often.
struct Events {
  std::int32_t messages = 0;
  std::int32_t creations = 0;
  std::int32_t moves = 0;
  std::int32_t deletions = 0;
};

struct Packet {
  enum class What : std::uint8_t { kMessage, kCreate, kBuild, kMigrate, kArrived, kDied, kLanded, kUpdate };
  What what = What::kMessage;
  std::uint32_t epoch = 0;
  std::int32_t place = 0;     // of the element, or where it is to be made
  std::int32_t previous = 0;  // where it was before
  std::int32_t id = 0;        // of a message
  std::int32_t origin = 0;
  std::int32_t hops = 0;
  bool is_asked = false;
  bool must_wait = false;
};

struct Process {
  explicit Process(const Directory& directory) : rules(directory) {}
  Directory rules;
  Location known;
  std::vector<Packet> waiting;
  std::vector<Packet> queued;  // for the element, which is or was here
};

/// Processes that do what the router and the population do with the directory's results, for one element.
class DirectoryModel {
 public:
  DirectoryModel(std::int32_t processes, std::int32_t homes, const Events& events)
      : count_(processes), homes_(homes), left_(events) {
    for (std::int32_t i = 0; i < processes; ++i) processes_.emplace_back(Directory(i, processes, homes));
    at(kHome).known.is_home = true;
  }

  template <typename Visit>
  void for_each_step(Visit&& visit) {
    const auto after = [&](Step step, auto&& change) {
      DirectoryModel next = *this;
      change(next);
      visit(next, step);
    };
    for (std::int32_t me = 0; me < count_; ++me) {
      for (std::int32_t other = 0; other < count_; ++other) {
        if (!channel(other, me).empty()) after(Step::kWill, [&](DirectoryModel& next) { next.handle(other, me); });
        if (!collected(other, me).empty()) {
          after(Step::kWill, [&](DirectoryModel& next) { next.send_collected(other, me); });
        }
        if (left_.creations > 0) after(Step::kMay, [&](DirectoryModel& next) { next.create(me, other); });
        if (left_.moves > 0 && other != me && at(me).known.is_here) {
          after(Step::kMay, [&](DirectoryModel& next) { next.depart(me, other); });
        }
      }
      if (!at(me).queued.empty()) after(Step::kWill, [&](DirectoryModel& next) { next.deliver(me); });
      if (left_.messages > 0) after(Step::kMay, [&](DirectoryModel& next) { next.send(me); });
      if (left_.deletions > 0 && at(me).known.is_here) {
        after(Step::kMay, [&](DirectoryModel& next) { next.remove(me); });
      }
      if (may_forget(me)) after(Step::kMay, [&](DirectoryModel& next) { next.forget(me); });
    }
  }

  template <typename Feed>
  void feed(Feed&& feed) const {
    for (const std::int32_t each : {left_.messages, left_.creations, left_.moves, left_.deletions, sent_}) {
      feed(static_cast<std::uint64_t>(each));
    }
    for (const std::int32_t each : ends_) feed(static_cast<std::uint64_t>(each));
    const auto feed_all = [&](const std::vector<Packet>& packets) {
      feed(packets.size());
      for (const Packet& each : packets) feed_packet(feed, each);
    };
    for (const Process& each : processes_) {
      const Location& known = each.known;
      feed(known.epoch);
      feed(static_cast<std::uint64_t>(known.rank + 1));
      feed(known.departed);
      feed((known.is_here ? 1u : 0u) | (known.is_deleted ? 2u : 0u) | (known.may_forget ? 4u : 0u) |
           (known.goes_by_home ? 8u : 0u));
      feed(each.rules.next_epoch(Location()));
      feed_all(each.waiting);
      feed_all(each.queued);
    }
    for (const auto& each : channels_) feed_all(each);
  }

  [[nodiscard]] std::string wrong(bool last) const {
    std::int32_t here = 0;
    for (const Process& each : processes_) here += each.known.is_here ? 1 : 0;
    if (here > 1) return "the element is on two processes";
    if (goes_round_) return "a message is sent on without end";
    for (std::int32_t id = 0; id < sent_; ++id) {
      const std::int32_t ends = ends_[static_cast<std::size_t>(id)];
      if (ends > 1) return "a message has two ends";
      if (last && ends == 0 && (here != 0 || !waits_at_home(id))) return "a message is lost";
    }
    return {};
  }

 private:
  using What = Packet::What;

  Process& at(std::int32_t process) { return processes_[static_cast<std::size_t>(process)]; }
  static constexpr std::size_t kChannels = std::size_t{kMostProcesses} * kMostProcesses;
  std::vector<Packet>& channel(std::int32_t from, std::int32_t to) {
    return channels_[static_cast<std::size_t>(from * kMostProcesses + to)];
  }
  std::vector<Packet>& collected(std::int32_t from, std::int32_t to) {
    return channels_[kChannels + static_cast<std::size_t>(from * kMostProcesses + to)];
  }

  template <typename Feed>
  static void feed_packet(Feed&& feed, const Packet& packet) {
    feed(static_cast<std::uint64_t>(packet.what) | (packet.is_asked ? 16u : 0u) | (packet.must_wait ? 32u : 0u));
    feed(packet.epoch);
    feed(static_cast<std::uint64_t>(packet.place) << 8 | static_cast<std::uint64_t>(packet.previous));
    feed(static_cast<std::uint64_t>(packet.id) << 16 | static_cast<std::uint64_t>(packet.origin) << 8 |
         static_cast<std::uint64_t>(packet.hops));
  }

  [[nodiscard]] bool waits_at_home(std::int32_t id) const {
    for (const Packet& each : processes_.front().waiting) {
      if (each.id == id) return true;
    }
    return false;
  }

  void post(std::int32_t from, std::int32_t to, const Packet& packet) {
    (packet.what == What::kLanded ? collected(from, to) : channel(from, to)).push_back(packet);
  }
  void send_collected(std::int32_t from, std::int32_t to) {
    for (const Packet& each : std::exchange(collected(from, to), {})) channel(from, to).push_back(each);
  }

  void send(std::int32_t me) {
    --left_.messages;
    Packet message;
    message.id = sent_++;
    message.origin = me;
    act(me, message, at(me).rules.send(at(me).known, [] { return kHome; }));
  }

  void act(std::int32_t me, Packet message, const Route& route) {
    switch (route.step) {
      case Route::Step::kDeliver: return take(me, message);
      case Route::Step::kWait: return at(me).waiting.push_back(message);
      case Route::Step::kRefuse: ++ends_[static_cast<std::size_t>(message.id)]; return;
      case Route::Step::kForward: break;
    }
    message.epoch = route.epoch;
    message.is_asked = route.is_asked;
    message.must_wait = route.must_wait;
    // A newer place each, and to ask the home and be answered between two.
    constexpr std::int32_t kMostHops = 12;
    if (++message.hops > kMostHops) {
      goes_round_ = true;
      return;
    }
    post(me, route.to, message);
  }

  void take(std::int32_t me, const Packet& message) {
    if (message.hops > 1 && message.origin != me) tell(me, message.origin);
    at(me).queued.push_back(message);
  }

  void tell(std::int32_t me, std::int32_t to) {
    post(me, to, {.what = What::kUpdate, .epoch = at(me).known.epoch, .place = at(me).known.rank});
  }

  void send_on(std::int32_t me, const Packet& message) {
    act(me, message, at(me).rules.send(at(me).known, [] { return kHome; }));
  }

  void release(std::int32_t me) {
    std::vector<Packet> waiting;
    waiting.swap(at(me).waiting);
    for (const Packet& each : waiting) send_on(me, each);
  }

  void deliver(std::int32_t me) {
    const Packet message = at(me).queued.front();
    at(me).queued.erase(at(me).queued.begin());
    if (at(me).known.is_here) {
      ++ends_[static_cast<std::size_t>(message.id)];
    } else {
      send_on(me, message);
    }
    drop_if_useless(me);
  }

  void create(std::int32_t me, std::int32_t on) {
    --left_.creations;
    if (me == kHome) return create_at_home(on);
    at(me).rules.follow_creation(at(me).known);
    post(me, kHome, {.what = What::kCreate, .place = on});
  }

  void create_at_home(std::int32_t on) {
    const std::uint32_t epoch = at(kHome).rules.create(at(kHome).known, on);
    if (epoch == 0) return;  // exists
    if (on == kHome) return build(kHome, epoch);
    post(kHome, on, {.what = What::kBuild, .epoch = epoch});
    release(kHome);
    tell_other_homes();
  }

  void build(std::int32_t me, std::uint32_t epoch) {
    at(me).rules.expect(at(me).known, epoch);
    at(me).known.is_here = true;
    if (me == kHome) tell_other_homes();
    release(me);
  }

  void tell_other_homes() {
    for (std::int32_t i = 1; at(kHome).rules.other_home(i) >= 0; ++i) tell(kHome, at(kHome).rules.other_home(i));
  }

  void depart(std::int32_t me, std::int32_t to) {
    --left_.moves;
    at(me).rules.depart(at(me).known, to);
    post(me, to, {.what = What::kMigrate, .epoch = at(me).known.epoch, .previous = me});
  }

  void remove(std::int32_t me) {
    --left_.deletions;
    at(me).rules.remove(at(me).known);
    if (me != kHome) post(me, kHome, {.what = What::kDied, .epoch = at(me).known.epoch});
  }

  void settle(const Packet& arrival) {
    if (arrival.previous == kHome) {
      at(kHome).rules.hear_confirmation(at(kHome).known, arrival.epoch);
    } else {
      post(kHome, arrival.previous, {.what = What::kLanded, .epoch = arrival.epoch});
    }
    tell_other_homes();
  }

  void handle(std::int32_t from, std::int32_t me) {
    const Packet packet = channel(from, me).front();
    channel(from, me).erase(channel(from, me).begin());
    Location& known = at(me).known;
    const Directory& rules = at(me).rules;
    switch (packet.what) {
      case What::kMessage:
        return act(me, packet, rules.receive(known, kHome, {packet.epoch, from, packet.is_asked, packet.must_wait}));
      case What::kCreate: return create_at_home(packet.place);
      case What::kBuild: return build(me, packet.epoch);
      case What::kMigrate: return arrive(me, packet);
      case What::kArrived: rules.hear_place(known, packet.place, packet.epoch); return settle(packet);
      case What::kDied:
        post(me, from, {.what = What::kLanded, .epoch = packet.epoch});
        if (rules.hear_deletion(known, packet.epoch)) release(me);
        return;
      case What::kLanded: rules.hear_confirmation(known, packet.epoch); return drop_if_useless(me);
      case What::kUpdate: rules.hear_hint(known, packet.place, packet.epoch); return;
    }
  }

  void arrive(std::int32_t me, const Packet& packet) {
    at(me).rules.expect(at(me).known, packet.epoch);
    at(me).known.is_here = true;
    const Packet arrival{.what = What::kArrived, .epoch = packet.epoch, .place = me, .previous = packet.previous};
    if (me == kHome) {
      settle(arrival);
    } else {
      post(me, kHome, arrival);
    }
    release(me);
  }

  bool may_forget(std::int32_t me) {
    const Process& process = at(me);
    if (process.known.epoch == 0 || !process.waiting.empty() || !process.queued.empty()) return false;
    return process.rules.is_cached(process.known) || (me == kHome && process.known.is_deleted);
  }
  void forget(std::int32_t me) {
    if (me == kHome) at(me).rules.reclaim(at(me).known);
    at(me).known = {};
    at(me).known.is_home = me == kHome;
  }
  void drop_if_useless(std::int32_t me) {
    const Process& process = at(me);
    if (process.rules.is_useless(process.known) && process.waiting.empty() && process.queued.empty()) forget(me);
  }

  std::int32_t count_;
  std::int32_t homes_;
  Events left_;
  std::int32_t sent_ = 0;
  bool goes_round_ = false;
  std::array<std::int32_t, kMostMessages> ends_{};
  std::vector<Process> processes_;
  std::array<std::vector<Packet>, 2 * kChannels> channels_;
};

void expect_right(std::int32_t processes, std::int32_t homes, const Events& events) {
  const resilience::Explored found = resilience::explore(DirectoryModel(processes, homes, events));
  EXPECT_EQ(found.wrong, "") << processes << " processes, " << homes << " homes";
  EXPECT_GT(found.ends, 0U);
  std::printf("%d processes, %d homes, %d messages, %d creations, %d moves, %d deletions: %llu states\n", processes,
              homes, events.messages, events.creations, events.moves, events.deletions,
              static_cast<unsigned long long>(found.states));
}

// A sanitizer sees in the smallest of each kind what it would see in all.
TEST(Directory, LosesNoMessageToAnElementThatMoves) {
  expect_right(2, 1, {.messages = 2, .creations = 1, .moves = 3});
  if (kUnderSanitizer) return;
  expect_right(3, 1, {.messages = 1, .creations = 1, .moves = 3});
  expect_right(3, 1, {.messages = 2, .creations = 1, .moves = 2});
}

TEST(Directory, RefusesMessagesToDeletedElementsOrHoldsThemForTheNext) {
  if (kUnderSanitizer) return expect_right(2, 1, {.messages = 1, .creations = 2, .moves = 1, .deletions = 2});
  expect_right(2, 1, {.messages = 2, .creations = 2, .moves = 1, .deletions = 2});
  expect_right(3, 1, {.messages = 1, .creations = 2, .moves = 1, .deletions = 1});
}

TEST(Directory, AsksTheNearestOfTheProcessesThatAreToldOfAnElement) {
  const std::vector<std::int32_t> nodes{5, 5, 7, 7, 9, 9};
  const auto asked = [&](std::int32_t me, std::int32_t homes, std::int32_t home) {
    return Directory(me, 6, homes, nodes).nearest_home(home);
  };
  EXPECT_EQ(asked(5, 3, 2), 4);  // of 2, 3 and 4 the last is on the same machine
  EXPECT_EQ(asked(0, 3, 5), 0);  // itself
  EXPECT_EQ(asked(2, 3, 0), 2);
  EXPECT_EQ(asked(3, 6, 0), 3);  // of 2 and 3, which are as near, those of one machine take turns
  EXPECT_EQ(asked(2, 6, 0), 2);
  // Where none is near, or nothing is known of machines, all take turns.
  EXPECT_EQ(asked(4, 2, 0), 0);
  EXPECT_EQ(asked(5, 2, 0), 1);
  EXPECT_EQ(Directory(5, 6, 3).nearest_home(2), 4);
  EXPECT_EQ(Directory(4, 6, 3).nearest_home(2), 3);
  EXPECT_EQ(asked(5, 1, 2), 2);
  // Which is where a message goes whose sender knows no place.
  EXPECT_EQ(Directory(5, 6, 3, nodes).send(Location{}, [] { return 2; }).to, 4);
}

TEST(Directory, LosesNoMessageWhereSeveralProcessesAreToldEachPlace) {
  if (kUnderSanitizer) return expect_right(3, 2, {.messages = 1, .creations = 1, .moves = 1});
  expect_right(3, 2, {.messages = 1, .creations = 1, .moves = 2});
  expect_right(3, 2, {.messages = 1, .creations = 2, .moves = 1, .deletions = 1});
}

}  // namespace
}  // namespace starling::array::detail
