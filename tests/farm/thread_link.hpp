// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A Link between threads: the processes of a farm as threads of a test, which can die at any moment.
//
// Thread safety: Net: any thread. ThreadLink: one thread, as every Link.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
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
  /// Until then this one hears of no death.
  void keep_deaths_from(int rank, bool keep) {
    const std::lock_guard lock(mutex_);
    deaf_ = keep ? rank : -1;
  }
  /// False if it is dead.
  bool call(int rank, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (dead_[static_cast<std::size_t>(rank)]) return false;
    calls_[rank] = text;
    return true;
  }
  /// What a spare is told at last.
  std::string wait_for_call(int rank) {
    for (;; std::this_thread::sleep_for(std::chrono::microseconds(100))) {
      const std::lock_guard lock(mutex_);
      if (dead_[static_cast<std::size_t>(rank)]) throw Killed{};
      if (calls_.contains(rank)) return calls_[rank];
    }
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
  bool hears_of_death(int of, int who) {
    const std::lock_guard lock(mutex_);
    return dead_[static_cast<std::size_t>(of)] && who != deaf_;
  }

 private:
  std::mutex mutex_;
  std::vector<bool> dead_;
  int deaf_ = -1;
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<const Buffer>>> mail_;
  std::map<std::pair<int, int>, std::size_t> sent_;
  std::map<int, std::string> calls_;
};

class ThreadLink final : public Link {
 public:
  ThreadLink(Net& net, int rank) : ThreadLink(net, rank, rank) {}
  /// Of a spare in another one's place.
  ThreadLink(Net& net, int rank, int place) : net_(net), rank_(rank), place_(place) {}

  int rank() const override { return place_; }
  void open(int peer) override { peers_.insert(peer); }
  void close(int peer) override { peers_.erase(peer); }
  bool idle(int) const override { return true; }
  void send(int peer, std::shared_ptr<const Buffer> message) override {
    net_.send(rank_, rank_of(peer), std::move(message));
  }
  int grow() override { return -1; }
  void assign(int peer, int rank) override {
    peers_.erase(peer);
    ranks_[peer] = rank;
  }
  bool call(int rank, const std::string& text) override { return net_.call(rank, text); }
  void flush() override {}
  bool poll(Listener& listener) override {
    bool busy = false;
    for (const int peer : std::set<int>(peers_)) {
      const int rank = rank_of(peer);
      const bool dead = net_.hears_of_death(rank, rank_);
      std::shared_ptr<const Buffer> message;
      while (peers_.contains(peer) && rank_of(peer) == rank && net_.receive(rank, rank_, message)) {
        busy = true;
        listener.on_message(peer, message);
      }
      if (!dead || !peers_.contains(peer) || rank_of(peer) != rank) continue;
      peers_.erase(peer);
      listener.on_death(peer);
      busy = true;
    }
    return busy;
  }

 private:
  int rank_of(int peer) const {
    const auto found = ranks_.find(peer);
    return found != ranks_.end() ? found->second : peer;
  }

  Net& net_;
  const int rank_;
  const int place_;
  std::map<int, int> ranks_;
  std::set<int> peers_;
};

}  // namespace starling::farm
