// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/sender.hpp"

#include <algorithm>

#include "base/cpu.hpp"
#include "p2p/request/failures.hpp"

namespace starling::p2p {
namespace {

STARLING_CONFIG(cyclic_above, "CYCLIC_ABOVE", std::int64_t, 0, kMessages, kProcess,
                "Message size, bytes, above which a long message that goes through buffers cycles through two of them "
                "instead of filling the pool (0: never).");
STARLING_CONFIG(
    credit_bytes, "CREDIT_BYTES", std::int64_t, 64 * 1024 * 1024, kMessages, kProcess,
    "Bytes of unmatched eager messages that a receiver keeps for each sender before the sender only announces.");

/// Sends between two looks at a receiver's credits: its line is seldom written, but reading it is not free.
constexpr std::uint32_t kSendsPerCreditCheck = 16;

/// How much of a message of so many bytes travels in one packet: equal pieces, so that the receiver is always one
/// behind.
std::int64_t piece_of(std::int64_t bytes, std::int64_t max_payload) {
  constexpr std::int64_t kLine = kCacheLine;
  const std::int64_t pieces = std::max<std::int64_t>((bytes + max_payload - 1) / max_payload, 1);
  const std::int64_t piece = (bytes + pieces - 1) / pieces;
  return std::min((piece + kLine - 1) / kLine * kLine, max_payload);
}

/// above: from which size on messages are; 0: none is.
bool is_cyclic(const SendRequest& request, std::int64_t above) { return above > 0 && request.bytes > above; }

/// The bytes of the buffers that a cyclic message goes around in.
std::uint64_t two_sets(std::int64_t piece) { return 2 * static_cast<std::uint64_t>(piece); }

/// How many bytes of what is left of a message the next packet takes: a piece, or more where that is possible.
std::int64_t packet_of(const SendRequest& request, const Peer& peer, std::int64_t piece) {
  const std::int64_t left = request.cursor->remaining();
  if (left <= piece) return left;
  if (!request.cursor->is_contiguous()) return piece;
  return std::clamp(static_cast<std::int64_t>(peer.transport->longest(peer.address)), piece, left);
}

/// Offers the bytes to be copied; none where they cannot be now.
transport::CopyOffer offer_of(const SendRequest& request, const Peer& peer, bool job_survives) {
  transport::SingleCopy* const copy = peer.transport->single_copy();
  if (copy == nullptr || !request.cursor->is_contiguous()) return {};
  using Withdrawal = transport::SingleCopy::Withdrawal;
  const Withdrawal withdrawal = job_survives ? Withdrawal::kPossible : Withdrawal::kNever;
  return copy->offer(peer.address, request.cursor->memory(), static_cast<std::uint64_t>(request.bytes), withdrawal);
}

/// Whether the receiver is to copy the eager message once. It stays so while the message waits for room.
bool goes_once(SendRequest& request, const Peer& peer) {
  if (peer.eager_copies == EagerCopies::kNever || request.bytes < CopyChoice::kLeastBytes || request.synchronous)
    return false;
  if (!request.cursor->is_contiguous()) return false;
  if (peer.eager_copies == EagerCopies::kAlways || request.copied_once) return true;
  if (!request.way) request.way = peer.copies->way_of(request.bytes);
  request.header.flags = kHadChoice;
  return *request.way == CopyWay::kOnce;
}

/// Begins a packet that may be longer than those that go whole.
bool begin_packet(SendRequest& request, const Peer& peer, PacketKind kind, const std::uint64_t (&words)[2],
                  std::size_t bytes) {
  request.header.kind = static_cast<std::uint8_t>(kind);
  const std::optional<std::size_t> gone =
      peer.transport->try_begin(peer.address, request.header, words, request.cursor->memory(), bytes);
  if (!gone) return false;
  request.cursor->skip(static_cast<std::int64_t>(*gone));
  request.packet_left = static_cast<std::int64_t>(bytes - *gone);
  return true;
}

/// Hands on what is missing of it; true: nothing is.
bool end_packet(SendRequest& request, const Peer& peer) {
  if (request.packet_left == 0) return true;
  const auto gone = static_cast<std::int64_t>(
      peer.transport->go_on(peer.address, request.cursor->memory(), static_cast<std::size_t>(request.packet_left)));
  request.cursor->skip(gone);
  request.packet_left -= gone;
  return request.packet_left == 0;
}

}  // namespace

void SendRequest::dispose() { sender->dispose(*this); }
void SendRequest::cancel() { sender->cancel(*this); }

Sender::Sender(Peers& peers, const config::Store& config)
    : peers_(peers),
      cyclic_above_(config.get(cyclic_above)),
      credit_bytes_(static_cast<std::uint64_t>(std::max<std::int64_t>(config.get(credit_bytes), 0))) {}

bool Sender::check_credit(Peer& peer) {
  peer.throttled = peer.transport->held_by(peer.address) > credit_bytes_;
  peer.sends_until_credit_check = peer.throttled ? 0 : kSendsPerCreditCheck;
  return !peer.throttled;
}

void Sender::uncount(const Message& message) {
  peers_[message.comm->peer(message.rank)].sent->take_back(
      static_cast<std::uint64_t>(message.count * message.type->size()));
}

SendRequest* Sender::start(const Message& message, SendMode mode) {
  SendRequest& request = *pool_.take();
  request.reset();
  if (request.slot == SendRequest::kNoSlot) request.slot = static_cast<std::uint32_t>(pool_.made() - 1);
  ++request.use;
  request.sender = this;
  request.disposed = false;
  request.orphaned = false;
  request.packet_left = 0;
  request.way.reset();
  request.phase = SendRequest::Phase::kFresh;
  request.synchronous = mode == SendMode::kSynchronous;
  request.copied_once = mode == SendMode::kCopiedOnce;
  request.peer = message.comm->peer(message.rank);
  request.header = header_of(message, PacketKind::kEager);
  request.bytes = message.count * message.type->size();
  request.offer = {};
  request.cursor.emplace(*message.type, message.buffer, message.count);
  if (!request.cursor->is_contiguous()) request.type = Ref<const datatype::Datatype>::share(message.type);
  ++in_flight_;
  Peer& peer = peers_[request.peer];
  ++peer.sends;
  if (peer.dead) [[unlikely]] {
    fail(request, process_failed(message.rank));
    return &request;
  }
  peer.sent->add(static_cast<std::uint64_t>(request.bytes));
  if (peers_.listener() != nullptr) [[unlikely]]
    peers_.tell(observe::OccurrenceKind::kMessageSent, {request.header.context_id, message.rank, message.tag},
                static_cast<std::uint64_t>(request.bytes));
  if (peer.has_backlog || (!advance(request) && !fail_if_refused(request))) queue(request);
  return &request;
}

bool Sender::advance(SendRequest& request) {
  switch (request.phase) {
    case SendRequest::Phase::kFresh: return begin(request);
    case SendRequest::Phase::kStreaming: return stream(request, PacketKind::kMore, 0);
    case SendRequest::Phase::kData: return stream(request, PacketKind::kData, request.receiver_cookie);
    default: return true;
  }
}

bool Sender::begin(SendRequest& request) {
  Peer& peer = peers_[request.peer];
  const auto max_payload = static_cast<std::int64_t>(peer.limits.max_payload);
  const bool fits = request.bytes <= max_payload;
  const bool eager = request.bytes <= peer.eager_limit && (fits || !request.synchronous);
  request.header.flags = 0;
  if (!eager || !check_credit(peer)) {
    return announce(request, PacketKind::kAnnounce, offer_of(request, peer, peers_.survives()));
  }
  if (goes_once(request, peer)) {
    const transport::CopyOffer offer = offer_of(request, peer, peers_.survives());
    if (!offer.is_none()) return announce(request, PacketKind::kOffer, offer);
  }
  return fits ? send_eager(request) : send_parts(request);
}

bool Sender::send_parts(SendRequest& request) {
  Peer& peer = peers_[request.peer];
  const auto max_payload = static_cast<std::int64_t>(peer.limits.max_payload);
  const std::int64_t piece = piece_of(request.bytes, max_payload);
  const std::int64_t packet = packet_of(request, peer, piece);
  if (packet == request.bytes) {
    if (!begin_packet(request, peer, PacketKind::kEager, {0, 0}, static_cast<std::size_t>(packet))) return false;
  } else {
    if (is_cyclic(request, cyclic_above_)) peer.transport->keep_buffers_to(peer.address, two_sets(piece));
    const std::uint64_t words[2] = {static_cast<std::uint64_t>(request.bytes), 0};
    if (!send_piece(request, PacketKind::kFirst, words, static_cast<std::size_t>(piece))) return false;
  }
  request.phase = SendRequest::Phase::kStreaming;
  return stream(request, PacketKind::kMore, 0);
}

bool Sender::send_eager(SendRequest& request) {
  const auto bytes = static_cast<std::size_t>(request.bytes);
  if (request.synchronous) {
    if (!send_piece(request, PacketKind::kEagerSync, {request.cookie(), 0}, bytes)) return false;
    request.phase = SendRequest::Phase::kSync;
    return true;
  }
  if (request.cursor->is_contiguous()) {
    // It may have been another when there was no room for that.
    request.header.kind = static_cast<std::uint8_t>(PacketKind::kEager);
    const Peer& peer = peers_[request.peer];
    if (!peer.transport->try_send(peer.address, request.header, request.cursor->memory(), bytes)) return false;
  } else if (!send_piece(request, PacketKind::kEager, {0, 0}, bytes)) {
    return false;
  }
  complete(request);
  return true;
}

bool Sender::announce(SendRequest& request, PacketKind kind, const transport::CopyOffer& offer) {
  const Peer& peer = peers_[request.peer];
  transport::SingleCopy* const copy = peer.transport->single_copy();
  const bool joint = !offer.is_none() && copy->is_joint(offer);
  request.header.kind = static_cast<std::uint8_t>(kind);
  const std::uint64_t words[2] = {static_cast<std::uint64_t>(request.bytes), request.cookie()};
  if (!peer.transport->try_send_words(peer.address, request.header, words, &offer, sizeof offer)) {
    if (joint) copy->withdraw(peer.address, offer);
    return false;
  }
  request.phase = SendRequest::Phase::kAnnounced;
  if (joint) {
    request.offer = offer;
    copying_.push_back(&request);
  }
  return true;
}

bool Sender::stream(SendRequest& request, PacketKind kind, std::uint64_t word) {
  Peer& peer = peers_[request.peer];
  const std::int64_t piece = piece_of(request.bytes, static_cast<std::int64_t>(peer.limits.max_payload));
  if (!end_packet(request, peer)) return false;
  const bool cyclic = is_cyclic(request, cyclic_above_);
  if (cyclic) peer.transport->keep_buffers_to(peer.address, two_sets(piece));
  while (!request.cursor->done()) {
    if (cyclic && peer.transport->in_flight(peer.address) > 1) return false;
    const std::int64_t packet = packet_of(request, peer, piece);
    const auto bytes = static_cast<std::size_t>(packet);
    const bool gone = packet > piece ? begin_packet(request, peer, kind, {word, 0}, bytes) && end_packet(request, peer)
                                     : send_piece(request, kind, {word, 0}, bytes);
    if (!gone) return false;
  }
  if (cyclic) peer.transport->keep_buffers_to(peer.address, 0);
  complete(request);
  return true;
}

bool Sender::send_piece(SendRequest& request, PacketKind kind, const std::uint64_t (&words)[2], std::size_t bytes) {
  request.header.kind = static_cast<std::uint8_t>(kind);
  const Peer& peer = peers_[request.peer];
  datatype::PackCursor& cursor = *request.cursor;
  if (!cursor.is_contiguous()) {
    return peer.transport->try_send_packed(peer.address, request.header, words, cursor, bytes);
  }
  if (!peer.transport->try_send_words(peer.address, request.header, words, cursor.memory(), bytes)) return false;
  cursor.skip(static_cast<std::int64_t>(bytes));
  return true;
}

/// After a send found no room: false when room will come. When none can come the request fails, and true is returned.
bool Sender::fail_if_refused(SendRequest& request) {
  Status failure = peers_[request.peer].transport->take_failure();
  if (failure.ok()) return false;
  // Who is dead is said to all ranks alike; then mark_failed() ends the request.
  if (peers_.survives() && failure.error_class() == ErrorClass::kProcFailed) return false;
  request.failure = std::move(failure);
  complete(request);
  return true;
}

void Sender::queue(SendRequest& request) {
  // Nothing else leaves for the peer before the end of a packet that has begun.
  if (request.packet_left != 0) {
    peers_[request.peer].waiting.push_front(request);
  } else {
    peers_[request.peer].waiting.push_back(request);
  }
  peers_.note_backlog(request.peer);
}

bool Sender::flush_backlog() {
  bool moved = false;
  // By value: a completion may add peers.
  std::vector<PeerId> numbers;
  numbers.swap(peers_.backlog);
  for (const PeerId number : numbers) {
    if (peers_[number].dead) [[unlikely]]
      continue;
    peers_[number].has_backlog = false;
    if (!flush_peer(number, &moved)) peers_.note_backlog(number);
  }
  return moved;
}

/// True when the peer has nothing waiting any more.
bool Sender::flush_peer(PeerId number, bool* moved) {
  Peer& peer = peers_[number];
  if (SendRequest* const begun = peer.waiting.front(); begun != nullptr && begun->packet_left != 0) {
    const std::int64_t left = begun->packet_left;
    const bool ended = end_packet(*begun, peer);
    *moved |= begun->packet_left != left;
    if (!ended) {
      begun->unlink();
      if (!fail_if_refused(*begun)) {
        peer.waiting.push_front(*begun);
        return false;
      }
    }
  }
  const std::size_t controls = peer.controls.size();
  const bool controls_gone = peers_.flush_controls(number);
  *moved |= peer.controls.size() != controls;
  if (!controls_gone) return false;
  while (SendRequest* request = peer.waiting.front()) {
    const std::int64_t before = request->cursor->position();
    const SendRequest::Phase phase = request->phase;
    request->unlink();
    const bool through = advance(*request) || fail_if_refused(*request);
    if (!through) peer.waiting.push_front(*request);
    *moved |= through || request->phase != phase || request->cursor->position() != before;
    if (!through) return false;
  }
  return true;
}

void Sender::cancel(SendRequest& request) {
  if (request.complete()) return;
  if (request.phase == SendRequest::Phase::kFresh) {
    request.unlink();
    request.completion.cancelled = true;
    complete(request);
  } else if (request.phase == SendRequest::Phase::kAnnounced || request.phase == SendRequest::Phase::kSync) {
    peers_.send_control(request.peer, PacketKind::kCancel, request.cookie());
  }
}

void Sender::complete(SendRequest& request) {
  if (request.orphaned) [[unlikely]]
    return end_orphan(request);
  request.phase = SendRequest::Phase::kDone;
  request.completion.bytes = request.bytes;
  request.type = {};
  --in_flight_;
  --peers_[request.peer].sends;
  request.finish();
  if (request.disposed) pool_.give(&request);
}

void Sender::dispose(SendRequest& request) {
  if (request.complete() && !request.orphaned) {
    pool_.give(&request);
  } else {
    request.disposed = true;
  }
}

}  // namespace starling::p2p
