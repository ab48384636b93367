// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "directory.hpp"

#include <cstddef>

namespace starling::array::detail {

namespace {

/// The rows of the table of messages that came, and of those that are sent.
enum class Knows : std::uint8_t { kHere, kExpected, kNewer, kDeleted, kNothing, kNothingAsked, kNothingTold };
enum class Known : std::uint8_t { kHere, kExpected, kCreated, kDeleted, kNothing };

enum class Act : std::uint8_t {
  kDeliver,
  kWait,
  kRefuse,
  kOnward,   // to the newer place
  kToHome,   // which knows as much before this comes
  kAskHome,  // what it knows
  kAnswer,   // to the process that asked the home: wait
  kBehind,   // to the home, as if nothing were known
  kAskAny,   // of the processes that are told where each element is
};

struct Row {
  Act at_home;
  Act elsewhere;
};

/// A message that came, by what is known of its element; "newer" is compared with what the message's sender believed.
constexpr Row kReceived[] = {
    /* here */ {Act::kDeliver, Act::kDeliver},
    /* expected here */ {Act::kWait, Act::kWait},
    /* elsewhere, newer */ {Act::kOnward, Act::kOnward},
    /* deleted */ {Act::kRefuse, Act::kToHome},
    /* nothing newer */ {Act::kWait, Act::kAskHome},
    /* nothing newer, asked by a process */ {Act::kAnswer, Act::kAskHome},
    /* nothing newer, told by the home */ {Act::kWait, Act::kWait},
};
/// A message that is sent here, except to an element elsewhere (send()).
constexpr Row kSent[] = {
    /* here */ {Act::kDeliver, Act::kDeliver},
    /* expected here */ {Act::kWait, Act::kWait},
    /* elsewhere, and a creation went to the home */ {Act::kWait, Act::kBehind},
    /* deleted */ {Act::kRefuse, Act::kToHome},
    /* unknown */ {Act::kWait, Act::kAskAny},
};

template <class Which>
Act look_up(const Row* table, Which which, bool is_home) {
  const Row& row = table[static_cast<std::size_t>(which)];
  return is_home ? row.at_home : row.elsewhere;
}

}  // namespace

const std::vector<std::int32_t> Directory::kNone;

std::int32_t Directory::nearest_home(std::int32_t home) const {
  std::int32_t near = 0;
  for (std::int32_t i = 0; i < homes_; ++i) near += is_near((home + i) % processes_) ? 1 : 0;
  // The which-th of those that are near, or of all where none is.
  std::int32_t which = me_ % (near > 0 ? near : homes_);
  for (std::int32_t i = 0; i < homes_; ++i) {
    const std::int32_t process = (home + i) % processes_;
    if ((near == 0 || is_near(process)) && which-- == 0) return process;
  }
  return home;
}

Route Directory::receive(const Location& known, std::int32_t home, const Envelope& message) const {
  const auto knows = [&] {
    if (known.is_here) return Knows::kHere;
    if (known.epoch > 0 && known.is_deleted) return Knows::kDeleted;
    if (known.epoch > 0 && known.rank == me_) return Knows::kExpected;
    if (known.epoch > message.epoch) return Knows::kNewer;
    // A home that knows nothing at all has reclaimed the tombstone: the message waits with it for the next element.
    if (known.is_home) return message.is_asked && known.epoch > 0 ? Knows::kNothingAsked : Knows::kNothing;
    const bool is_told = message.must_wait || (message.epoch > 0 && message.from == home);
    return is_told ? Knows::kNothingTold : Knows::kNothing;
  };
  switch (look_up(kReceived, knows(), known.is_home)) {
    case Act::kDeliver: return {.step = Route::Step::kDeliver};
    case Act::kRefuse: return {.step = Route::Step::kRefuse};
    case Act::kOnward: return {.step = Route::Step::kForward, .to = known.rank, .epoch = known.epoch};
    case Act::kToHome: return {.step = Route::Step::kForward, .to = home, .epoch = known.epoch};
    case Act::kAnswer:
      return {.step = Route::Step::kForward, .must_wait = true, .to = message.from, .epoch = message.epoch};
    case Act::kAskHome:
      return {.step = Route::Step::kForward, .is_asked = message.epoch > 0, .to = home, .epoch = message.epoch};
    default: return {.step = Route::Step::kWait};
  }
}

Route Directory::send_by_table(const Location& known, std::int32_t home) const {
  const auto knows = [&] {
    if (known.is_here) return Known::kHere;
    if (known.epoch == 0) return Known::kNothing;
    if (known.is_deleted) return Known::kDeleted;
    return known.rank == me_ ? Known::kExpected : Known::kCreated;
  };
  switch (look_up(kSent, knows(), known.is_home)) {
    case Act::kDeliver: return {.step = Route::Step::kDeliver};
    case Act::kRefuse: return {.step = Route::Step::kRefuse};
    case Act::kToHome: return {.step = Route::Step::kForward, .to = home, .epoch = known.epoch};
    case Act::kBehind: return {.step = Route::Step::kForward, .to = home};
    case Act::kAskAny: {
      const std::int32_t any = homes_ > 1 ? nearest_home(home) : home;
      return {.step = Route::Step::kForward, .to = any == me_ ? home : any};
    }
    default: return {.step = Route::Step::kWait};
  }
}

std::uint32_t Directory::create(Location& known, std::int32_t on) const {
  if (known.epoch > 0 && !known.is_deleted) return 0;
  known.epoch = next_epoch(known);
  known.rank = on;
  known.is_deleted = false;
  return known.epoch;
}

void Directory::follow_creation(Location& known) const {
  if (!known.is_here && known.rank != me_) known.goes_by_home = true;
}

void Directory::expect(Location& known, std::uint32_t epoch) const {
  known.epoch = epoch;
  known.rank = me_;
  known.is_deleted = known.goes_by_home = false;
}

void Directory::depart(Location& known, std::int32_t to) const {
  known.is_here = false;
  known.departed = ++known.epoch;
  known.rank = to;
  known.may_forget = false;
}

void Directory::remove(Location& known) const {
  known.is_here = false;
  ++known.epoch;
  known.rank = -1;
  known.is_deleted = true;
  if (known.is_home) return;
  known.departed = known.epoch;
  known.may_forget = false;
}

bool Directory::hear_place(Location& known, std::int32_t rank, std::uint32_t epoch) const {
  if (known.is_here || epoch <= known.epoch) return false;
  known.epoch = epoch;
  known.rank = rank;
  known.is_deleted = known.goes_by_home = false;
  return true;
}

bool Directory::hear_hint(Location& known, std::int32_t rank, std::uint32_t epoch) const {
  return known.rank != me_ && hear_place(known, rank, epoch);
}

bool Directory::hear_deletion(Location& known, std::uint32_t epoch) const {
  if (epoch <= known.epoch) return false;
  known.epoch = epoch;
  known.rank = -1;
  known.is_deleted = true;
  return true;
}

bool Directory::hear_confirmation(Location& known, std::uint32_t epoch) const {
  // It may have come back and left again meanwhile: its last departure counts.
  if (epoch == 0 || epoch != known.departed) return false;
  known.may_forget = true;
  return true;
}

}  // namespace starling::array::detail
