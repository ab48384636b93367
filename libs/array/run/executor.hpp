// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Executor: calls the program. Messages that are queued are delivered to methods, coroutines go on, objects are made,
// packed ones arrive.
//
// **Thread safety**: none; belongs to the thread of its session. **Invariants**: methods run one at a time, and never
// inside one another, except constructors, which run where create() is called, and destructors where main calls
// destroy().
#pragma once

#include <deque>
#include <string>

#include "balance/load_clock.hpp"
#include "element/entry.hpp"
#include "element/host.hpp"
#include "element/streams.hpp"
#include "population/collector.hpp"

namespace starling::array::detail {

class Executor {
 public:
  Executor(Host& host, MessageQueue& queue, Streams& streams, Collector& collector)
      : host_(host), queue_(queue), streams_(streams), collector_(collector) {}
  ~Executor() { drop_messages(); }
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// The element whose method or constructor runs; null for main.
  Entry* running() const { return running_; }

  /// The next queued message; whether there was one.
  bool deliver_next();
  void invoke(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply);
  void construct(Entry& entry, std::uint32_t constructor, Archive& arguments);
  void unpack(Entry& entry, Archive& in);

  /// The coroutine at `frame` goes on at a next step.
  void resume_later(void* frame, Entry* entry) { frames_.push_back({frame, entry}); }
  /// One of them; whether there was any.
  bool resume_next();
  bool has_frames() const { return !frames_.empty(); }
  /// A coroutine ended with the exception that is being handled.
  void note_exception();

  /// After a loss: nothing is queued, and no coroutine waits.
  void drop_all();

 private:
  struct Frame {
    void* frame;
    Entry* entry;
  };

  void deliver(Message* message);
  template <class Call>
  void call_element(Entry& entry, std::uint32_t method, Call&& call);
  void invoke_of_library(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply);
  void begin_load();
  void end_load(Entry& entry);
  void drop_messages();

  Host& host_;
  MessageQueue& queue_;
  Streams& streams_;
  Collector& collector_;
  std::deque<Frame> frames_;
  Entry* running_ = nullptr;
  LoadClock load_clock_;
  std::string thrown_;  // by a coroutine
};

}  // namespace starling::array::detail
