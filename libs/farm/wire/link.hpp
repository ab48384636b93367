// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Link: messages to and from other processes of the farm, and word of their deaths. MpiLink is the one that programs
// use; tests have one between threads.
//
// Thread safety: one thread, the one that runs the relay; wake() any other.
// Invariants: messages between two processes keep their order; after on_death(peer) nothing more comes from it.
#pragma once

#include <memory>
#include <starling/farm/buffer.hpp>
#include <string>

namespace starling::farm {

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_message(int peer, std::shared_ptr<const Buffer> message) = 0;
  virtual void on_death(int peer) = 0;
};

class Link {
 public:
  virtual ~Link() = default;
  virtual int rank() const = 0;
  /// Listens to this process from now on.
  virtual void open(int peer) = 0;
  /// Nothing more will come from it.
  virtual void close(int peer) = 0;
  /// Whether what was sent to it has left.
  virtual bool idle(int peer) const = 0;
  /// Starts one more process, whose parent is this one; who it is from now on. -1 where that cannot be.
  virtual int grow() = 0;
  /// From now on this number is that of another process of the job, by its rank; the one before is dead.
  virtual void assign(int peer, int rank) = 0;
  /// A word to a process that is not in the tree and waits for it. False if that is dead.
  virtual bool call(int rank, const std::string& text) = 0;
  /// Nonblocking; the message stays as it is while somebody holds it.
  virtual void send(int peer, std::shared_ptr<const Buffer> message) = 0;
  /// Tells the listener what has come. False if nothing happened.
  virtual bool poll(Listener& listener) = 0;
  /// Waits until everything has left.
  virtual void flush() = 0;

  /// Whether each rank is a process of its own, whose memory another one cannot see by itself.
  virtual bool joins_processes() const { return false; }

  /// Whether the thread can sleep in the link until a message, a death or wake() comes.
  virtual bool can_sleep() const { return false; }
  virtual void sleep() {}
  /// Ends a sleep that has begun or will; once for each.
  virtual void wake() {}
  /// After each wake(), in the thread that sleeps: ready for the next.
  virtual void end_wake() {}
};

}  // namespace starling::farm
