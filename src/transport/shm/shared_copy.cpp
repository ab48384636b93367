// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/shared_copy.hpp"

#include <algorithm>

namespace starling::transport::shm {
namespace {

STARLING_CONFIG(single_copy, "SHM_SINGLE_COPY", bool, true,
                "Copy long messages straight between the processes' memories where the kernel permits.");
STARLING_CONFIG(copy_piece, "SHM_COPY_PIECE", std::int64_t, 256 * 1024,
                "Largest piece of a long message that one end copies at a time, bytes.");

/// Below this a piece costs more in the kernel's entry than in bytes.
constexpr std::uint64_t kLeastPiece = 8 * 1024;

}  // namespace

SharedCopy::SharedCopy(ShmTransport& transport, const config::Store& config)
    : transport_(transport),
      memory_(transport.segment(), transport.rank(), config.get(single_copy)),
      held_(transport.segment().ranks()),
      piece_bytes_(static_cast<std::uint64_t>(std::max<std::int64_t>(config.get(copy_piece), kLeastPiece))) {}

std::uint32_t SharedCopy::offer(std::int32_t peer, const void* source) {
  CopyTicket* tickets = transport_.tickets_to(peer);
  if (!tickets) return kNoTicket;
  for (std::uint32_t i = 0; i < kTickets; ++i) {
    if ((held(peer) >> i & 1) != 0) continue;
    CopyTicket& ticket = tickets[i];
    // acquire: a receiver that closed the ticket has read its last word.
    const std::uint32_t state = ticket.state.load(std::memory_order_acquire);
    if (state != CopyTicket::kFree && state != CopyTicket::kClosed) continue;
    ticket.source = reinterpret_cast<std::uint64_t>(source);
    ticket.claimed.store(0, std::memory_order_relaxed);
    ticket.copied.store(0, std::memory_order_relaxed);
    ticket.state.store(CopyTicket::kOffered, std::memory_order_release);
    held(peer) |= Held{1} << i;
    return i;
  }
  return kNoTicket;
}

CopyState SharedCopy::help(std::int32_t peer, std::uint32_t number) {
  CopyTicket& ticket = transport_.tickets_to(peer)[number];
  CopyState state = CopyState::kWaiting;
  // acquire: pairs with open(), and with the receiver's copy of the last piece.
  switch (ticket.state.load(std::memory_order_acquire)) {
    case CopyTicket::kOpen: state = take_piece(peer, ticket, End::kSender); break;
    case CopyTicket::kClosed: state = CopyState::kDone; break;
    case CopyTicket::kRefused: state = CopyState::kRefused; break;
    default: break;
  }
  if (state == CopyState::kDone) let_go(peer, number);
  return state;
}

void SharedCopy::let_go(std::int32_t peer, std::uint32_t number) { held(peer) &= ~(Held{1} << number); }

CopyState SharedCopy::take_back(std::int32_t peer, std::uint32_t number) {
  std::uint32_t offered = CopyTicket::kOffered;
  CopyTicket& ticket = transport_.tickets_to(peer)[number];
  // The ticket cannot be offered anew until the receiver has closed it: its announcement is still on its way.
  if (!ticket.state.compare_exchange_strong(offered, CopyTicket::kTakenBack, std::memory_order_acq_rel)) {
    if (offered != CopyTicket::kDeclined) return help(peer, number);
    withdraw(peer, number);
    return CopyState::kGone;
  }
  let_go(peer, number);
  return CopyState::kGone;
}

bool SharedCopy::answer(std::int32_t peer, std::uint32_t number, CopyTicket::State with) {
  std::uint32_t offered = CopyTicket::kOffered;
  // acq_rel: either the sender sees the answer when it takes the offer back, or we see that it has.
  if (transport_.tickets_from(peer)[number].state.compare_exchange_strong(offered, with, std::memory_order_acq_rel)) {
    return true;
  }
  close(peer, number);
  return false;
}

bool SharedCopy::open(std::int32_t peer, std::uint32_t number, void* destination, std::uint64_t bytes) {
  CopyTicket& ticket = transport_.tickets_from(peer)[number];
  ticket.destination = reinterpret_cast<std::uint64_t>(destination);
  ticket.bytes = bytes;
  // Halves, one for each end; longer messages in more pieces, so that the end that comes late still finds work.
  const std::uint64_t half = (bytes / 2 + kLeastPiece - 1) / kLeastPiece * kLeastPiece;
  ticket.chunk_bytes = static_cast<std::uint32_t>(std::clamp(half, kLeastPiece, piece_bytes_));
  std::uint32_t offered = CopyTicket::kOffered;
  if (!ticket.state.compare_exchange_strong(offered, CopyTicket::kOpen, std::memory_order_acq_rel)) {
    close(peer, number);
    return false;
  }
  transport_.ring(peer);
  return true;
}

CopyState SharedCopy::advance(std::int32_t peer, std::uint32_t number) {
  CopyTicket& ticket = transport_.tickets_from(peer)[number];
  if (ticket.state.load(std::memory_order_acquire) == CopyTicket::kRefused) return CopyState::kRefused;
  return take_piece(peer, ticket, End::kReceiver);
}

void SharedCopy::withdraw(std::int32_t peer, std::uint32_t number) {
  transport_.tickets_to(peer)[number].state.store(CopyTicket::kFree, std::memory_order_relaxed);
  let_go(peer, number);
}

void SharedCopy::close(std::int32_t peer, std::uint32_t number) {
  // release: the sender may fill the ticket anew once it sees it closed.
  transport_.tickets_from(peer)[number].state.store(CopyTicket::kClosed, std::memory_order_release);
}

CopyState SharedCopy::take_piece(std::int32_t peer, CopyTicket& ticket, End end) {
  const std::uint64_t total = ticket.bytes;
  std::uint64_t begin = ticket.claimed.load(std::memory_order_relaxed);
  if (begin < total) begin = ticket.claimed.fetch_add(ticket.chunk_bytes, std::memory_order_relaxed);
  if (begin >= total) {
    // acquire: the bytes that the other end copied are ours to use.
    return ticket.copied.load(std::memory_order_acquire) == total ? CopyState::kDone : CopyState::kWaiting;
  }
  const std::uint64_t bytes = std::min<std::uint64_t>(ticket.chunk_bytes, total - begin);
  const bool good = end == End::kReceiver ? memory_.read(peer, ticket.source + begin,
                                                         reinterpret_cast<void*>(ticket.destination + begin), bytes)
                                          : memory_.write(peer, reinterpret_cast<const void*>(ticket.source + begin),
                                                          ticket.destination + begin, bytes);
  if (!good) {
    ticket.state.store(CopyTicket::kRefused, std::memory_order_release);
    transport_.ring(peer);
    return CopyState::kRefused;
  }
  if (ticket.copied.fetch_add(bytes, std::memory_order_acq_rel) + bytes != total) return CopyState::kMoved;
  transport_.ring(peer);
  return CopyState::kDone;
}

}  // namespace starling::transport::shm
