// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PendingWork: what waits on any process for what will never come: messages to elements that nobody created,
// reductions, coroutines. It is told to process 0, so that all end a run alike.
//
// **Thread safety**: none; one process's part. **Invariants**: nothing is under way while process 0 asks.
#pragma once

#include <string>

#include "futures.hpp"
#include "population/arrays.hpp"

namespace starling::array::detail {

class PendingWork {
 public:
  PendingWork(Host& host, const Arrays& arrays, const Streams& streams, const Futures& futures)
      : host_(host), arrays_(arrays), streams_(streams), futures_(futures) {}

  /// Process 0: what all processes say of theirs; empty if there is nothing.
  std::string of_all();
  /// Of this process.
  std::string describe() const;
  /// Whether all shall be told: a process with a handler tells it there.
  bool must_tell() const { return !host_.settings.on_error && !describe().empty(); }
  /// To the handler, if there is one: nothing is under way any more, so what waits now waits for ever.
  void tell_handler() const;

  void handle_ask(const Record& record);
  void handle_tell(const Record& record);

 private:
  Host& host_;
  const Arrays& arrays_;
  const Streams& streams_;
  const Futures& futures_;
  int answers_ = 0;
  std::string told_;
};

}  // namespace starling::array::detail
