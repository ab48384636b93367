// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FarTarget: does at one rank of a window what ranks of other nodes ask for (far_message.hpp).
//
// It takes the requests that have come, keeps those of each origin in order and does them one after the other. It never
// waits: what cannot be done yet, because data are still coming or a rank of this node holds the lock of the rank's
// accumulates, is tried again at the next poll. Ranks of this node and of others use the same locks (Control), so their
// accumulates exclude each other. What waits here is bounded; beyond that the messages' own credits hold the origins.
//
// Thread safety: the world's lock. Invariants: the requests of an origin are done in the order in which they were sent,
// but for locks, which nobody's accesses wait for.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "p2p/point_to_point.hpp"
#include "rma/far/far_message.hpp"
#include "rma/shared/control.hpp"
#include "rma/shared/window_peers.hpp"

namespace starling::rma {

class FarTarget {
 public:
  /// base: what the addresses of requests count from.
  FarTarget(p2p::PointToPoint& p2p, comm::Communicator& comm, WindowPeers& peers, const Control& control,
            std::uint64_t base);
  ~FarTarget();
  FarTarget(const FarTarget&) = delete;
  FarTarget& operator=(const FarTarget&) = delete;

  /// Takes and does what can be done; part of every poll.
  bool serve();

  /// How many exposure epochs a far target has opened for this rank, and access epochs a far origin has completed here.
  [[nodiscard]] std::uint32_t posted_by(std::int32_t target) const { return count(posted_, target); }
  [[nodiscard]] std::uint32_t completed_by(std::int32_t origin) const { return count(completed_, origin); }

  /// Everything asked for is done, and every answer has left.
  [[nodiscard]] bool idle() const noexcept { return queued_ == 0 && answers_.empty() && lockers_.empty(); }
  /// Something waits until a rank of this node gives back a lock, which then rings for this rank.
  [[nodiscard]] bool awaits_neighbours() const noexcept { return waits_for_accumulates_ || !lockers_.empty(); }
  /// Lets go of what is not done. The window is broken.
  void abandon();

 private:
  struct Incoming {
    p2p::Request* message = nullptr;  ///< while it arrives
    std::unique_ptr<std::byte[]> bytes;
    std::int64_t size = 0;
    p2p::Request* data = nullptr;  ///< of a long put
  };
  struct Answer {
    p2p::Request* request;
    std::unique_ptr<std::byte[]> bytes;
  };
  struct Locker {
    std::int32_t origin;
    bool exclusive;
  };
  enum class Done : std::uint8_t { kNotYet, kYes };
  using Counts = std::map<std::int32_t, std::uint32_t>;

  [[nodiscard]] static std::uint32_t count(const Counts& counts, std::int32_t rank) {
    const auto found = counts.find(rank);
    return found == counts.end() ? 0 : found->second;
  }
  [[nodiscard]] p2p::Message message(void* data, std::int64_t bytes, std::int32_t rank, FarTag tag) const;
  bool take();
  bool do_requests(std::int32_t origin, std::deque<Incoming>& queue);
  Done do_request(std::int32_t origin, Incoming& incoming);
  Done act(std::int32_t origin, Incoming& incoming);
  /// Whether the memory is attached, where the origin asks.
  [[nodiscard]] bool allows(const FarRequest& request) const;
  /// The same, and tells an origin that asks.
  bool allow(std::int32_t origin, const FarRequest& request);
  /// An access without a result is done, or not allowed: tells an origin that wants to know.
  void conclude(std::int32_t origin, const FarRequest& request, bool allowed);
  Done begin_long_put(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs, Incoming& incoming);
  void put(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs, const std::byte* data);
  void get(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs);
  Done accumulate(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs,
                  const std::byte* operand);
  Done swap(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs, const std::byte* elements);
  void lock(std::int32_t origin, bool exclusive);
  bool try_take(bool exclusive) noexcept;
  bool grant();

  void answer(std::int32_t origin, FarTag tag, const void* data, std::int64_t bytes,
              std::unique_ptr<std::byte[]> owned = {});
  void answer_byte(std::int32_t origin, FarTag tag, bool yes);
  bool reap_answers();
  /// Whether the lock of the rank's accumulates was taken; if not, the rank is woken when it is free.
  bool take_accumulate_lock() noexcept;

  p2p::PointToPoint& p2p_;
  comm::Communicator& comm_;
  WindowPeers& peers_;
  SharedLock& access_;
  SharedLock& accumulates_;
  const AttachmentTable* attachments_;
  std::uint64_t base_;
  bool waits_for_accumulates_ = false;
  std::int64_t queued_ = 0;  ///< requests
  std::int64_t queued_bytes_ = 0;
  std::map<std::int32_t, std::deque<Incoming>> queues_;  ///< by origin
  std::vector<Locker> lockers_;                          ///< who wait for the lock
  std::deque<Answer> answers_;                           ///< that have not left
  Counts posted_;
  Counts completed_;
};

}  // namespace starling::rma
