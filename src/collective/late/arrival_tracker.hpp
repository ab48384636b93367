// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrivalTracker: one rank's side of a communicator's ArrivalHistory: what it tells the others about its calls, and how
// it learns which way the next one goes.
//
// Where nobody was late for a while it watches only some calls: two in a row after each pause, for how long a rank
// stays away before a call is known from the call before.
//
// Several calls may be under way, as nonblocking ones are, and may end in any order.
//
// Thread safety: the holder of the world's lock.
// Invariants: all ranks enter the same calls in the same order. Every enter() is followed by leave().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrival/predict/cost.hpp"
#include "arrival/predict/predictor.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/choose/policy.hpp"
#include "collective/late/site_ids.hpp"
#include "collective/node/arrival_history.hpp"
#include "collective/node/shared_buffer.hpp"
#include "progress/engine.hpp"

namespace starling::collective {

class ArrivalTracker;

/// All that the late-rank table is made from: it outlives communicators and, with the last of them, Collectives.
struct LateTableSource {
  std::vector<ArrivalTracker*> trackers;
  std::string finished_lines;  ///< lines of communicators that are no more
};

/// A call of which ranks keep account.
struct WatchedCall {
  const Arguments& arguments;
  std::uint64_t number;  ///< of the communicator's collective calls; the first is 1
  const Machine& machine;
  LateHandling handling;
};

class ArrivalTracker {
 public:
  ArrivalTracker(SharedBuffer& shared, std::int32_t rank, std::shared_ptr<LateTableSource> table_source);
  ~ArrivalTracker();
  ArrivalTracker(const ArrivalTracker&) = delete;
  ArrivalTracker& operator=(const ArrivalTracker&) = delete;

  /// Whether the call with this number is watched: the same on every rank.
  [[nodiscard]] bool watches(std::uint64_t number) const noexcept { return number >= next_watched_; }
  /// Before a watched call begins. A blocking call waits where some rank is kPlans calls behind; for another one
  /// nothing is predicted then, and it waits at most for another rank to write down its decision. Nothing is predicted
  /// when a rank dies meanwhile.
  std::optional<ArrivalPrediction> enter(progress::Engine& progress, const WatchedCall& call);
  /// After the call with this number.
  void leave(std::uint64_t number);

  /// This share of the work before the next call is done; says alike of every kind when it will come.
  void tell_progress(double fraction);

  /// The table's lines of the kinds that this communicator knows, once this rank makes no more calls on it.
  [[nodiscard]] std::string lines();

 private:
  /// What this rank alone knows of a kind of the history.
  struct OwnKind {
    std::uint32_t generation = 0;
    const void* site = nullptr;
    std::uint64_t calls = 0;
    double time_s = 0;
    arrival::Slicing slicing;
    bool away_since_entry = false;  ///< what `away` is counted from
    arrival::Predictor away;
  };
  /// A call with a plan that it has entered and not left.
  struct OpenCall {
    std::uint64_t number;
    std::size_t stay;
    std::int64_t entered_ns;
    std::int32_t kind;
    std::uint32_t generation;
  };

  [[nodiscard]] ArrivalHistory::Key key_of(const Arguments& arguments) noexcept;
  [[nodiscard]] std::int32_t find_kind(const ArrivalHistory::Key& key, const Machine& machine);
  void tell_entry(std::uint64_t call);
  void tell_left();
  void note_event(std::int64_t at_ns, bool entry);
  [[nodiscard]] std::uint64_t left_by_all() const noexcept;
  [[nodiscard]] bool has_room() const noexcept;
  void make_plan(ArrivalHistory::CallPlan& plan, const WatchedCall& call);
  void expect(ArrivalHistory::CallPlan& plan, std::uint64_t call);
  [[nodiscard]] std::int64_t expected_ns(std::size_t rank, std::int32_t kind) const;
  [[nodiscard]] int decide(ArrivalHistory::CallPlan& plan, LateHandling handling);
  void learn();
  void learn(ArrivalHistory::CallPlan& plan);
  OwnKind& begin(const ArrivalHistory::CallPlan& plan, const WatchedCall& call);
  void tell_away(std::int32_t kind, const OwnKind& own);

  SharedBuffer& shared_;
  ArrivalHistory history_;
  std::size_t rank_;
  std::shared_ptr<LateTableSource> table_source_;
  SiteIds sites_;
  std::array<OwnKind, ArrivalHistory::kKinds> own_;
  std::vector<OpenCall> open_;  ///< in the order of their numbers
  std::uint64_t newest_ = 0;    ///< watched call that it has entered
  std::uint64_t watched_ = 0;   ///< calls so far
  std::uint64_t next_watched_ = 0;
  std::int64_t entered_ns_ = 0;  ///< the newest call
  std::int64_t since_ns_ = 0;    ///< when it last entered or left a call
  bool since_entry_ = false;     ///< which of both it did
  bool knows_since_ = false;     ///< no call has been missed since then
  bool told_progress_ = false;   ///< since then
};

}  // namespace starling::collective
