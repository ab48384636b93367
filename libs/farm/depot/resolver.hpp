// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Resolver: fetches data for the server's own Calculate threads, which take tasks that are away from the same queue as
// the relay. The thread waits for its chunk.
//
// Thread safety: resolve() any Calculate thread; serve() the relay's thread; stop() one thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "depot.hpp"
#include "queue/bell.hpp"

namespace starling::farm {

class Resolver {
 public:
  explicit Resolver(Bell& bell) : bell_(bell) {}

  /// After it no task of the chunk is away; what has gone is TaskState::kGone.
  void resolve(Tasks& chunk);
  /// Asks for what threads wait for. False if there was nothing.
  bool serve(Depot& depot);
  /// Nobody waits any more, and nothing is asked for: those who have the data may leave.
  void stop();

 private:
  struct Request {
    Parcel parcel;
    Task* task;
    std::size_t* open;  ///< How many its thread waits for; nullptr: for none any more.
  };
  void answer(Request& request, const Slice* bytes);

  Bell& bell_;
  std::mutex mutex_;  ///< Guards all that follows, and what requests point to.
  std::condition_variable answered_;
  std::vector<std::shared_ptr<Request>> new_;
  bool stopped_ = false;
};

}  // namespace starling::farm
