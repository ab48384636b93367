// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A Link between threads: the processes of a farm as threads of a test, which can die at any moment.
//
// Thread safety: Net: any thread. ThreadLink: one thread, as every Link.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "wire/link.hpp"

namespace starling::farm {

/// Thrown in a process that is dead.
struct Killed {};

class Net {
 public:
  explicit Net(int size) : dead_(static_cast<std::size_t>(size), false) {}

  void send(int from, int to, std::shared_ptr<const Buffer> message) {
    const std::lock_guard lock(mutex_);
    if (dead_[static_cast<std::size_t>(from)]) throw Killed{};
    mail_[{from, to}].push_back(std::move(message));
    ++sent_[{from, to}];
  }
  /// Messages so far.
  std::size_t sent(int from, int to) {
    const std::lock_guard lock(mutex_);
    return sent_[{from, to}];
  }
  /// False if there is nothing.
  bool receive(int from, int to, std::shared_ptr<const Buffer>& message) {
    const std::lock_guard lock(mutex_);
    if (dead_[static_cast<std::size_t>(to)]) throw Killed{};
    auto& box = mail_[{from, to}];
    if (box.empty()) return false;
    message = std::move(box.front());
    box.pop_front();
    return true;
  }
  /// What it has sent already still arrives.
  void kill(int rank) {
    const std::lock_guard lock(mutex_);
    dead_[static_cast<std::size_t>(rank)] = true;
  }
  bool waits(int from, int to) {
    const std::lock_guard lock(mutex_);
    return !mail_[{from, to}].empty();
  }
  /// Messages that nobody has taken in.
  std::size_t unread() {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [between, box] : mail_) count += box.size();
    return count;
  }
  bool is_dead(int rank) {
    const std::lock_guard lock(mutex_);
    return dead_[static_cast<std::size_t>(rank)];
  }

 private:
  std::mutex mutex_;
  std::vector<bool> dead_;
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<const Buffer>>> mail_;
  std::map<std::pair<int, int>, std::size_t> sent_;
};

class ThreadLink final : public Link {
 public:
  ThreadLink(Net& net, int rank) : net_(net), rank_(rank) {}

  int rank() const override { return rank_; }
  void open(int peer) override { peers_.insert(peer); }
  void close(int peer) override { peers_.erase(peer); }
  bool idle(int) const override { return true; }
  void send(int peer, std::shared_ptr<const Buffer> message) override { net_.send(rank_, peer, std::move(message)); }
  int grow() override { return -1; }
  void flush() override {}
  bool poll(Listener& listener) override {
    bool busy = false;
    for (const int peer : std::set<int>(peers_)) {
      const bool dead = net_.is_dead(peer);
      std::shared_ptr<const Buffer> message;
      while (peers_.contains(peer) && net_.receive(peer, rank_, message)) {
        busy = true;
        listener.on_message(peer, message);
      }
      if (!dead || !peers_.contains(peer)) continue;
      peers_.erase(peer);
      listener.on_death(peer);
      busy = true;
    }
    return busy;
  }

 private:
  Net& net_;
  const int rank_;
  std::set<int> peers_;
};

}  // namespace starling::farm
