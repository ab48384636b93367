// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrivalTracker: one rank's side of a communicator's ArrivalHistory: what it tells the others about its calls, and how
// it learns which way the next one goes.
//
// Thread safety: the holder of the world's lock.
// Invariants: all ranks enter and leave the same calls in the same order, so they number kinds and calls alike. Every
// enter() is followed by leave().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrival/drive/own_calls.hpp"
#include "arrival/predict/cost.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/choose/policy.hpp"
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

class ArrivalTracker {
 public:
  ArrivalTracker(SharedBuffer& shared, std::int32_t rank, std::shared_ptr<LateTableSource> table_source);
  ~ArrivalTracker();
  ArrivalTracker(const ArrivalTracker&) = delete;
  ArrivalTracker& operator=(const ArrivalTracker&) = delete;

  /// Before a call runs. Waits only if some rank is kPlans calls behind. Nothing is predicted when a rank dies
  /// meanwhile.
  std::optional<ArrivalPrediction> enter(progress::Engine& progress, const Arguments& arguments, const Machine& machine,
                                         LateHandling handling);
  /// After it.
  void leave();

  /// This share of the work before the next call is done; says alike of every kind when it will come.
  void tell_progress(double fraction);

  /// The table's lines of this communicator's kinds.
  [[nodiscard]] std::string lines() const;

 private:
  /// One kind of call: operation, bytes, root.
  struct CallKind {
    Operation operation{};
    std::int64_t bytes = 0;
    std::int32_t root = 0;
    const void* site = nullptr;
    std::uint64_t calls = 0;
    double vector_s = 0;  ///< what a message as long as the vector takes
    arrival::Slicing slicing;
    arrival::OwnCalls own;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  [[nodiscard]] std::size_t find(const Arguments& arguments, std::int64_t bytes, const Machine& machine);
  void tell_entry(CallKind& kind, const ArrivalHistory::CallHistory& history, std::int64_t at_ns);
  bool make_room(progress::Engine& progress, const ArrivalHistory::CallHistory& history, std::uint64_t call,
                 const comm::Communicator& comm);
  static void make_plan(const ArrivalHistory::CallHistory& history, const CallKind& kind, LateHandling handling,
                        std::int64_t at_ns);
  static void learn(const ArrivalHistory::CallHistory& history, const CallKind& kind);
  static void learn(const ArrivalHistory::CallHistory& history, const CallKind& kind, std::uint64_t call);

  SharedBuffer& shared_;
  ArrivalHistory history_;
  std::size_t rank_;
  std::shared_ptr<LateTableSource> table_source_;
  std::vector<CallKind> kinds_;
  std::size_t current_ = kNone;
};

}  // namespace starling::collective
