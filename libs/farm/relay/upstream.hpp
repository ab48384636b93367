// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Upstream: where a relay's tasks come from and its results go to. In the root that is the server in the same process
// (RootUpstream), elsewhere a parent (ParentUpstream).
//
// Thread safety: the relay's thread.
#pragma once

#include <optional>

#include "relay_context.hpp"

namespace starling::farm {

class Upstream {
 public:
  virtual ~Upstream() = default;

  /// How often the relay looks around although nothing happens.
  virtual std::chrono::milliseconds look_period() const = 0;
  /// Once when the process joins, and whenever the number of threads here and below may have changed.
  virtual void tell_threads(bool joining) = 0;
  /// Tasks from a parent.
  virtual void take_tasks(int parent, const std::shared_ptr<const Buffer>& message) = 0;
  /// Sends results up, if there are enough. False if nothing happened.
  virtual bool send_results() = 0;
  /// Whether results wait for others to go with.
  virtual bool results_wait() const = 0;
  /// Returns tasks that cannot be calculated here or below. False in the root, which nobody is above.
  virtual bool give_back(MessageKind kind, const Tasks& tasks) = 0;
  /// No Calculate thread is left, here or below.
  virtual void on_no_threads() = 0;
  /// Whether cores idle because Input has ended.
  virtual bool runs_out() const = 0;

  virtual void drain() = 0;  ///< The run shall end early, in order.
  virtual void grow() = 0;   ///< One more process is wanted.
  /// A process has died, before which so many had died in its place.
  virtual void tell_loss(int place, int deaths_before) = 0;
  /// Puts spares in the places of dead processes; the new ones. Only the root does.
  virtual std::vector<Replacement> replace_dead() = 0;
  /// Another process is in this place now; this one works for it where it is the nearest above.
  virtual void on_replaced(int place) = 0;
  /// A process has died. True if it was above.
  virtual bool on_death(int peer) = 0;
  /// The last word of a process above.
  virtual void on_stop(int peer) = 0;
  /// Whether nobody above has anything to say any more.
  virtual bool released() const = 0;

  /// Whether a process has died, as far as is known.
  virtual bool after_deaths() const { return false; }
  /// How the run has ended, once the server in this process has ended it.
  virtual std::optional<RunEnd> ended() const = 0;
  virtual void say_bye(const std::vector<NodeReport>& reports) = 0;
};

[[noreturn]] void throw_server_is_dead();

}  // namespace starling::farm
