// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/incoming.hpp"

namespace starling::transport::shm {

Incoming::Incoming(const memory::JobSegment& segment, std::uint32_t receiver, std::uint32_t sender)
    : slots_(segment.header().geometry.ring_slots), peer_(static_cast<std::int32_t>(sender)) {
  const ConnectionView parts = view(segment, receiver, sender);
  const bool pooled_by_sender = segment.header().geometry.sender_pool_bytes > 0;
  postboxes_ = parts.postboxes;
  buffers_ = pooled_by_sender ? segment.sender_pool(sender).data() : parts.buffers.data();
  head_ = parts.head;
  sender_bell_ = &segment.rank(sender).doorbell;
}

Packet Incoming::packet_of(const Postbox& box) const noexcept {
  Packet packet;
  packet.header = {box.kind, box.flags, box.context_id, box.tag, box.source};
  switch (box.form) {
    case Form::kInline:
      packet.payload = {box.data, box.bytes};
      break;
    case Form::kInlineWords:
      packet.words[0] = box.far.words[0];
      packet.words[1] = box.far.words[1];
      packet.payload = {box.far.words_data, box.bytes};
      break;
    case Form::kBuffer:
      packet.words[0] = box.far.words[0];
      packet.words[1] = box.far.words[1];
      packet.payload = {buffers_ + box.far.offset, box.bytes};
      break;
  }
  return packet;
}

void Incoming::deliver(Sink& sink, std::uint32_t limit, bool sender_fences) {
  std::uint32_t unpublished = 0;
  for (std::uint32_t count = 0; count < limit; ++count) {
    const Postbox& box = postboxes_[slot(consumed_)];
    if (box.sequence.load(std::memory_order_acquire) != static_cast<std::uint32_t>(consumed_ + 1)) break;
    sink.on_packet(peer_, packet_of(box));
    ++consumed_;
    // A quarter of the ring at a time, so that a busy sender's view of the count moves before its ring is full.
    if (++unpublished == slots_ / 4) {
      head_->receiver.consumed.store(consumed_, std::memory_order_release);
      memory::ring(*sender_bell_, sender_fences);
      unpublished = 0;
    }
  }
  if (unpublished != 0) {
    head_->receiver.consumed.store(consumed_, std::memory_order_release);
    memory::ring(*sender_bell_, sender_fences);
  }
}

}  // namespace starling::transport::shm
