// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Mailbox: where the links to one rank end. Its owner takes out what has arrived; the senders put in, each on its own
// link. While the owner sleeps a timer tells it when something has arrived or room has been made.
//
// Thread safety: any thread; each call holds the mailbox's mutex, but those marked lock-free. take(), take_rest(),
// arm() and close() are the owner's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "transport/loop/link.hpp"
#include "transport/loop/settings.hpp"
#include "transport/loop/wake_timer.hpp"

namespace starling::transport::loop {

/// A frame that has arrived.
struct Arrival {
  WorldRank from;
  Frame frame;
};

/// What becomes of packets that are under way on a link when it breaks.
enum class UnderWay : std::uint8_t { kArrives, kIsLost };

class Mailbox {
 public:
  enum class Room : std::uint8_t { kThereIs, kFull, kBroken };

  /// settings: outlive the mailbox.
  static Result<std::unique_ptr<Mailbox>> create(WorldRank owner, std::int32_t ranks, const Settings& settings);

  /// Whether a frame with so many bytes can be sent now. The owner rings the sender once it has made room.
  Room room_for(WorldRank from, std::size_t bytes);
  /// Sends a frame for which there is room; returns when it arrives.
  std::int64_t post(WorldRank from, Frame frame);
  /// Frames under way. The owner rings the sender once there are fewer.
  [[nodiscard]] std::size_t under_way(WorldRank from);
  /// The sender has left: what has not arrived yet is lost.
  void lose_late(WorldRank from);

  /// False: a call of take() finds nothing. Lock-free.
  [[nodiscard]] bool may_have_arrivals() const noexcept;
  /// Takes some of what has arrived. waiting: the senders that there is room for now.
  void take(std::vector<Arrival>& arrivals, std::vector<WorldRank>& waiting);
  /// The senders whose link has broken and is empty, each named once.
  void take_broken(std::vector<WorldRank>& broken);
  /// Takes all that is under way from a rank, and breaks the link.
  void take_rest(WorldRank from, std::vector<Arrival>& arrivals);

  /// The owner is about to sleep: from now on the descriptor becomes readable when something arrives, when ring() is
  /// called, and at own_due_ns. False: there is something already.
  bool arm(std::int64_t own_due_ns);
  [[nodiscard]] int descriptor() const noexcept { return timer_.descriptor(); }
  /// Something has changed for the owner beside arrivals.
  void ring();

  void break_link(WorldRank from, UnderWay packets);
  /// Lock-free.
  [[nodiscard]] bool is_broken(WorldRank from) const noexcept { return links_[from.index()].is_broken(); }
  /// The owner has left: what arrives from now on is dropped. waiting: the senders that there is room for now.
  void close(std::vector<WorldRank>& waiting);

 private:
  Mailbox(WorldRank owner, std::int32_t ranks, const Settings& settings);

  /// Something arrives, or has happened, at this time.
  void expect(std::int64_t due_ns);

  std::mutex mutex_;
  std::deque<Link> links_;  ///< by the sender's world rank
  /// When the owner has to look next. Written under the mutex; relaxed, because a reader that misses a change looks
  /// again, or arms, which takes the mutex.
  std::atomic<std::int64_t> look_at_ns_{Link::kNever};
  WakeTimer timer_;
  bool armed_ = false;
  std::int64_t timer_at_ns_ = Link::kNever;
  bool closed_ = false;
  bool has_broken_ = false;  ///< a link of which take_broken() has not told
};

}  // namespace starling::transport::loop
