// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Standard input of the job: rank 0 gets ours, the others an empty one.
//
// A file or a pipe is simply handed to rank 0. A terminal is not, because only the foreground process group may read it and
// the ranks are groups of their own (signals reach them once, from us): the launcher reads it and forwards.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <string>

#include "bootstrap/descriptor.hpp"
#include "launch/event_loop.hpp"

namespace starling::launch {

class Input {
 public:
  explicit Input(EventLoop& loop) : loop_(loop) {}

  /// Opens what the ranks will read; true when it worked. direct: rank 0 stays in our process group and may read itself.
  bool open(bool direct);
  [[nodiscard]] int for_rank_zero() const noexcept { return rank_zero_; }
  [[nodiscard]] int for_others() const noexcept { return nothing_.get(); }
  [[nodiscard]] bool forwards_terminal() const noexcept { return forward_.valid(); }

  /// Begins to forward; call after rank 0 has been started.
  void start();
  /// Tries again after the launcher has come back to the foreground.
  void resume();

 private:
  void read_terminal();
  void write_pending();
  void end();

  EventLoop& loop_;
  bootstrap::Descriptor nothing_;
  bootstrap::Descriptor forward_;    ///< our end of the pipe to rank 0
  bootstrap::Descriptor rank_end_;   ///< its end, closed once it has been started
  int rank_zero_ = -1;
  std::string pending_;
  bool reading_ = false;
};

}  // namespace starling::launch
