// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Relay: the one thread of a process that talks to others. It takes tasks from the queue for the children as the
// Calculate threads do for themselves, puts their results into the other queue, and, unless the server is here, sends
// what is there to the parent. It never blocks in a message: it polls, soon after something has happened and ever more
// seldom when nothing does.
//
// It has no duty of its own beside the loop and what each message is for: the Dispatcher gives tasks out, Failover acts
// on deaths, the Upstream is the server or a parent, PortTraffic is for Inputs and Outputs elsewhere. Every result may
// come twice; the server's gate lets it through once.
//
// Thread safety: one thread runs it.
// Source: Squyres, "Gazizza, Bill" (2001): RelayIn, RelayCalc, RelayOut, one thread that owns MPI.
#pragma once

#include <functional>

#include "dispatcher.hpp"
#include "failover.hpp"
#include "port_traffic.hpp"
#include "upstream.hpp"

namespace starling::farm {

class Relay : private Listener {
 public:
  Relay(const RelayContext& context, Upstream& upstream, PortTraffic& ports,
        Failover::LastResort last_resort = Failover::LastResort::kSetAside);

  /// Until the farm has ended. `tick` is called about ten times a second and asks for the run to end early by true.
  /// Throws std::runtime_error if the server is dead.
  void run(const std::function<bool()>& tick);

  const std::vector<NodeReport>& reports() const { return reports_; }
  /// What the server said with the end.
  RunEnd run_end() const { return context_.children.run_end(); }

 private:
  void on_message(int peer, std::shared_ptr<const Buffer> message) override;
  void on_death(int peer) override;
  bool comes_early(MessageKind kind, int peer) const;
  void take_early();
  void on_hello(int peer, const Hello& hello);
  void on_results(int peer, const std::shared_ptr<const Buffer>& message);
  void on_bye(int peer, const Buffer& message);

  void on_places(const std::vector<Replacement>& all);
  void put_in_place(const Replacement& replacement);
  bool may_go_astray(int place) const;

  bool step();
  void rest(bool busy);
  void look_for_threads();
  void leave_if_over();
  void stop(RunEnd end, bool after_deaths);
  void say_bye();

  const RelayContext& context_;
  Upstream& upstream_;
  PortTraffic& ports_;
  Dispatcher dispatcher_;
  Failover failover_;
  /// From processes that are listened to for another reason, and have joined here as orphans before this one has heard
  /// of the death that made them so.
  std::map<int, std::vector<std::shared_ptr<const Buffer>>> early_;
  std::vector<NodeReport> reports_;
  double started_s_ = 0;  ///< Of this thread's processor time.
  int quiet_ = 0;         ///< Steps in which nothing happened, up to the longest rest.
  bool asked_to_drain_ = false;
  bool said_bye_ = false;
  bool finished_ = false;
};

}  // namespace starling::farm
