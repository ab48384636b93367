// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A Link between threads: the processes of a farm as threads of a test, which can die at any moment.
//
// Thread safety: Net: any thread. ThreadLink: one thread, as every Link.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
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
    if (at_send_ && at_send_(from, to, *message)) {
      dead_[static_cast<std::size_t>(to)] = true;
      at_send_ = {};
    }
    ++sent_[{from, to}];
    bytes_[from] += message->size();
    bytes_[to] += message->size();
    Clock::time_point& last = last_[{from, to}];
    last = std::max(last, Clock::now() + some_time(kMessages));
    mail_[{from, to}].push_back({std::move(message), last});
  }
  /// From now on messages are on their way for some time, and word of a death as well: to each process another, by
  /// chance. `story` is what to say of the farm that does not end.
  void take_time(std::uint64_t seed, std::string story) {
    chance_.seed(seed);
    takes_time_ = true;
    story_ = std::move(story);
  }
  const std::string& story() const { return story_; }
  /// Kills who is sent the first such message, before it has it.
  void kill_at(std::function<bool(int from, int to, const Buffer& message)> at_send) { at_send_ = std::move(at_send); }
  /// Messages so far.
  std::size_t sent(int from, int to) {
    const std::lock_guard lock(mutex_);
    return sent_[{from, to}];
  }
  /// That came from it or went to it.
  std::size_t bytes_of(int rank) {
    const std::lock_guard lock(mutex_);
    return bytes_[rank];
  }
  /// False if there is nothing.
  bool receive(int from, int to, std::shared_ptr<const Buffer>& message) {
    const std::lock_guard lock(mutex_);
    if (dead_[static_cast<std::size_t>(to)]) throw Killed{};
    auto& box = mail_[{from, to}];
    if (box.empty()) return false;
    if (box.front().second > Clock::now()) return false;
    message = std::move(box.front().first);
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
  /// What starts one more process, and returns its number.
  void grow_by(std::function<int()> start) { start_ = std::move(start); }
  int grow() const { return start_ ? start_() : -1; }
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
    if (!dead_[static_cast<std::size_t>(of)] || who == deaf_) return false;
    if (!takes_time_) return true;
    const auto heard = heard_.try_emplace({of, who}, Clock::now() + some_time(kDeaths)).first->second;
    const auto& box = mail_[{of, who}];
    return heard <= Clock::now() && (box.empty() || box.back().second <= Clock::now());
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned kMessages = 2000;  // us, at most
  static constexpr unsigned kDeaths = 6000;

  /// Mostly none.
  std::chrono::microseconds some_time(unsigned most_us) {
    if (!takes_time_ || chance_() % 4 != 0) return {};
    return std::chrono::microseconds(chance_() % most_us);
  }

  std::mutex mutex_;
  std::vector<bool> dead_;
  int deaf_ = -1;
  std::map<std::pair<int, int>, std::deque<std::pair<std::shared_ptr<const Buffer>, Clock::time_point>>> mail_;
  std::map<std::pair<int, int>, Clock::time_point> last_;   ///< When the last message on this way arrives.
  std::map<std::pair<int, int>, Clock::time_point> heard_;  ///< When the death of the one is known to the other.
  std::function<bool(int, int, const Buffer&)> at_send_;
  std::function<int()> start_;
  bool takes_time_ = false;
  std::mt19937_64 chance_;
  std::string story_ = "one whose messages take no time";
  std::map<std::pair<int, int>, std::size_t> sent_;
  std::map<int, std::size_t> bytes_;
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
  int grow() override { return net_.grow(); }
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
