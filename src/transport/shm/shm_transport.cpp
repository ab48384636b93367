// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/shm_transport.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/copy_past_caches.hpp"
#include "base/small_copy.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::transport::shm {
namespace {

STARLING_CONFIG(fragment_bytes, "SHM_FRAGMENT", std::int64_t, 8 * 1024, kSharedMemory, kProcess,
                "Largest payload of one postbox, bytes; longer eager messages are pipelined through several.");
STARLING_CONFIG(cached_bytes, "SHM_CACHED", std::int64_t, 4 * 1024, kSharedMemory, kProcess,
                "Largest payload of one postbox, bytes, that is written into its buffer through the cache; larger ones "
                "are written past it, and in a burst those of half the size too, unless STARLING_SHM_LEARN is on and "
                "the cache turns out to be quicker.");
STARLING_CONFIG(cached_near_bytes, "SHM_CACHED_NEAR", std::int64_t, 16 * 1024, kSharedMemory, kProcess,
                "The same where the receiver's core turns out to be near, so that the two share a cache.");
STARLING_CONFIG(
    learns_filling, "SHM_LEARN", bool, true, kSharedMemory, kProcess,
    "Write payloads of half of STARLING_SHM_CACHED and more always through the cache, where that has turned out to be "
    "quicker; it is tried now and then.");
STARLING_CONFIG(full_connections, "SHM_FULL_CONNECTIONS", bool, false, kSharedMemory, kProcess,
                "Open the connections to all ranks at start instead of on first use.");
STARLING_CONFIG(poll_batch, "SHM_POLL_BATCH", std::int64_t, 64, kSharedMemory, kProcess,
                "Packets taken from one sender before the next sender is looked at.");

STARLING_CONFIG(inline_bytes, "SHM_INLINE", std::int64_t, 160, kSharedMemory, kProcess,
                "Largest payload, bytes, that rides in consecutive postboxes instead of a buffer.");

/// What fits a packet: at most half of the buffers, so that one is filled while another is read, and, inline, a quarter
/// of the ring, so that a few such packets can be under way.
Limits limits_of(const memory::JobSegment& segment, LocalRank own, const config::Store& config) {
  const memory::JobGeometry& shape = segment.header().geometry;
  const std::uint64_t pool =
      shape.sender_pool_bytes > 0 ? shape.sender_pool_bytes / 2 : view(segment, own, own).buffers.size() / 2;
  const auto fragment = static_cast<std::uint64_t>(std::max<std::int64_t>(config.get(fragment_bytes), 64));
  const std::size_t ring_share = std::size_t{shape.ring_slots} / 4 * Continuation::kBytes;
  const auto inlined = static_cast<std::size_t>(std::max<std::int64_t>(config.get(inline_bytes), 0));
  return {std::clamp<std::uint64_t>(fragment, 64, pool) & ~(kCacheLine - 1),
          std::clamp<std::size_t>(inlined, Postbox::kInlineBytes, std::max(ring_share, Postbox::kInlineBytes)),
          std::nullopt};
}

}  // namespace

std::optional<Address> ShmTransport::reaches(const Surroundings& surroundings, WorldRank rank) {
  const memory::Placement& placement = surroundings.placement;
  if (!placement.is_here(rank)) return std::nullopt;
  return address_of(placement.local_of(rank));
}

Result<std::unique_ptr<Transport>> ShmTransport::create_of_node(const Surroundings& surroundings) {
  const memory::Placement& placement = surroundings.placement;
  std::vector<PeerId> peers;
  for (const WorldRank rank : placement.node(placement.own_node()).ranks) peers.push_back(peer_of(rank));
  auto made = create(surroundings.segment, surroundings.local_rank(), std::move(peers), surroundings.config);
  if (!made.ok()) return std::move(made).status();
  return std::unique_ptr<Transport>(std::move(made).value());
}

Result<std::unique_ptr<ShmTransport>> ShmTransport::create(const memory::JobSegment& segment, LocalRank own,
                                                           std::vector<PeerId> peers, const config::Store& config) {
  const Limits limits = limits_of(segment, own, config);
  std::unique_ptr<ShmTransport> transport(new ShmTransport(segment, own, std::move(peers), limits, config));
  if (config.get(full_connections)) {
    for (std::uint32_t peer = 0; peer < segment.ranks(); ++peer) {
      if (LocalRank(peer) == own) continue;
      if (transport->connections_.open_to(LocalRank(peer)) == nullptr) return transport->take_failure();
    }
  }
  return transport;
}

ShmTransport::ShmTransport(const memory::JobSegment& segment, LocalRank own, std::vector<PeerId> peers, Limits limits,
                           const config::Store& config)
    : connections_(segment, own, limits.max_payload),
      peers_(std::move(peers)),
      sender_fences_(connections_.sender_fences()),
      limits_(limits),
      cached_bytes_(static_cast<std::size_t>(std::max<std::int64_t>(config.get(cached_bytes), 0))),
      cached_near_bytes_(static_cast<std::size_t>(std::max<std::int64_t>(config.get(cached_near_bytes), 0))),
      learns_filling_(config.get(learns_filling)),
      poll_batch_(static_cast<std::uint32_t>(std::max<std::int64_t>(config.get(poll_batch), 1))),
      open_now_(segment.incoming(own)),
      known_(open_now_.size()),
      memory_(segment, own, copies_directly(config)),
      copy_(connections_, memory_, config) {}

// Three callers, on the way of every packet.
[[gnu::always_inline]] inline Outgoing* ShmTransport::claim(Address to, std::uint32_t postboxes, Postbox** box) {
  Outgoing* out = connections_.open_to(rank_at(to));
  if (out == nullptr) return nullptr;
  *box = out->next(postboxes);
  return *box ? out : nullptr;
}

std::byte* ShmTransport::claim_buffer(Outgoing& out, Postbox& box, const std::uint64_t (&words)[2], std::size_t bytes,
                                      Filling filling) {
  std::uint64_t offset = 0;
  std::byte* buffer = out.buffer(bytes, filling, &offset, &connections_.failure());
  if (!buffer) return nullptr;
  box.far.words[0] = words[0];
  box.far.words[1] = words[1];
  box.far.offset = offset;
  return buffer;
}

Form ShmTransport::form_for(Outgoing& out, std::size_t bytes) const {
  if (2 * bytes < std::min(cached_bytes_, cached_near_bytes_) || !learns_filling_) return Form::kBuffer;
  return out.filling_choice().is_through_cache(bytes) ? Form::kBufferThroughCache : Form::kBufferBySettings;
}

Filling ShmTransport::filling_for(Outgoing& out, Form form, std::size_t bytes) const {
  if (form == Form::kBufferThroughCache || 2 * bytes < std::min(cached_bytes_, cached_near_bytes_))
    return Filling::kThroughCache;
  const std::size_t most = out.receiver_is_near() ? cached_near_bytes_ : cached_bytes_;
  const bool past_cache = bytes > most || (2 * bytes >= most && out.in_burst());
  return past_cache ? Filling::kPastCache : Filling::kThroughCache;
}

bool ShmTransport::try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) {
  if (bytes > limits_.max_inline) return try_send_words(to, header, {0, 0}, payload, bytes);
  const std::uint32_t postboxes = postboxes_for(bytes);
  Postbox* box = nullptr;
  Outgoing* out = claim(to, postboxes, &box);
  if (!out) return false;
  if (postboxes == 1) {
    small_copy(box->data, payload, bytes);
  } else {
    out->put_inline(*box, static_cast<const std::byte*>(payload), bytes);
  }
  out->publish(*box, header, Form::kInline, bytes, postboxes, sender_fences_);
  return true;
}

bool ShmTransport::try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                  const void* payload, std::size_t bytes) {
  Postbox* box = nullptr;
  Outgoing* out = claim(to, 1, &box);
  if (!out) return false;
  if (bytes <= Words::kInlineBytes) {
    box->far.words[0] = words[0];
    box->far.words[1] = words[1];
    if (bytes != 0) std::memcpy(box->far.data, payload, bytes);
    out->publish(*box, header, Form::kInlineWords, bytes, 1, sender_fences_);
    return true;
  }
  const Form form = form_for(*out, bytes);
  const Filling filling = filling_for(*out, form, bytes);
  std::byte* buffer = claim_buffer(*out, *box, words, bytes, filling);
  if (!buffer) return false;
  if (filling == Filling::kPastCache) {
    copy_past_caches(buffer, payload, bytes);
  } else {
    out->ask_for(buffer, bytes);
    std::memcpy(buffer, payload, bytes);
  }
  out->publish(*box, header, form, bytes, 1, sender_fences_);
  return true;
}

bool ShmTransport::try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                   datatype::PackCursor& cursor, std::size_t bytes) {
  Postbox* box = nullptr;
  Outgoing* out = claim(to, 1, &box);
  if (!out) return false;
  std::byte* buffer = claim_buffer(*out, *box, words, bytes, Filling::kThroughCache);
  if (!buffer) return false;
  out->ask_for(buffer, bytes);
  const std::size_t packed = cursor.pack(buffer, bytes);
  out->publish(*box, header, Form::kBuffer, packed, 1, sender_fences_);
  return true;
}

bool ShmTransport::poll(Sink& sink) {
  look_for_senders();
  bool moved = false;
  for (Incoming& incoming : incoming_) moved |= incoming.poll(sink, poll_batch_, sender_fences_);
  return moved;
}

void ShmTransport::meet(std::size_t word, std::uint64_t open_now) {
  std::uint64_t fresh = open_now & ~known_[word];
  known_[word] = open_now;
  for (; fresh != 0; fresh &= fresh - 1) {
    const LocalRank sender(word * 64 + static_cast<std::size_t>(std::countr_zero(fresh)));
    incoming_.emplace_back(connections_.segment(), connections_.own(), sender, peers_[sender.index()],
                           connections_.to(sender));
  }
}

void ShmTransport::peer_failed(Address peer, Sink& sink) {
  look_for_senders();
  const PeerId number = peers_[rank_at(peer).index()];
  const auto from = std::find_if(incoming_.begin(), incoming_.end(),
                                 [&](const Incoming& incoming) { return incoming.peer() == number; });
  if (from == incoming_.end()) return;
  from->drain(sink, sender_fences_);  // all that it has sent is in the ring
  incoming_.erase(from);
}

std::uint64_t ShmTransport::in_flight(Address to) {
  Outgoing& out = connections_.to(rank_at(to));
  return out.is_open() ? out.in_flight() : 0;
}

void ShmTransport::keep_buffers_to(Address to, std::uint64_t bytes) { connections_.to(rank_at(to)).keep_to(bytes); }

std::uint64_t ShmTransport::held_by(Address peer) {
  Outgoing& out = connections_.to(rank_at(peer));
  return out.is_open() ? out.held_by_receiver() : 0;
}

void ShmTransport::publish_held(Address peer, std::uint64_t bytes) {
  const ConnectionView from = view(connections_.segment(), connections_.own(), rank_at(peer));
  from.head->held.bytes.store(bytes, std::memory_order_relaxed);
}

}  // namespace starling::transport::shm
