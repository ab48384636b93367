// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/peers.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "transport/choose/list.hpp"
#include "transport/decorators/shifted_contexts.hpp"
#include "transport/shm/shm_transport.hpp"
#include "transport/tcp/tcp_transport.hpp"

namespace starling::p2p {
namespace {

STARLING_CONFIG(eager_bytes, "EAGER_LIMIT", std::int64_t, 32 * 1024, kMessages, kProcess,
                "Largest message, bytes, that is sent without asking the receiver first; longer ones are announced and "
                "copied or sent once matched (rendezvous). STARLING_NET_EAGER_LIMIT is the same between nodes.");

STARLING_CONFIG(how_copied, "EAGER_COPIES", std::string, "learn", kMessages, kProcess,
                "Whether the receiver copies eager messages of more than 4 KiB straight from the sender's memory: "
                "never (they go through buffers), always, or learn (where that has turned out to be quicker; it is "
                "tried now and then).");

Result<EagerCopies> parse_eager_copies(const std::string& word) {
  if (word == "learn") return EagerCopies::kLearn;
  if (word == "always") return EagerCopies::kAlways;
  if (word == "never") return EagerCopies::kNever;
  return Status::error(ErrorClass::kArg,
                       formatted("{}={}: there is no such choice. Choose one of: learn, always, never.",
                                 how_copied.environment_name(), word));
}

bool try_control(Peer& peer, const ControlPacket& packet) {
  transport::PacketHeader header;
  header.kind = static_cast<std::uint8_t>(packet.kind);
  return peer.transport->try_send_words(peer.address, header, packet.words, nullptr, 0);
}

Status unreachable(const transport::Surroundings& surroundings, WorldRank rank) {
  const memory::Placement& placement = surroundings.placement;
  return Status::error(
      ErrorClass::kOther,
      formatted("rank {} on node {} cannot reach rank {} on node {}: no transport joins the two nodes. "
                "Start the job on one node",
                surroundings.rank.value, placement.own_node(), rank.value, placement.node_of(rank)));
}

}  // namespace

Peers::Peers(const transport::Surroundings& surroundings, std::int64_t eager_limit, EagerCopies eager_copies)
    : surroundings_(surroundings),
      survives_(surroundings.segment.header().survives != 0),
      eager_limit_(eager_limit),
      eager_copies_(eager_copies),
      smallest_max_payload_(std::numeric_limits<std::size_t>::max()),
      by_kind_(transport::transport_kinds().size()),
      all_(static_cast<std::size_t>(surroundings.placement.size())) {}

Result<std::unique_ptr<Peers>> Peers::create(const transport::Surroundings& surroundings) {
  Result<EagerCopies> copies = parse_eager_copies(surroundings.config.get(how_copied));
  if (!copies.ok()) return std::move(copies).status();
  std::unique_ptr<Peers> peers(new Peers(surroundings, surroundings.config.get(eager_bytes), copies.value()));
  STARLING_TRY(peers->reach_all());
  return peers;
}

std::optional<Peers::Way> Peers::way_to(WorldRank rank) const {
  const auto kinds = transport::transport_kinds();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (const auto address = kinds[kind].reaches(surroundings_, rank)) return Way{kind, *address};
  }
  return std::nullopt;
}

Status Peers::reach_all() {
  const auto kinds = transport::transport_kinds();
  std::vector<bool> is_needed(kinds.size());
  for (WorldRank rank(0); rank.value < surroundings_.placement.size(); ++rank.value) {
    const std::optional<Way> way = way_to(rank);
    if (!way) return unreachable(surroundings_, rank);
    is_needed[way->kind] = true;
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!is_needed[kind]) continue;
    auto transport = kinds[kind].create(surroundings_);
    if (!transport.ok()) return std::move(transport).status();
    by_kind_[kind] = &add(std::move(transport).value());
  }
  sort_transports();
  return {};
}

void Peers::sort_transports() {
  self_ = transport_to(surroundings_.rank);
  const memory::Placement& placement = surroundings_.placement;
  for (const WorldRank rank : placement.node(placement.own_node()).ranks) {
    transport::Transport* const transport = transport_to(rank);
    if (node_ == nullptr && transport != self_) node_ = transport;
  }
  for (const auto& transport : transports_) {
    if (transport.get() != self_ && transport.get() != node_) others_polled_.push_back(transport.get());
  }
}

Peer& Peers::introduce(PeerId number) {
  const std::optional<Way> way = way_to(WorldRank(number.value));
  Peer& peer = all_.make(number.index());
  reach(peer, *by_kind_[way->kind], way->address, surroundings_.rank.value < number.value);
  peer.sent = &surroundings_.segment.traffic().count(surroundings_.local_rank(), WorldRank(number.value));
  return peer;
}

bool Peers::poll_others(transport::Sink& sink) {
  bool moved = false;
  // By index: a completion may add peers, and a transport with them.
  for (std::size_t i = 0; i < others_polled_.size(); ++i) moved |= others_polled_[i]->poll(sink);
  return moved;
}

void Peers::reach(Peer& peer, transport::Transport& transport, transport::Address address, bool leads) const {
  peer.transport = &transport;
  peer.address = address;
  peer.limits = transport.limits();
  peer.eager_limit = peer.limits.eager_limit.value_or(eager_limit_);
  transport::SingleCopy* const copy = transport.single_copy();
  peer.eager_copies = copy != nullptr && copy->can_take() ? eager_copies_ : EagerCopies::kNever;
  if (peer.eager_copies == EagerCopies::kLearn) {
    peer.copies = std::make_unique<CopyChoice>(static_cast<std::uint32_t>(address.value), leads);
  }
  peer.short_bytes = short_bytes_of(peer);
}

void Peers::hear_way(PeerId peer, const transport::Packet& packet) noexcept {
  CopyChoice* const copies = (*this)[peer].copies.get();
  if (copies == nullptr || !begins_message(packet)) return;
  const bool once = static_cast<PacketKind>(packet.header.kind) == PacketKind::kOffer;
  copies->hear(static_cast<std::int64_t>(bytes_of(packet)), once ? CopyWay::kOnce : CopyWay::kThroughBuffers);
}

std::int64_t Peers::short_bytes_of(const Peer& peer) const noexcept {
  constexpr std::int64_t kNone = -1;
  if (listener_ != nullptr) return kNone;
  const std::int64_t fitting = std::min(peer.eager_limit, static_cast<std::int64_t>(peer.limits.max_payload));
  return peer.eager_copies == EagerCopies::kNever ? fitting : std::min(fitting, CopyChoice::kLeastBytes - 1);
}

void Peers::set_listener(observe::Listener* listener) noexcept {
  listener_ = listener;
  for (const std::unique_ptr<Peer>& peer : all_.made()) peer->short_bytes = short_bytes_of(*peer);
}

void Peers::tell(observe::OccurrenceKind kind, const Envelope& message, std::uint64_t bytes) {
  observe::Occurrence what;
  what.kind = kind;
  hear(what, message, bytes);
}

void Peers::tell_early_match(const Envelope& message, std::uint64_t bytes) {
  observe::Occurrence what;
  what.kind = observe::OccurrenceKind::kMessageMatched;
  what.number = 1;
  hear(what, message, bytes);
}

void Peers::hear(observe::Occurrence what, const Envelope& message, std::uint64_t bytes) {
  if (listener_ == nullptr) return;  // it has turned away during this poll
  const bool is_partitioned = (message.context_id & comm::Communicator::kPartitioned) != 0;
  if (message.context_id % 2 != 0 || is_partitioned) return;
  what.context_id = message.context_id;
  what.rank = message.source;
  what.tag = message.tag;
  what.bytes = bytes;
  listener_->hear(what);
}

transport::Transport& Peers::add(std::unique_ptr<transport::Transport> transport) {
  smallest_max_payload_ = std::min(smallest_max_payload_, transport->limits().max_payload);
  transports_.push_back(std::move(transport));
  return *transports_.back();
}

Result<PeerId> Peers::attach(const transport::Surroundings& processes, std::uint32_t first_context) {
  const memory::Placement& placement = processes.placement;
  const std::span<const WorldRank> here = placement.node(placement.own_node()).ranks;
  const Numbers numbers{PeerId(all_.size()), placement.size()};
  const auto number_of = [&](WorldRank rank) { return PeerId(numbers.first.value + rank.value); };
  std::vector<PeerId> reported;
  for (const WorldRank rank : here) reported.push_back(number_of(rank));
  // All are made before any is added, for there is nothing to take back then.
  std::vector<std::unique_ptr<transport::Transport>> made;
  auto shm = transport::shm::ShmTransport::create(processes.segment, processes.local_rank(), std::move(reported),
                                                  processes.config);
  if (!shm.ok()) return std::move(shm).status();
  made.push_back(std::make_unique<transport::ShiftedContexts>(std::move(shm).value(), first_context));
  if (processes.networks.tcp != nullptr) {
    Result<transport::tcp::Settings> settings = transport::tcp::settings_of(processes.config);
    if (!settings.ok()) return std::move(settings).status();
    // No launcher tells of the deaths of other jobs' processes: the end of a connection does.
    std::vector<WorldRank> at_once;
    for (WorldRank rank(0); survives_ && rank.value < placement.size(); ++rank.value) {
      if (!placement.is_here(rank)) at_once.push_back(rank);
    }
    auto tcp = transport::tcp::TcpTransport::create(*processes.networks.tcp, settings.value(), processes.rank,
                                                    numbers.first, {}, at_once);
    if (!tcp.ok()) return std::move(tcp).status();
    made.push_back(std::make_unique<transport::ShiftedContexts>(std::move(tcp).value(), first_context));
  }
  Attachment attachment{{}, numbers};
  for (auto& transport : made) attachment.transports.push_back(&add(std::move(transport)));
  all_.grow(all_.size() + static_cast<std::size_t>(numbers.count));
  for (WorldRank rank(0); rank.value < numbers.count; ++rank.value) {
    Peer& peer = all_.make(number_of(rank).index());
    const bool leads = processes.rank.value < rank.value;
    if (placement.is_here(rank)) {
      reach(peer, *attachment.transports.front(), transport::shm::address_of(placement.local_of(rank)), leads);
    } else {
      reach(peer, *attachment.transports.back(), transport::Address(rank.value), leads);
    }
  }
  others_polled_.insert(others_polled_.end(), attachment.transports.begin(), attachment.transports.end());
  attachments_.push_back(std::move(attachment));
  return numbers.first;
}

std::span<transport::Transport* const> Peers::transports_of(PeerId first) const {
  for (const Attachment& attached : attachments_) {
    if (attached.numbers.first == first) return attached.transports;
  }
  return {};
}

Peers::Numbers Peers::attached_with(PeerId first) const {
  for (const Attachment& attached : attachments_) {
    if (attached.numbers.first == first) return attached.numbers;
  }
  return {first, 0};
}

void Peers::detach(PeerId first) {
  const Numbers numbers = attached_with(first);
  std::erase_if(backlog, [&](PeerId number) { return numbers.has(number); });
  for (const Attachment& attached : attachments_) {
    if (attached.numbers.first != first) continue;
    for (transport::Transport* const gone : attached.transports) {
      std::erase(others_polled_, gone);
      std::erase_if(transports_, [&](const auto& transport) { return transport.get() == gone; });
    }
  }
  std::erase_if(attachments_, [&](const Attachment& attached) { return attached.numbers.first == first; });
  for (std::int32_t i = 0; i < numbers.count; ++i) {
    all_.remove(numbers.first.index() + static_cast<std::size_t>(i));
  }
}

bool Peers::flush() {
  bool all = true;
  for (const auto& transport : transports_) all &= transport->flush();
  return all;
}

void Peers::send_control(PeerId number, PacketKind kind, std::uint64_t first, std::uint64_t second) {
  Peer& peer = (*this)[number];
  if (peer.dead) [[unlikely]]
    return;
  const ControlPacket packet{kind, {first, second}};
  if (peer.controls.empty() && try_control(peer, packet)) return;
  peer.controls.push_back(packet);
  note_backlog(number);
}

void Peers::note_backlog(PeerId number) {
  Peer& peer = (*this)[number];
  if (peer.has_backlog) return;
  peer.has_backlog = true;
  backlog.push_back(number);
}

bool Peers::flush_controls(PeerId number) {
  Peer& peer = (*this)[number];
  auto unsent = peer.controls.begin();
  while (unsent != peer.controls.end() && try_control(peer, *unsent)) ++unsent;
  peer.controls.erase(peer.controls.begin(), unsent);
  return peer.controls.empty();
}

}  // namespace starling::p2p
