// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/incoming.hpp"

#include <cstring>

namespace starling::transport::shm {
namespace {

constexpr std::uint32_t kLinesAhead = 3;

}  // namespace

Incoming::Incoming(const memory::JobSegment& segment, LocalRank receiver, LocalRank sender, PeerId peer, Outgoing& back)
    : slots_(segment.header().geometry.ring_slots), peer_(peer), back_(&back) {
  const ConnectionView parts = view(segment, receiver, sender);
  const bool pooled_by_sender = segment.header().geometry.sender_pool_bytes > 0;
  postboxes_ = parts.postboxes;
  const std::span<std::byte> buffers = pooled_by_sender ? segment.sender_pool(sender) : parts.buffers;
  buffers_ = buffers.data();
  quarter_of_buffers_ = buffers.size() / 4;
  head_ = parts.head;
  sender_bell_ = &segment.rank(sender).doorbell;
  scratch_.resize(std::size_t{slots_ / 4 + 2} * sizeof(Postbox));
}

std::span<const std::byte> Incoming::gather(const Postbox& box) noexcept {
  const std::size_t bytes = box.bytes;
  const std::uint32_t count = postboxes_for(bytes);
  for (std::uint32_t i = 2; i < count; ++i) __builtin_prefetch(&postboxes_[slot(consumed_ + i)]);
  std::byte* to = scratch_.data();
  std::memcpy(to, box.data, Postbox::kInlineBytes);
  to += Postbox::kInlineBytes;
  // Whole postboxes: scratch_ has room for the unused end of the last one.
  for (std::uint32_t i = 1; i < count; ++i, to += Continuation::kBytes) {
    std::memcpy(to, reinterpret_cast<const Continuation&>(postboxes_[slot(consumed_ + i)]).data, Continuation::kBytes);
  }
  return {scratch_.data(), bytes};
}

Packet Incoming::front(const Postbox& box, std::uint32_t* postboxes) noexcept {
  *postboxes = 1;
  Packet packet;
  packet.header = {box.kind, box.flags, box.context_id, box.tag, box.source};
  switch (box.form) {
    case Form::kInline:
      *postboxes = postboxes_for(box.bytes);
      packet.payload = *postboxes == 1 ? std::span<const std::byte>{box.data, box.bytes} : gather(box);
      break;
    case Form::kInlineWords:
      packet.words[0] = box.far.words[0];
      packet.words[1] = box.far.words[1];
      packet.payload = {box.far.data, box.bytes};
      break;
    case Form::kBufferBySettings:
    case Form::kBufferThroughCache:
      back_->filling_choice().hear(box.bytes, box.form == Form::kBufferThroughCache);
      [[fallthrough]];
    case Form::kBuffer:
      packet.words[0] = box.far.words[0];
      packet.words[1] = box.far.words[1];
      packet.payload = {buffers_ + box.far.offset, box.bytes};
      break;
  }
  return packet;
}

void Incoming::deliver(Sink& sink, std::uint32_t limit, bool sender_fences) {
  bool owes = false;  // a buffer, or an answer, for which the sender may wait
  const bool was_hungry = sink.is_hungry();
  for (std::uint32_t count = 0; count < limit; ++count) {
    const Postbox& box = postboxes_[slot(consumed_)];
    if (box.sequence.load(std::memory_order_acquire) != sequence_at(consumed_)) break;
    // When one packet has come, more may have: their lines travel while this one is taken.
    __builtin_prefetch(&postboxes_[slot(consumed_ + kLinesAhead)]);
    back_->take_report(box.taken);
    std::uint32_t postboxes = 0;
    if (box.form != Form::kInline) {
      owes = true;
      unpublished_bytes_ += box.bytes;
    }
    sink.on_packet(peer_, front(box, &postboxes));
    consumed_ += postboxes;
    back_->received(consumed_);
    // A quarter of the ring at a time, so that a busy sender's view of the count moves before its ring is full.
    if (consumed_ - published_ >= slots_ / 4 || unpublished_bytes_ >= quarter_of_buffers_)
      publish_consumed(sender_fences);
    if (was_hungry && !sink.is_hungry()) break;
  }
  // That short messages have been taken is told when there are more of them, or nothing else to do.
  if (owes && published_ != consumed_) publish_consumed(sender_fences);
}

void Incoming::publish_consumed(bool sender_fences) noexcept {
  // release: the sender fills a buffer again only after it has been read here.
  published_ = consumed_;
  unpublished_bytes_ = 0;
  head_->receiver.consumed.store(consumed_, std::memory_order_release);
  memory::ring(*sender_bell_, sender_fences);
}

}  // namespace starling::transport::shm
