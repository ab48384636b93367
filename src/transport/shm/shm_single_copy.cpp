// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/shm_single_copy.hpp"

#include <algorithm>

namespace starling::transport::shm {
namespace {

STARLING_CONFIG(single_copy, "SHM_SINGLE_COPY", bool, true, kSharedMemory, kProcess,
                "Copy long messages straight between the processes' memories where the kernel permits.");
STARLING_CONFIG(copy_piece, "SHM_COPY_PIECE", std::int64_t, 256 * 1024, kSharedMemory, kProcess,
                "Largest piece of a long message that one end copies at a time, bytes.");

/// Below this a piece costs more in the kernel's entry than in bytes.
constexpr std::uint64_t kLeastPiece = 8 * 1024;
/// Messages up to here are not shared: those that are opened so short come many at a time, and each end copies some.
constexpr std::uint64_t kLeastShared = 32 * 1024;

}  // namespace

bool copies_directly(const config::Store& config) { return config.get(single_copy); }

ShmSingleCopy::ShmSingleCopy(Connections& connections, PeerMemory& memory, const config::Store& config)
    : connections_(connections),
      memory_(memory),
      copies_directly_(copies_directly(config)),
      held_(connections.segment().ranks()),
      piece_bytes_(static_cast<std::uint64_t>(std::max<std::int64_t>(config.get(copy_piece), kLeastPiece))) {}

CopyOffer ShmSingleCopy::offer(Address to, const void* source, std::uint64_t /*bytes*/, Withdrawal withdrawal) {
  if (source == nullptr) return {};
  const std::uint32_t number = take_descriptor(rank_at(to), source);
  if (number != kCopyDescriptors) return {{reinterpret_cast<std::uint64_t>(source), number + std::uint64_t{1}}};
  // Without a descriptor the message cannot be taken back while the receiver may read the buffer at any time.
  if (withdrawal == Withdrawal::kPossible) return {};
  return {{reinterpret_cast<std::uint64_t>(source), 0}};
}

std::uint32_t ShmSingleCopy::take_descriptor(LocalRank to, const void* source) {
  CopyDescriptor* descriptors = connections_.copy_descriptors_to(to);
  if (!descriptors) return kCopyDescriptors;
  Held& held = held_[to.index()];
  for (std::uint32_t i = 0; i < kCopyDescriptors; ++i) {
    if ((held >> i & 1) != 0) continue;
    CopyDescriptor& descriptor = descriptors[i];
    // acquire: a receiver that closed the descriptor has read its last word.
    const std::uint32_t state = descriptor.state.load(std::memory_order_acquire);
    if (state != CopyDescriptor::kFree && state != CopyDescriptor::kClosed) continue;
    descriptor.source = reinterpret_cast<std::uint64_t>(source);
    descriptor.claimed.store(0, std::memory_order_relaxed);
    descriptor.copied.store(0, std::memory_order_relaxed);
    descriptor.state.store(CopyDescriptor::kOffered, std::memory_order_release);
    held |= Held{1} << i;
    ++offers_;
    return i;
  }
  return kCopyDescriptors;
}

CopyState ShmSingleCopy::help(Address to, const CopyOffer& offer) {
  CopyDescriptor& descriptor = sent(to, offer);
  CopyState state = CopyState::kWaiting;
  // acquire: pairs with open(), and with the receiver's copy of the last piece.
  switch (descriptor.state.load(std::memory_order_acquire)) {
    case CopyDescriptor::kOpen: state = take_piece(rank_at(to), descriptor, End::kSender); break;
    case CopyDescriptor::kClosed: state = CopyState::kDone; break;
    case CopyDescriptor::kRefused: state = CopyState::kRefused; break;
    default: break;
  }
  if (state == CopyState::kDone) let_go(to, offer);
  return state;
}

CopyState ShmSingleCopy::take_back(Address to, const CopyOffer& offer) {
  std::uint32_t offered = CopyDescriptor::kOffered;
  // The descriptor cannot be offered anew until the receiver has closed it: its announcement is still on its way.
  if (!sent(to, offer).state.compare_exchange_strong(offered, CopyDescriptor::kTakenBack, std::memory_order_acq_rel)) {
    if (offered != CopyDescriptor::kDeclined) return help(to, offer);
    withdraw(to, offer);
    return CopyState::kGone;
  }
  let_go(to, offer);
  return CopyState::kGone;
}

bool ShmSingleCopy::answer(Address from, const CopyOffer& offer, CopyDescriptor::DescriptorState with) {
  std::uint32_t offered = CopyDescriptor::kOffered;
  // acq_rel: either the sender sees the answer when it takes the offer back, or we see that it has.
  if (received(from, offer).state.compare_exchange_strong(offered, with, std::memory_order_acq_rel)) return true;
  close(from, offer);
  return false;
}

bool ShmSingleCopy::open(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) {
  CopyDescriptor& descriptor = received(from, offer);
  descriptor.destination = reinterpret_cast<std::uint64_t>(destination);
  descriptor.bytes = bytes;
  // Halves, one for each end; longer messages in more pieces, so that the end that comes late still finds work. Where
  // we send such a message, too, each rank most likely has one to receive, and halves would only be more calls.
  const std::uint64_t share = offers_ == 0 && bytes > kLeastShared ? bytes / 2 : bytes;
  const std::uint64_t piece = (share + kLeastPiece - 1) / kLeastPiece * kLeastPiece;
  descriptor.chunk_bytes = static_cast<std::uint32_t>(std::clamp(piece, kLeastPiece, piece_bytes_));
  if (!answer(from, offer, CopyDescriptor::kOpen)) return false;
  connections_.ring(rank_at(from));
  return true;
}

CopyState ShmSingleCopy::take(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) {
  CopyDescriptor& descriptor = received(from, offer);
  descriptor.bytes = bytes;
  descriptor.claimed.store(bytes, std::memory_order_relaxed);  // the sender finds no piece to copy
  if (!answer(from, offer, CopyDescriptor::kOpen)) return CopyState::kGone;
  const bool good = memory_.read(rank_at(from), descriptor.source, destination, bytes);
  if (good) {
    close(from, offer);
  } else {
    descriptor.state.store(CopyDescriptor::kRefused, std::memory_order_release);
  }
  connections_.ring(rank_at(from));
  return good ? CopyState::kDone : CopyState::kRefused;
}

CopyState ShmSingleCopy::advance(Address from, const CopyOffer& offer) {
  CopyDescriptor& descriptor = received(from, offer);
  if (descriptor.state.load(std::memory_order_acquire) == CopyDescriptor::kRefused) return CopyState::kRefused;
  return take_piece(rank_at(from), descriptor, End::kReceiver);
}

void ShmSingleCopy::withdraw(Address to, const CopyOffer& offer) {
  sent(to, offer).state.store(CopyDescriptor::kFree, std::memory_order_relaxed);
  let_go(to, offer);
}

void ShmSingleCopy::close(Address from, const CopyOffer& offer) {
  // release: the sender may fill the descriptor anew once it sees it closed.
  received(from, offer).state.store(CopyDescriptor::kClosed, std::memory_order_release);
}

CopyState ShmSingleCopy::take_piece(LocalRank peer, CopyDescriptor& descriptor, End end) {
  const std::uint64_t total = descriptor.bytes;
  std::uint64_t begin = descriptor.claimed.load(std::memory_order_relaxed);
  if (begin < total) begin = descriptor.claimed.fetch_add(descriptor.chunk_bytes, std::memory_order_relaxed);
  if (begin >= total) {
    // acquire: the bytes that the other end copied are ours to use.
    return descriptor.copied.load(std::memory_order_acquire) == total ? CopyState::kDone : CopyState::kWaiting;
  }
  const std::uint64_t bytes = std::min<std::uint64_t>(descriptor.chunk_bytes, total - begin);
  const bool good = end == End::kReceiver
                        ? memory_.read(peer, descriptor.source + begin,
                                       reinterpret_cast<void*>(descriptor.destination + begin), bytes)
                        : memory_.write(peer, reinterpret_cast<const void*>(descriptor.source + begin),
                                        descriptor.destination + begin, bytes);
  if (!good) {
    descriptor.state.store(CopyDescriptor::kRefused, std::memory_order_release);
    connections_.ring(peer);
    return CopyState::kRefused;
  }
  if (descriptor.copied.fetch_add(bytes, std::memory_order_acq_rel) + bytes != total) return CopyState::kMoved;
  connections_.ring(peer);
  return CopyState::kDone;
}

}  // namespace starling::transport::shm
