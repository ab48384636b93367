// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/loop/loop_transport.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/clock.hpp"
#include "base/format.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::transport::loop {

std::optional<Address> LoopTransport::reaches(const Surroundings& surroundings, WorldRank rank) {
  if (surroundings.networks.simulated == nullptr || rank == surroundings.rank) return std::nullopt;
  return Address(rank.value);
}

Result<std::unique_ptr<Transport>> LoopTransport::create(const Surroundings& surroundings) {
  Network& network = *surroundings.networks.simulated;
  std::vector<PeerId> peers;
  for (WorldRank rank(0); rank.value < network.ranks(); ++rank.value) peers.push_back(peer_of(rank));
  return std::unique_ptr<Transport>(
      new LoopTransport(network, surroundings.rank, std::move(peers), surroundings.packet_counts()));
}

LoopTransport::LoopTransport(Network& network, WorldRank rank, std::vector<PeerId> peers, observe::PacketCounts counts)
    : network_(network),
      rank_(rank),
      inbox_(network.mailbox(rank)),
      peers_(std::move(peers)),
      counts_(counts),
      credits_(static_cast<std::size_t>(network.ranks())) {}

bool LoopTransport::has_room(Address to, std::size_t bytes) {
  const Settings& settings = network_.settings();
  STARLING_ASSERT(bytes <= std::max(settings.max_payload, settings.at_once),
                  "a packet is larger than the transport's limit");
  if (begun(to) != nullptr) {
    counts_.is_refused(rank_of(to));
    return false;
  }
  switch (outbox(to).room_for(rank_, bytes)) {
    case Mailbox::Room::kThereIs: counts_.gives(rank_of(to)); return true;
    case Mailbox::Room::kFull: counts_.is_refused(rank_of(to)); return false;
    case Mailbox::Room::kBroken: break;
  }
  failure_ = loss_of(to);
  return false;
}

Status LoopTransport::loss_of(Address peer) const {
  return Status::error(
      ErrorClass::kProcFailed,
      formatted("the connection from rank {} to rank {}, on another node, is broken: the process there has died, or "
                "the network between the nodes is interrupted",
                rank_.value, peer.value));
}

void LoopTransport::post(Address to, Frame frame) {
  Credits& credits = credits_[to.index()];
  frame.held = credits.held_here;
  if (std::exchange(credits.owed, false)) std::erase(owed_, to);
  sent_until_ns_ = std::max(sent_until_ns_, outbox(to).post(rank_, std::move(frame)));
}

bool LoopTransport::try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) {
  return try_send_words(to, header, {0, 0}, payload, bytes);
}

bool LoopTransport::try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                   const void* payload, std::size_t bytes) {
  if (!has_room(to, bytes)) return false;
  const auto* first = static_cast<const std::byte*>(payload);
  post(to, {Frame::FrameType::kPacket, header, {words[0], words[1]}, std::vector<std::byte>(first, first + bytes)});
  return true;
}

bool LoopTransport::try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                    datatype::PackCursor& cursor, std::size_t bytes) {
  if (!has_room(to, bytes)) return false;
  Frame frame{Frame::FrameType::kPacket, header, {words[0], words[1]}, std::vector<std::byte>(bytes)};
  frame.payload.resize(cursor.pack(frame.payload.data(), bytes));
  post(to, std::move(frame));
  return true;
}

LoopTransport::Begun* LoopTransport::begun(Address to) noexcept {
  const auto found = std::ranges::find(begun_, to, &Begun::to);
  return found != begun_.end() ? &*found : nullptr;
}

std::size_t LoopTransport::longest(Address to) {
  const std::size_t at_once = network_.settings().at_once;
  return at_once != 0 && begun(to) == nullptr && outbox(to).under_way(rank_) == 0 ? at_once : 0;
}

std::optional<std::size_t> LoopTransport::try_begin(Address to, const PacketHeader& header,
                                                    const std::uint64_t (&words)[2], const void* payload,
                                                    std::size_t bytes) {
  if (!has_room(to, bytes)) return std::nullopt;
  begun_.push_back({to, {Frame::FrameType::kPacket, header, {words[0], words[1]}, {}}, bytes, true});
  begun_.back().frame.payload.reserve(bytes);
  return go_on(to, payload, bytes);
}

// It takes some, and at every other try nothing. The link was empty at the beginning, so there is room at the end.
std::size_t LoopTransport::go_on(Address to, const void* payload, std::size_t bytes) {
  Begun* const packet = begun(to);
  STARLING_ASSERT(packet != nullptr && bytes <= packet->missing, "no such packet has begun");
  if (outbox(to).room_for(rank_, 0) == Mailbox::Room::kBroken) {
    failure_ = loss_of(to);
    return 0;
  }
  packet->is_refused = !packet->is_refused;
  if (packet->is_refused) return 0;
  const std::size_t taken = std::min(bytes, network_.settings().max_payload);
  const auto* const first = static_cast<const std::byte*>(payload);
  packet->frame.payload.insert(packet->frame.payload.end(), first, first + taken);
  packet->missing -= taken;
  if (packet->missing != 0) return taken;
  post(to, std::move(packet->frame));
  std::erase_if(begun_, [&](const Begun& each) { return each.to == to; });
  return taken;
}

void LoopTransport::publish_held(Address peer, std::uint64_t bytes) {
  Credits& credits = credits_[peer.index()];
  credits.held_here = bytes;
  if (!std::exchange(credits.owed, true)) owed_.push_back(peer);
}

// Only those that no packet has taken along since they changed.
void LoopTransport::tell_credits() {
  for (const Address peer : std::vector<Address>(owed_)) {
    const Mailbox::Room room = outbox(peer).room_for(rank_, 0);
    if (room == Mailbox::Room::kFull || begun(peer) != nullptr) continue;
    Frame frame;
    frame.type = Frame::FrameType::kCredits;
    post(peer, std::move(frame));  // a broken link drops it
  }
}

bool LoopTransport::poll(Sink& sink) {
  if (!owed_.empty()) tell_credits();
  if (!inbox_.may_have_arrivals()) return false;
  inbox_.take(arrivals_, waiting_);
  network_.ring(waiting_);
  waiting_.clear();
  const bool moved = !arrivals_.empty();
  deliver(sink);
  tell_losses(sink);
  return moved;
}

void LoopTransport::tell_losses(Sink& sink) {
  std::vector<WorldRank> broken;
  inbox_.take_broken(broken);
  for (const WorldRank rank : broken) sink.on_lost(peers_[rank.index()], LostBy::kEnd, loss_of(Address(rank.value)));
}

void LoopTransport::deliver(Sink& sink) {
  for (const Arrival& arrival : arrivals_) {
    const Frame& frame = arrival.frame;
    credits_[arrival.from.index()].held_there = frame.held;
    if (frame.type == Frame::FrameType::kCredits) continue;
    const PeerId peer = peers_[arrival.from.index()];
    const Packet packet{frame.header, {frame.words[0], frame.words[1]}, frame.payload};
    frame.payload.size() > network_.settings().whole_up_to ? deliver_in_parts(peer, packet, sink)
                                                           : sink.on_packet(peer, packet);
    counts_.takes();
  }
  arrivals_.clear();
}

void LoopTransport::deliver_in_parts(PeerId peer, Packet packet, Sink& sink) {
  std::byte* place = sink.destination(peer, packet.header, packet.words, packet.payload.size());
  if (place == nullptr) return sink.on_packet(peer, packet);
  const auto half = static_cast<std::ptrdiff_t>(packet.payload.size() / 2);
  std::copy(packet.payload.begin(), packet.payload.begin() + half, place);
  if (sink.destination(peer, packet.header, packet.words, packet.payload.size()) == place) {
    std::copy(packet.payload.begin() + half, packet.payload.end(), place + half);
    packet.payload = {place, packet.payload.size()};
  }
  sink.on_placed(peer, packet);
}

bool LoopTransport::flush() {
  if (!owed_.empty()) tell_credits();
  flushing_ = !begun_.empty() || (sent_until_ns_ != 0 && now_ns() < sent_until_ns_);
  return !flushing_;
}

bool LoopTransport::Waker::arm() {
  if (!transport_.begun_.empty()) return false;
  return transport_.inbox_.arm(transport_.flushing_ ? transport_.sent_until_ns_ : Link::kNever);
}

void LoopTransport::peer_failed(Address peer, Sink& sink) {
  inbox_.take_rest(rank_of(peer), arrivals_);
  deliver(sink);
  std::erase_if(begun_, [&](const Begun& each) { return each.to == peer; });
  outbox(peer).break_link(rank_, UnderWay::kIsLost);
}

}  // namespace starling::transport::loop
