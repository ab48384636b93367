// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Forwards what is typed at our terminal into a pipe, the standard input of rank 0.
//
// A file or a pipe is simply handed down. A terminal is not, because only its foreground process group may read it and
// the ranks are groups of their own (so that signals reach them once, from us): the guardian reads it for them.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <string>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"

namespace starling::launch {

class TerminalInput {
 public:
  /// Takes the writing end of the pipe over; an invalid one forwards nothing.
  TerminalInput(EventLoop& loop, Descriptor pipe);

  /// Begins to forward, and tries again after we have come back to the foreground.
  void resume();

 private:
  void read_terminal();
  void write_pending();
  void end();

  EventLoop& loop_;
  Descriptor pipe_;
  std::string pending_;
  bool reading_ = false;
};

}  // namespace starling::launch
