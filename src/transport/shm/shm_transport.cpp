// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/shm_transport.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/copy_past_caches.hpp"
#include "base/small_copy.hpp"
#include "datatype/pack/pack.hpp"
#include "transport/shm/shm_single_copy.hpp"

namespace starling::transport::shm {
namespace {

STARLING_CONFIG(fragment_bytes, "SHM_FRAGMENT", std::int64_t, 8 * 1024, kSharedMemory, kProcess,
                "Largest payload of one postbox, bytes; longer eager messages are pipelined through several.");
STARLING_CONFIG(cached_bytes, "SHM_CACHED", std::int64_t, 4 * 1024, kSharedMemory, kProcess,
                "Largest payload of one postbox, bytes, that is written into its buffer through the cache; larger ones "
                "are written past it, and in a burst those of half the size too.");
STARLING_CONFIG(full_connections, "SHM_FULL_CONNECTIONS", bool, false, kSharedMemory, kProcess,
                "Open the connections to all ranks at start instead of on first use.");
STARLING_CONFIG(poll_batch, "SHM_POLL_BATCH", std::int64_t, 64, kSharedMemory, kProcess,
                "Packets taken from one sender before the next sender is looked at.");

STARLING_CONFIG(inline_bytes, "SHM_INLINE", std::int64_t, 160, kSharedMemory, kProcess,
                "Largest payload, bytes, that rides in consecutive postboxes instead of a buffer.");

}  // namespace

Result<std::unique_ptr<ShmTransport>> ShmTransport::create(const memory::JobSegment& segment, std::uint32_t rank,
                                                           const config::Store& config) {
  std::unique_ptr<ShmTransport> transport(new ShmTransport(segment, rank, config));
  auto copy = std::make_unique<ShmSingleCopy>(*transport, config);
  transport->remote_memory_ = &copy->memory();
  transport->copy_ = std::move(copy);
  if (config.get(full_connections)) {
    for (std::uint32_t peer = 0; peer < segment.ranks(); ++peer) {
      if (peer == rank) continue;
      if (!transport->open(transport->outgoing_[peer], static_cast<std::int32_t>(peer)))
        return transport->take_failure();
    }
  }
  return transport;
}

ShmTransport::ShmTransport(const memory::JobSegment& segment, std::uint32_t rank, const config::Store& config)
    : segment_(segment),
      rank_(rank),
      sender_fences_(segment.header().sender_fences != 0),
      cached_bytes_(static_cast<std::size_t>(std::max<std::int64_t>(config.get(cached_bytes), 0))),
      poll_batch_(static_cast<std::uint32_t>(std::max<std::int64_t>(config.get(poll_batch), 1))),
      outgoing_(segment.ranks()),
      open_now_(segment.incoming(rank)),
      known_(open_now_.size()) {
  const memory::JobGeometry& shape = segment.header().geometry;
  const std::uint64_t pool =
      shape.sender_pool_bytes > 0 ? shape.sender_pool_bytes / 2 : view(segment, rank, rank).buffers.size() / 2;
  max_payload_ = std::clamp<std::uint64_t>(
                     static_cast<std::uint64_t>(std::max<std::int64_t>(config.get(fragment_bytes), 64)), 64, pool) &
                 ~(kCacheLine - 1);
  // At most a quarter of the ring, so that a few such packets can be under way.
  const std::size_t ring_share = std::size_t{shape.ring_slots} / 4 * Continuation::kBytes;
  max_inline_ = std::clamp<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(config.get(inline_bytes), 0)),
                                        Postbox::kInlineBytes, std::max(ring_share, Postbox::kInlineBytes));
  if (shape.sender_pool_bytes > 0) sender_pool_.open(segment, segment.sender_pool(rank), max_payload_);
}

bool ShmTransport::open(Outgoing& out, std::int32_t peer) {
  Status status =
      out.open(segment_, static_cast<std::uint32_t>(peer), rank_, sender_pool_.is_open() ? &sender_pool_ : nullptr);
  if (status.ok()) return true;
  failure_ = std::move(status);
  return false;
}

// Three callers, on the way of every packet.
[[gnu::always_inline]] inline Outgoing* ShmTransport::claim(std::int32_t peer, std::uint32_t postboxes, Postbox** box) {
  Outgoing& out = outgoing_[static_cast<std::size_t>(peer)];
  if (!out.is_open() && !open(out, peer)) return nullptr;
  *box = out.next(postboxes);
  return *box ? &out : nullptr;
}

std::byte* ShmTransport::claim_buffer(Outgoing& out, Postbox& box, const std::uint64_t (&words)[2], std::size_t bytes,
                                      Filling filling) {
  std::uint64_t offset = 0;
  std::byte* buffer = out.buffer(bytes, filling, &offset, &failure_);
  if (!buffer) return nullptr;
  box.far.words[0] = words[0];
  box.far.words[1] = words[1];
  box.far.offset = offset;
  return buffer;
}

bool ShmTransport::try_send(std::int32_t peer, const PacketHeader& header, const void* payload, std::size_t bytes) {
  if (bytes > max_inline_) return try_send_words(peer, header, {0, 0}, payload, bytes);
  const std::uint32_t postboxes = postboxes_for(bytes);
  Postbox* box = nullptr;
  Outgoing* out = claim(peer, postboxes, &box);
  if (!out) return false;
  if (postboxes == 1) {
    small_copy(box->data, payload, bytes);
  } else {
    out->put_inline(*box, static_cast<const std::byte*>(payload), bytes);
  }
  out->publish(*box, header, Form::kInline, bytes, postboxes, sender_fences_);
  return true;
}

bool ShmTransport::try_send_words(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                                  const void* payload, std::size_t bytes) {
  Postbox* box = nullptr;
  Outgoing* out = claim(peer, 1, &box);
  if (!out) return false;
  if (bytes <= Words::kInlineBytes) {
    box->far.words[0] = words[0];
    box->far.words[1] = words[1];
    if (bytes != 0) std::memcpy(box->far.data, payload, bytes);
    out->publish(*box, header, Form::kInlineWords, bytes, 1, sender_fences_);
    return true;
  }
  const bool past_cache = bytes > cached_bytes_ || (2 * bytes >= cached_bytes_ && out->in_burst());
  const Filling filling = past_cache ? Filling::kPastCache : Filling::kThroughCache;
  std::byte* buffer = claim_buffer(*out, *box, words, bytes, filling);
  if (!buffer) return false;
  if (filling == Filling::kPastCache) {
    copy_past_caches(buffer, payload, bytes);
  } else {
    out->ask_for(buffer, bytes);
    std::memcpy(buffer, payload, bytes);
  }
  out->publish(*box, header, Form::kBuffer, bytes, 1, sender_fences_);
  return true;
}

bool ShmTransport::try_send_packed(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                                   datatype::PackCursor& cursor, std::size_t bytes) {
  Postbox* box = nullptr;
  Outgoing* out = claim(peer, 1, &box);
  if (!out) return false;
  std::byte* buffer = claim_buffer(*out, *box, words, bytes, Filling::kThroughCache);
  if (!buffer) return false;
  out->ask_for(buffer, bytes);
  const std::size_t packed = cursor.pack(buffer, bytes);
  out->publish(*box, header, Form::kBuffer, packed, 1, sender_fences_);
  return true;
}

bool ShmTransport::poll(Sink& sink) {
  for (std::size_t word = 0; word < known_.size(); ++word) {
    // acquire: pairs with the sender's fetch_or in Outgoing::open.
    const std::uint64_t open_now = open_now_[word].load(std::memory_order_acquire);
    if (open_now != known_[word]) [[unlikely]]
      meet(word, open_now);
  }
  bool moved = false;
  for (Incoming& incoming : incoming_) moved |= incoming.poll(sink, poll_batch_, sender_fences_);
  return moved;
}

void ShmTransport::meet(std::size_t word, std::uint64_t open_now) {
  std::uint64_t fresh = open_now & ~known_[word];
  known_[word] = open_now;
  for (; fresh != 0; fresh &= fresh - 1) {
    const auto sender = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(fresh)));
    incoming_.emplace_back(segment_, rank_, sender, outgoing_[sender]);
  }
}

std::uint64_t ShmTransport::in_flight(std::int32_t peer) {
  Outgoing& out = outgoing_[static_cast<std::size_t>(peer)];
  return out.is_open() ? out.in_flight() : 0;
}

std::uint64_t ShmTransport::held_by(std::int32_t peer) {
  Outgoing& out = outgoing_[static_cast<std::size_t>(peer)];
  return out.is_open() ? out.held_by_receiver() : 0;
}

void ShmTransport::publish_held(std::int32_t peer, std::uint64_t bytes) {
  view(segment_, rank_, static_cast<std::uint32_t>(peer)).head->held.bytes.store(bytes, std::memory_order_relaxed);
}

CopyDescriptor* ShmTransport::copy_descriptors_to(std::int32_t peer) {
  Outgoing& out = outgoing_[static_cast<std::size_t>(peer)];
  return out.is_open() || open(out, peer) ? out.copy_descriptors() : nullptr;
}

CopyDescriptor* ShmTransport::copy_descriptors_from(std::int32_t peer) {
  return view(segment_, rank_, static_cast<std::uint32_t>(peer)).head->copy_descriptors;
}

}  // namespace starling::transport::shm
