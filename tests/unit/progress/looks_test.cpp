// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// When a row of tests and probes gives the core away, by a clock of the test's own.
#include "progress/looks.hpp"

#include <gtest/gtest.h>

namespace starling::progress {
namespace {

constexpr Looks::Manner kOversubscribed{true, 4, 50'000};
constexpr Looks::Manner kWithCore{false, 4, 50'000};

/// A program that looks in vain, and what it does between its looks.
class Program {
 public:
  static constexpr std::int64_t kSliceOfOthersNs = 3'000'000;

  explicit Program(const Looks::Manner& manner, std::size_t places = 1, std::int64_t look_ns = 60)
      : manner_(manner), places_(places), look_ns_(look_ns) {}

  /// Looks `times` times, with `own_ns` before each. Returns how often the core was given away.
  int look(int times, std::int64_t own_ns) {
    int yields = 0;
    for (int i = 0; i < times; ++i) {
      now_ns_ += own_ns;
      if (looks.times_next()) looks.begin_at(now_ns_);
      now_ns_ += look_ns_;
      if (!looks.missed() || !looks.needs_time(manner_) || !looks.end_at(now_ns_, places_, manner_)) continue;
      ++yields;
      now_ns_ += kSliceOfOthersNs;
      looks.resume_at(now_ns_);
    }
    return yields;
  }

  Looks looks;

 private:
  Looks::Manner manner_;
  std::size_t places_;
  std::int64_t look_ns_;
  std::int64_t now_ns_ = 1'000'000;
};

TEST(Looks, YieldEveryFewPollsInACrowd) {
  Program program(kOversubscribed);
  EXPECT_EQ(program.look(Looks::kUnnoticed, 20), 0);
  EXPECT_EQ(program.look(400, 20), 100);
}

TEST(Looks, YieldSeldomAndLateWithACoreForEachRank) {
  Program program(kWithCore);
  EXPECT_EQ(program.look(500, 20), 0);  // 40 us
  const int yields = program.look(3200, 20);
  EXPECT_GE(yields, 80);
  EXPECT_LE(yields, 100);
}

TEST(Looks, AreNotTimedWhileTheyAreFew) {
  Program program(kWithCore);
  program.look(Looks::kUntimedWithCore - 1, 20);
  EXPECT_FALSE(program.looks.times_next());
  program.look(1, 20);
  EXPECT_TRUE(program.looks.times_next());
}

TEST(Looks, OfAProgramThatComputesBetweenThemNeverYield) {
  for (const Looks::Manner& manner : {kOversubscribed, kWithCore}) {
    for (const std::int64_t own_ns : {6'000, 10'000, 1'000'000}) {
      EXPECT_EQ(Program(manner).look(10'000, own_ns), 0) << own_ns << " ns, oversubscribed: " << manner.oversubscribed;
    }
  }
}

TEST(Looks, WithShortWorkBetweenThemYieldSeldom) {
  for (const Looks::Manner& manner : {kOversubscribed, kWithCore}) {
    for (const std::int64_t own_ns : {600, 2'000, 4'500}) {
      const int yields = Program(manner).look(10'000, own_ns);
      const std::int64_t most = 10'000 * (own_ns + 60) / Looks::kSlowPatienceNs;
      EXPECT_GE(yields, most / 2) << own_ns << " ns, oversubscribed: " << manner.oversubscribed;
      EXPECT_LE(yields, most) << own_ns << " ns, oversubscribed: " << manner.oversubscribed;
    }
  }
}

TEST(Looks, OfAProgramThatComputesMayLoseTheirCore) {
  const Looks::Manner every_look{true, 1, 0};
  for (int lost = 9; lost < 14; ++lost) {  // whichever of the timed looks it is
    Looks looks;
    std::int64_t now_ns = 1'000'000;
    for (int look = 1; look < 30; ++look) {
      now_ns += 20'000;
      if (looks.times_next()) looks.begin_at(now_ns);
      now_ns += look == lost ? Program::kSliceOfOthersNs : 60;
      if (!looks.missed() || !looks.needs_time(every_look)) continue;
      EXPECT_FALSE(looks.end_at(now_ns, 1, every_look)) << "look " << look << ", lost in " << lost;
    }
  }
}

TEST(Looks, MayBeHeldUpOnceInAWhile) {
  Program program(kOversubscribed);
  int yields = 0;
  for (int interrupt = 0; interrupt < 10; ++interrupt) yields += program.look(1, 3'000) + program.look(399, 20);
  EXPECT_GE(yields, 800);
}

TEST(Looks, InVainAreKnownSinceTheFirstThoughTheProgramSleepsBetweenThem) {
  Program program(kWithCore);
  program.look(Looks::kUntimedWithCore, 20);
  const std::int64_t since_ns = program.looks.vain_since_ns();
  EXPECT_NE(since_ns, 0);
  int calls = Looks::kUntimedWithCore;
  for (int i = 0; i < 100; ++i) {
    program.look(9, 1'000'000);
    program.looks.note_calls(static_cast<std::uint64_t>(calls += 9));
  }
  EXPECT_EQ(program.looks.vain_since_ns(), since_ns);
  program.looks.found();
  EXPECT_EQ(program.looks.vain_since_ns(), 0);
}

TEST(Looks, WithOtherCallsBetweenThemAreNotInVain) {
  Program program(kWithCore);
  program.look(Looks::kUntimedWithCore, 20);
  const std::int64_t since_ns = program.looks.vain_since_ns();
  program.look(9, 1'000'000);
  program.looks.note_calls(Looks::kUntimedWithCore);
  program.look(9, 1'000'000);
  program.looks.note_calls(Looks::kUntimedWithCore +
                           2 * 9);  // each look comes with a call that may have done something
  EXPECT_GT(program.looks.vain_since_ns(), since_ns);
}

TEST(Looks, OfAProgramThatBeginsToComputeStopYielding) {
  for (const std::uint32_t polls : {1U, 4U}) {
    Program program(Looks::Manner{true, polls, 0});
    EXPECT_GE(program.look(400, 20), 90);
    EXPECT_LE(program.look(10'000, 6'000), 1) << polls;
  }
}

TEST(Looks, MayHaveALittleWorkBetweenThem) {
  Program program(kOversubscribed);
  EXPECT_GE(program.look(400, 300), 90);
}

TEST(Looks, ThatAreSlowThemselvesMayHaveAsMuchTimeBetweenThem) {
  Program slow(kOversubscribed, 1, 5'000);
  EXPECT_GE(slow.look(400, 3'000), 90);
  EXPECT_EQ(Program(kOversubscribed, 1, 5'000).look(10'000, 20'000), 0);
}

TEST(Looks, MayGoOverManyPlacesAndThenCompute) {
  constexpr int kPlaces = 100;
  Program program(kOversubscribed, kPlaces);
  for (int round = 0; round < 1'000; ++round) {
    EXPECT_EQ(program.look(1, 6'000), 0);
    EXPECT_EQ(program.look(kPlaces - 1, 10), 0);
  }
  EXPECT_GE(program.look(10 * kPlaces, 10), kPlaces);  // rounds without work
}

TEST(Looks, WaitForARoundOfTheLargestKindInTheRow) {
  Program many(kOversubscribed, 200);
  many.look(20, 10);
  Looks looks = many.looks;  // the same program probes as well, for which one look is a round
  EXPECT_TRUE(looks.missed());
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(looks.end_at(2'000'000, 1, kOversubscribed));
}

TEST(Looks, BelieveNoMorePlacesThanSome) {
  Program program(kOversubscribed, std::size_t{1} << 40);
  EXPECT_GE(program.look(10'000, 10), 1'000);
}

TEST(Looks, BeginAnewWhenOneFinds) {
  Program program(kOversubscribed);
  for (int message = 0; message < 1'000; ++message) {
    EXPECT_EQ(program.look(Looks::kUnnoticed, 10), 0);
    program.looks.found();
  }
}

TEST(Looks, OfWhoHasWaitedGiveWayAtOnceTheNextTime) {
  constexpr int kPlaces = 7;
  Program program(kOversubscribed, kPlaces);
  EXPECT_EQ(program.look(2 * kPlaces, 20), 0);
  EXPECT_GT(program.look(100, 20), 0);
  for (int message = 0; message < 10; ++message) {
    program.looks.found();
    EXPECT_EQ(program.look(1, 20), 0);
    EXPECT_EQ(program.look(1, 20), 1);
    EXPECT_EQ(program.look(8, 20), 2);
  }
}

TEST(Looks, OfWhoComputesAfterItHasWaitedKeepTheCore) {
  for (const int between : {1, 10}) {  // looks between two pieces of work
    Program program(kOversubscribed, 10);
    EXPECT_GT(program.look(100, 20), 0);
    program.looks.found();
    int yields = 0;
    for (int i = 0; i < 1'000; ++i) {
      yields += program.look(1, 20'000);
      yields += program.look(between - 1, 20);
      if (i % 7 == 0) program.looks.found();
    }
    EXPECT_LE(yields, between == 1 ? 0 : 8) << "in its first rounds, before work between two timed looks";
  }
}

TEST(Looks, OfWhoHasWaitedAreNotTimedWhereItHasACore) {
  Program program(kOversubscribed);
  EXPECT_GT(program.look(100, 20), 0);
  program.looks.found();
  EXPECT_TRUE(program.looks.times_next());
  EXPECT_TRUE(program.looks.missed());
  EXPECT_FALSE(program.looks.needs_time(kWithCore));
  EXPECT_FALSE(program.looks.times_next());
}

}  // namespace
}  // namespace starling::progress
