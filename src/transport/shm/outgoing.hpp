// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The sender's end of one connection. Opened by the first packet: a pair that never talks costs no memory.
// Thread safety: the sender's world lock.
// Invariants: peer_reported_ <= taken_ <= sent_ <= taken_ + slots; position p of the stream is slot p mod slots;
// reported_ <= received_; with a shared pool a free slot has no block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "memory/doorbell.hpp"
#include "memory/line_distance.hpp"
#include "transport/shm/buffer_pool.hpp"
#include "transport/shm/filling_choice.hpp"
#include "transport/shm/geometry.hpp"
#include "transport/transport.hpp"

namespace starling::transport::shm {

class Outgoing {
 public:
  [[nodiscard]] bool is_open() const noexcept { return postboxes_ != nullptr; }
  Status open(const memory::JobSegment& segment, LocalRank receiver, LocalRank sender, SenderPool* shared_pool);

  /// The next postbox, with room for `count` in all, or null when too many are under way.
  Postbox* next(std::uint32_t count) {
    if (sent_ + count - taken_ > slots_ && !make_room(count)) return nullptr;
    return &postboxes_[slot(sent_)];
  }

  /// Puts an inline payload into the next postboxes, as many as next() was asked for.
  void put_inline(Postbox& box, const std::byte* payload, std::size_t bytes) noexcept;

  /// Memory for the payload of the next postbox, or null when the pool is used up.
  std::byte* buffer(std::uint64_t bytes, Filling filling, std::uint64_t* offset, Status* failure);

  /// Whether the receiver has still to take packets. When it has taken all, the next buffer is one that both caches
  /// know.
  bool in_burst() {
    if (sent_ != taken_) look_for_room();
    return sent_ != taken_;
  }

  /// Whether the receiver's core is near. Looks at its line now and then.
  bool receiver_is_near() {
    if (++asked_ % kAsksForALook == 0) look_at_receiver();
    return distance_.is_near();
  }

  [[nodiscard]] FillingChoice& filling_choice() noexcept { return filling_choice_; }

  /// Asks for the lines of a buffer that is about to be filled: they are in the receiver's cache, and all at once they
  /// take one journey. A few that were filled a moment ago answer as fast without that.
  void ask_for(const std::byte* buffer, std::size_t bytes) const noexcept {
    constexpr std::size_t kFew = 1024;
    if (sent_ == taken_ && bytes <= kFew) return;
    for (std::size_t i = 0; i < bytes; i += kCacheLine) prefetch_for_write(buffer + i);
  }

  /// Publishes the packet that begins at the postbox which next(count) gave, and wakes the receiver if it sleeps.
  void publish(Postbox& box, const PacketHeader& header, Form form, std::size_t bytes, std::uint32_t count,
               bool sender_fences) noexcept {
    // In a burst the lines to come are still in the receiver's cache: asked for now, they travel while this packet and
    // the next are written. Not the very next one, which an idle receiver is looking at.
    if (count == 1 && sent_ != taken_) prefetch_for_write(&postboxes_[slot(sent_ + kLinesAhead)]);
    box.kind = header.kind;
    box.flags = header.flags;
    box.form = form;
    box.context_id = header.context_id;
    box.tag = header.tag;
    box.source = header.source;
    box.bytes = static_cast<std::uint32_t>(bytes);
    const std::uint64_t unreported =
        std::min<std::uint64_t>(received_ - reported_, std::numeric_limits<std::uint8_t>::max());
    box.taken = static_cast<std::uint8_t>(unreported);
    reported_ += unreported;
    const std::uint32_t sequence = sequence_at(sent_);
    for (; count != 0; --count, ++sent_) {
      if (!shared_pool_) own_pool_.end_postbox(slot(sent_));
    }
    // release: the receiver that sees the number sees the postboxes and the buffer.
    box.sequence.store(sequence, std::memory_order_release);
    memory::ring(*receiver_bell_, sender_fences);
  }

  /// A packet from the receiver reports that it has taken so many postboxes more.
  void take_report(std::uint8_t taken) {
    peer_reported_ += taken;
    if (peer_reported_ > taken_) free_to(peer_reported_);  // its line may have said more already
  }
  /// So many of the receiver's postboxes have been taken here: the next packets report it.
  void received(std::uint64_t total) noexcept { received_ = total; }

  /// Postboxes that the receiver has not emptied yet.
  [[nodiscard]] std::uint64_t in_flight() {
    look_for_room();
    return sent_ - taken_;
  }
  /// The next buffers lie in the first so many bytes of the connection's pool (0: in all of it).
  void keep_to(std::uint64_t bytes) noexcept { own_pool_.keep_to(bytes); }
  [[nodiscard]] std::uint64_t held_by_receiver() const noexcept {
    return head_->held.bytes.load(std::memory_order_relaxed);
  }
  [[nodiscard]] CopyDescriptor* copy_descriptors() noexcept { return head_->copy_descriptors; }
  [[nodiscard]] memory::Doorbell& receiver_bell() noexcept { return *receiver_bell_; }

 private:
  static constexpr std::uint32_t kLinesAhead = 2;
  static constexpr std::uint32_t kAsksForALook = 32;  // a look takes as long as two or three small packets

  [[nodiscard]] std::uint32_t slot(std::uint64_t position) const noexcept {
    return static_cast<std::uint32_t>(position) & (slots_ - 1);
  }
  bool look_for_room();
  void look_at_receiver() noexcept;
  /// The receiver has taken all postboxes before this position.
  void free_to(std::uint64_t position) {
    if (shared_pool_) return give_blocks_to(position);
    taken_ = position;
    own_pool_.free_to(slot(position - 1));
  }
  void give_blocks_to(std::uint64_t position);
  bool make_room(std::uint32_t count) { return look_for_room() && sent_ + count - taken_ <= slots_; }

  Postbox* postboxes_ = nullptr;
  std::uint32_t slots_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;          ///< the receiver's count as far as it is known
  std::uint64_t peer_reported_ = 0;  ///< the same as its packets have reported it
  std::uint64_t received_ = 0;       ///< how far this rank is with the receiver's postboxes
  std::uint64_t reported_ = 0;       ///< the same as the packets of this rank have reported it
  memory::Doorbell* receiver_bell_ = nullptr;
  ConnectionHead* head_ = nullptr;
  SenderPool* shared_pool_ = nullptr;
  std::byte* buffers_ = nullptr;
  ConnectionPool own_pool_;
  std::uint64_t last_look_ = 0;  ///< what the receiver's line said when it was read last
  std::uint32_t asked_ = 0;
  memory::LineDistance distance_;
  FillingChoice filling_choice_;
  std::vector<std::uint32_t> block_of_;  ///< with a shared pool: which block a slot's payload is in
};

}  // namespace starling::transport::shm
