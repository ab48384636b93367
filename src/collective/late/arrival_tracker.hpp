// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Foresight: one rank's side of a communicator's Board: what it tells the others about its calls, and how it learns
// which way the next one goes.
//
// Thread safety: the holder of the world's lock.
// Invariants: all ranks enter and leave the same calls in the same order, so they number kinds and calls alike. Every
// enter() is followed by leave().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrival/predict/cost.hpp"
#include "arrival/predict/predictor.hpp"
#include "collective/choose/algorithm.hpp"
#include "collective/node/arrival_history.hpp"
#include "collective/node/shared_buffer.hpp"
#include "progress/engine.hpp"

namespace starling::collective {

/// How a call shall go; the same on all ranks.
struct Outlook {
  bool known = false;                        ///< whether there is any
  bool late = false;                         ///< whether going around late ranks pays
  std::span<const arrival::Ticks> arrivals;  ///< when each rank is expected, in nanoseconds from the first
  arrival::Slicing slicing;
};

class Foresight;

/// All that the late-rank table is made from: it outlives communicators and, with the last of them, its engine.
struct Ledger {
  std::vector<Foresight*> alive;
  std::string gone;  ///< lines of communicators that are no more
};

/// The machine as schedules see it, and the cut that is best on it.
[[nodiscard]] arrival::Link link_of(const Machine& machine) noexcept;
[[nodiscard]] arrival::Slicing slicing_of(std::int64_t bytes, std::int32_t ranks, const Machine& machine);

/// Whether a call may go around late ranks, or is only watched.
enum class Freedom : std::uint8_t { kWatched, kMayGoAround };

class Foresight {
 public:
  Foresight(Area& area, std::int32_t rank, std::shared_ptr<Ledger> ledger);
  ~Foresight();
  Foresight(const Foresight&) = delete;
  Foresight& operator=(const Foresight&) = delete;

  /// Before a call runs. Waits only if some rank is kPlans calls behind. Nothing is known when a rank dies meanwhile.
  Outlook enter(progress::Engine& progress, const Arguments& arguments, const Machine& machine, Freedom freedom);
  /// After it.
  void leave();

  /// This share of the work before the next call is done; says alike of every kind when it will come.
  void tell_progress(double fraction);

  /// The table's lines of this communicator's kinds.
  [[nodiscard]] std::string lines() const;

 private:
  struct Known {
    Operation operation{};
    std::int64_t bytes = 0;
    std::int32_t root = 0;
    const void* site = nullptr;
    std::uint64_t calls = 0;
    double time_s = 0;
    double vector_s = 0;  ///< what a message as long as the vector takes
    arrival::Slicing slicing;
    arrival::Predictor predictor;
    std::int64_t entered_ns = 0;
    std::int64_t left_ns = 0;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  [[nodiscard]] std::size_t find(const Arguments& arguments, std::int64_t bytes, const Machine& machine);
  void tell_entry(Known& known, const Board::Kind& kind);
  bool make_room(progress::Engine& progress, const Board::Kind& kind, std::uint64_t call,
                 const comm::Communicator& comm);
  void make_plan(const Board::Kind& kind, const Known& known, Freedom freedom);
  static void learn(const Board::Kind& kind);
  static void learn(const Board::Kind& kind, std::uint64_t call);

  Area& area_;
  Board board_;
  std::size_t rank_;
  std::shared_ptr<Ledger> ledger_;
  std::vector<Known> known_;
  std::size_t current_ = kNone;
};

}  // namespace starling::collective
