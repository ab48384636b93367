// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A discrete-event simulation of processes that exchange messages, in the LogGP model: a message costs its sender and
// its receiver the overhead o of a core each, is L on its way, and takes G more for each byte; processes are
// connected with each other alike and share nothing. A process handles what has come in the order of the arrivals, and
// what a handler sends leaves one after the other. Nothing is random: a run repeats itself exactly.
// Source of the model: Alexandrov, Ionescu, Schauser, Scheiman, "LogGP: Incorporating Long Messages into the LogP
// Model", 1995. Thread safety: as its owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

namespace starling::bench {

/// In nanoseconds.
struct Costs {
  double latency = 1000;  ///< L
  double overhead = 300;  ///< o, at each end
  double byte = 0.1;      ///< G
};

template <typename Message>
class Simulation {
 public:
  Simulation(std::int32_t processes, const Costs& costs)
      : costs_(costs), busy_until_(at(processes)), dead_(at(processes)) {}

  void kill(std::int32_t process) { dead_[at(process)] = true; }
  [[nodiscard]] bool lives(std::int32_t process) const { return !dead_[at(process)]; }

  /// Inside a handler: until when it has kept its process busy by now.
  [[nodiscard]] double now(std::int32_t process) const { return busy_until_[at(process)]; }

  void send(std::int32_t from, std::int32_t to, Message message, double bytes = 8) {
    double& busy = busy_until_[at(from)];
    busy += costs_.overhead;
    if (dead_[at(to)]) return;
    events_.push({busy + costs_.latency + bytes * costs_.byte, number_++, to, true, std::move(message)});
  }
  /// Something that a process does by itself at a time, such as a call.
  void schedule(double time, std::int32_t process, Message message) {
    events_.push({time, number_++, process, false, std::move(message)});
  }

  /// handle(process, message) for each event until none is left.
  template <typename Handle>
  void run(Handle&& handle) {
    while (!events_.empty()) {
      Event event = std::move(const_cast<Event&>(events_.top()));  // NOLINT: moved from just before it goes
      events_.pop();
      double& busy = busy_until_[at(event.process)];
      busy = std::max(busy, event.time) + (event.is_message ? costs_.overhead : 0);
      handle(event.process, event.message);
    }
  }

 private:
  struct Event {
    double time;
    std::uint64_t number;  ///< those of one moment come in the order in which they were sent
    std::int32_t process;
    bool is_message;
    Message message;

    friend bool operator<(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  static std::size_t at(std::int32_t process) { return static_cast<std::size_t>(process); }

  Costs costs_;
  std::vector<double> busy_until_;
  std::vector<bool> dead_;
  std::priority_queue<Event> events_;
  std::uint64_t number_ = 0;
};

}  // namespace starling::bench
