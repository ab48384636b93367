// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Looks: the results of a thread's tests and probes, one after another. Each returns at once, so only their row tells
// whether the caller waits (many that find nothing, with no work between them) or looks now and then while it computes.
// A caller that waits gives the core away; a caller that computes keeps it.
//
// The clock is read only in a row that has become long, so that a look that finds something soon costs no more than its
// poll. From then on both ends of each look are timed. The time between two looks is the caller's: when it is
// longer than kComputesNs and longer than a look, it is work, and the row begins again. Between kOwnWorkNs and
// kComputesNs it may be work or not, so a row that mostly consists of such times yields, but seldom: that costs a
// caller that waits little, and a caller that computes, too. One round over everything that the caller may look at is
// not waiting yet: a program may compute after each round. But who has waited in its last row that gave the core away,
// and has not computed since, waits again: then the second look in vain gives it away.
//
// Thread safety: an object belongs to one thread.
// Invariants: a row holds fruitless looks only; without STARLING_WAIT=spin a row that goes on gives way in the end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "progress/rests.hpp"

namespace starling::progress {

class Looks {
 public:
  /// How the rank waits, at the moment.
  struct Manner {
    bool oversubscribed = false;   ///< another rank is likely to need the core
    std::uint32_t polls = 1;       ///< between two yields, when oversubscribed
    std::int64_t patience_ns = 0;  ///< before the first yield, when not
  };

  /// Time without a look that may be work of the caller's; and that is work, so that the caller is not waiting.
  static constexpr std::int64_t kOwnWorkNs = 500;
  static constexpr std::int64_t kComputesNs = 5'000;
  /// Between two yields of a row with work of unknown kind in it: an interpreter that waits, or short computations.
  static constexpr std::int64_t kSlowPatienceNs = 100'000;
  /// Fruitless looks without any further check; and those after which looks are timed where each rank has a core.
  static constexpr std::uint32_t kUnnoticed = 8;
  static constexpr std::uint32_t kUntimedWithCore = 256;
  /// Looks between two yields where each rank has a core.
  static constexpr std::uint32_t kLooksWithCore = 32;
  /// Places of a round that are believed: more only put off the first yield.
  static constexpr std::size_t kMostPlaces = 256;

  void begin() noexcept {
    if (times_next()) [[unlikely]]
      begin_at(now_ns());
  }
  /// The look found something, or moved something that others look for.
  void found() noexcept {
    waits_ = waits_ || gave_way_;
    gave_way_ = false;
    row_ = 0;
    timed_ = false;
    vain_since_ns_ = 0;
    vain_looks_ = 0;
    vain_looks_before_ = 0;
    rests_.end_row();
  }
  /// The look found nothing. True: end_at() may have to be asked, if needs_time() says so.
  [[nodiscard]] bool missed() noexcept {
    ++vain_looks_;
    return ++row_ % kUnnoticed == 0 || times_next();
  }
  [[nodiscard]] bool needs_time(const Manner& manner) noexcept {
    if (!manner.oversubscribed) waits_ = false;
    return timed_ || manner.oversubscribed || row_ >= kUntimedWithCore;
  }

  /// The two ends of a look by the clock. `places`: how many looks like this one the caller may need to see everything
  /// that it waits for. True: give the core away.
  void begin_at(std::int64_t now_ns) noexcept;
  [[nodiscard]] bool end_at(std::int64_t now_ns, std::size_t places, const Manner& manner) noexcept;

  /// The core is there again: the time without it was not the caller's.
  void resume_at(std::int64_t now_ns) noexcept {
    ended_ns_ = now_ns;
    kept_ns_ = now_ns;
    slow_ns_ = 0;
  }

  [[nodiscard]] Rests& rests() noexcept { return rests_; }
  /// Whether the two ends of the next look are timed.
  [[nodiscard]] bool times_next() const noexcept { return timed_ || waits_; }
  /// How long the timed row has lasted. Known after end_at().
  [[nodiscard]] std::int64_t row_ns(std::int64_t now_ns) const noexcept { return now_ns - since_ns_; }
  /// Since when the caller does nothing in MPI but look, and finds nothing; it may do work of its own, or sleep,
  /// between the looks. In a row without such work other calls do no harm. Known after end_at().
  [[nodiscard]] std::int64_t vain_since_ns() const noexcept { return vain_since_ns_; }
  /// The MPI calls of the rank so far, the looks among them.
  void note_calls(std::uint64_t calls) noexcept {
    if (calls - calls_before_ > vain_looks_ - vain_looks_before_) vain_since_ns_ = since_ns_;
    calls_before_ = calls;
    vain_looks_before_ = vain_looks_;
  }

 private:
  /// The caller has done work of its own: a row begins again. It is timed soon, because the work costs far more.
  void restart() noexcept {
    row_ = kUntimedWithCore - kUnnoticed;
    timed_ = false;
    waits_ = false;
    gave_way_ = false;
    rests_.end_row();
  }

  std::uint32_t row_ = 0;        ///< fruitless looks since the last that was not, or since work
  std::uint32_t timed_row_ = 0;  ///< those of them that were timed
  std::uint32_t places_ = 1;     ///< the most that any look of the row has named
  bool timed_ = false;
  bool gave_way_ = false;         ///< this row has
  bool waits_ = false;            ///< an earlier row of a crowd has, and the caller has not computed since
  std::uint64_t vain_looks_ = 0;  ///< since one has found something
  std::uint64_t vain_looks_before_ = 0;
  std::uint64_t calls_before_ = 0;
  std::int64_t vain_since_ns_ = 0;  ///< 0: the last look found something, or no row was timed since then
  std::int64_t since_ns_ = 0;       ///< when the timing began
  std::int64_t kept_ns_ = 0;        ///< when it began, or when the core came back
  std::int64_t slow_ns_ = 0;        ///< since then the time between looks that may be work
  std::int64_t began_ns_ = 0;
  std::int64_t look_ns_ = 0;   ///< what the shortest look of the row took
  std::int64_t ended_ns_ = 0;  ///< when the caller went on
  Rests rests_;
};

}  // namespace starling::progress
