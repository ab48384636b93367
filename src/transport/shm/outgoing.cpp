// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/outgoing.hpp"

#include <algorithm>
#include <utility>

namespace starling::transport::shm {

Status Outgoing::open(const memory::JobSegment& segment, LocalRank receiver, LocalRank sender,
                      SenderPool* shared_pool) {
  const ConnectionView parts = view(segment, receiver, sender);
  STARLING_TRY(segment.commit(parts.eager));
  slots_ = segment.header().geometry.ring_slots;
  head_ = parts.head;
  receiver_bell_ = &segment.rank(receiver).doorbell;
  shared_pool_ = shared_pool;
  filling_choice_ = FillingChoice(receiver, sender.index() < receiver.index());
  if (shared_pool) {
    buffers_ = segment.sender_pool(sender).data();
    block_of_.assign(slots_, SenderPool::kNone);
  } else {
    buffers_ = parts.buffers.data();
    own_pool_.open(segment, parts.buffers, slots_);
  }
  postboxes_ = parts.postboxes;
  // release: the receiver that sees the bit sees an open connection. Fresh pages are zero: no postbox looks full.
  segment.incoming(receiver)[sender.index() / 64].fetch_or(std::uint64_t{1} << (sender.index() % 64),
                                                           std::memory_order_release);
  return {};
}

void Outgoing::put_inline(Postbox& box, const std::byte* payload, std::size_t bytes) noexcept {
  // The lines are still in the receiver's cache: asking for all of them at once takes one journey instead of many.
  const std::uint32_t count = postboxes_for(bytes);
  for (std::uint32_t i = 0; i < count; ++i) prefetch_for_write(&postboxes_[slot(sent_ + i)]);
  std::size_t done = std::min(bytes, Postbox::kInlineBytes);
  std::memcpy(box.data, payload, done);
  for (std::uint64_t position = sent_ + 1; done < bytes; ++position) {
    auto& more = reinterpret_cast<Continuation&>(postboxes_[slot(position)]);
    const std::size_t piece = std::min(bytes - done, Continuation::kBytes);
    more.zero.store(0, std::memory_order_relaxed);
    if (piece == Continuation::kBytes) {
      std::memcpy(more.data, payload + done, Continuation::kBytes);
    } else {
      std::memcpy(more.data, payload + done, piece);
    }
    done += piece;
  }
}

std::byte* Outgoing::buffer(std::uint64_t bytes, Filling filling, std::uint64_t* offset, Status* failure) {
  if (shared_pool_) {
    std::uint32_t block = shared_pool_->take(failure);
    if (block == SenderPool::kNone && look_for_room()) block = shared_pool_->take(failure);
    if (block == SenderPool::kNone) return nullptr;
    block_of_[slot(sent_)] = block;
    *offset = shared_pool_->offset(block);
    return buffers_ + *offset;
  }
  if (sent_ == taken_) own_pool_.restart(filling);
  auto at = own_pool_.take(bytes, failure);
  if (!at && look_for_room()) at = own_pool_.take(bytes, failure);
  if (!at) return nullptr;
  if (filling == Filling::kPastCache) own_pool_.note_past_cache();
  *offset = *at;
  return buffers_ + *at;
}

bool Outgoing::look_for_room() {
  // acquire: the receiver has read the buffers of what it has consumed before they are filled again.
  const std::uint64_t taken = head_->receiver.consumed.load(std::memory_order_acquire);
  last_look_ = taken;
  if (taken <= taken_) return false;  // a packet may report more than the line, which follows a batch
  free_to(taken);
  return true;
}

void Outgoing::look_at_receiver() noexcept {
  last_look_ = distance_.look(last_look_, [&] { return head_->receiver.consumed.load(std::memory_order_relaxed); });
}

void Outgoing::give_blocks_to(std::uint64_t position) {
  for (; taken_ != position; ++taken_) {
    std::uint32_t& block = block_of_[slot(taken_)];
    if (block != SenderPool::kNone) shared_pool_->give(std::exchange(block, SenderPool::kNone));
  }
}

}  // namespace starling::transport::shm
