// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Host: all that a part of the library sees of its process. A part posts records and messages through it, and asks it
// to call the program; what else the process consists of is not the part's business.
//
// **Thread safety**: none; belongs to the thread of its session. **Invariants**: methods of elements run one at a time,
// and never inside one another, except constructors.
#pragma once

#include <functional>
#include <starling/array/core.hpp>
#include <string>
#include <vector>

#include "marks.hpp"
#include "message.hpp"
#include "program/clock.hpp"
#include "wire/records.hpp"

namespace starling::array::detail {

class Host {
 public:
  /// What the program asks of its session.
  struct Settings {
    std::function<void(const std::string&)> on_error;
    double patience_s = 0;
    bool is_restless = false;
  };

  Session& session() const { return session_; }
  Records& records() const { return records_; }
  MessageQueue& queue() const { return queue_; }
  int rank() const { return records_.rank(); }
  int size() const { return records_.size(); }
  double now_s() const { return wall_s(); }
  /// The machine of each process, by number; empty where that is not known.
  const std::vector<std::int32_t>& nodes() const { return nodes_; }
  ReplyTo reply_to(std::int32_t rank, std::uint32_t slot) const { return {&core_, rank, slot}; }

  // The program.

  /// Calls a method of an element that is here.
  virtual void invoke(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply) = 0;
  /// Makes the object of an entry by a constructor of the program.
  virtual void construct(Entry& entry, std::uint32_t constructor, Archive& arguments) = 0;
  /// Makes the object of an entry from what another process packed.
  virtual void unpack(Entry& entry, Archive& in) = 0;
  /// The element whose method or constructor runs; null for main.
  virtual Entry* running() const = 0;
  /// Delivers a packed value.
  virtual void call_back(const Callback& to, const char* bytes, std::size_t size) = 0;
  /// Sets a future, of any process.
  virtual void reply(const ReplyTo& to, const char* bytes, std::size_t size, bool is_error) = 0;
  /// A mistake of the program: told to the session's handler, or thrown.
  virtual void fail(const std::string& text) = 0;

  /// Whether the owner of this process's machine wants it to have no elements.
  virtual bool is_vacated() const = 0;

  // The loop of the process, from main.

  virtual void run_until(const std::function<bool()>& is_done) = 0;
  /// Process 0: until nothing is under way.
  virtual void quiesce() = 0;

  /// Other numbers on each process.
  std::uint64_t random() {
    std::uint64_t state = random_ += 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
  }
  void seed(std::uint64_t salt) { random_ = salt + ((static_cast<std::uint64_t>(rank()) + 1) << 40); }

  Session::Counters counters;
  Settings settings;
  Marks marks;
  int arrays_with_links = 0;  // that measure them
  bool has_landings = false;  // that were collected, and are to be sent at the end of a step
  double taken_s = 0;         // by methods that are measured, and by what kept them waiting

 protected:
  Host(Core& core, Session& session, Records& records, MessageQueue& queue)
      : core_(core), session_(session), records_(records), queue_(queue) {}
  ~Host() = default;

  std::vector<std::int32_t> nodes_;

 private:
  Core& core_;
  Session& session_;
  Records& records_;
  MessageQueue& queue_;
  std::uint64_t random_ = 1;
};

}  // namespace starling::array::detail
