// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Peers: what one rank knows of each process that it exchanges messages with: by which transport it reaches it, at
// which address, and what fits a packet there. Thread safety: the world's lock.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "base/intrusive_list.hpp"
#include "base/lazy_table.hpp"
#include "observe/listener.hpp"
#include "observe/traffic.hpp"
#include "p2p/protocol/copy_choice.hpp"
#include "p2p/protocol/packets.hpp"
#include "p2p/request/send_request.hpp"
#include "transport/surroundings.hpp"
#include "transport/transport.hpp"

namespace starling::p2p {

class ReceiveRequest;
struct UnexpectedMessage;

/// A packet without payload that found no room.
struct ControlPacket {
  PacketKind kind;
  std::uint64_t words[2];
};

/// Whether the receiver copies eager messages of more than 4 KiB once; where it may, as CopyChoice has learnt.
enum class EagerCopies : std::uint8_t { kNever, kLearn, kAlways };

struct Peer {
  transport::Transport* transport = nullptr;
  transport::Address address;    ///< by which the transport knows it
  bool has_backlog = false;      ///< the peer is on Peers::backlog, or dead
  bool dead = false;             ///< nothing goes to it or comes from it any more
  bool throttled = false;        ///< the peer keeps too much for us; announce instead of sending
  std::int64_t eager_limit = 0;  ///< messages up to here are sent without asking the receiver
  std::int64_t short_bytes = 0;  ///< up to here a blocking send needs no request: it is eager and goes in one packet
  EagerCopies eager_copies = EagerCopies::kNever;  ///< kNever also where the transport cannot
  transport::Limits limits;                        ///< of the transport

  // Towards the peer.
  observe::TrafficCount* sent = &uncounted;  ///< what has been sent to it, where readers find it
  std::uint32_t sends_until_credit_check = 0;
  std::unique_ptr<CopyChoice> copies;   ///< null unless it is learnt
  IntrusiveList<SendRequest> waiting;   ///< sends that still have packets to go, in order
  std::vector<ControlPacket> controls;  ///< go before them

  // From the peer: the eager message that is arriving in parts, if any; one of the two is set.
  ReceiveRequest* stream_receive = nullptr;
  UnexpectedMessage* stream_unexpected = nullptr;
  std::uint32_t sends = 0;  ///< requests that send to it and are not complete
  std::uint64_t held = 0;   ///< bytes of its messages waiting for a receive
  std::uint64_t held_published = 0;

  observe::TrafficCount uncounted;  ///< what goes to processes of other jobs, for whom no reader asks
};

class Peers {
 public:
  /// A range of peers.
  struct Numbers {
    PeerId first;
    std::int32_t count = 0;

    [[nodiscard]] bool has(PeerId number) const noexcept {
      return number.value >= first.value && number.value < first.value + count;
    }
  };

  /// The ranks of the job, each by the first transport of the list that reaches it. An error when one cannot
  /// be reached.
  static Result<std::unique_ptr<Peers>> create(const transport::Surroundings& surroundings);

  [[nodiscard]] Peer& operator[](PeerId number) {
    Peer* const peer = all_.find(number.index());
    return peer != nullptr ? *peer : introduce(number);
  }

  /// Adds the processes that a connection between jobs joins, placed as the ranks of a job are; the number of the
  /// first. Numbers are not given twice. processes: outlives them.
  Result<PeerId> attach(const transport::Surroundings& processes, std::uint32_t first_context);
  void detach(PeerId first);
  /// The transports that reach the peers that came with first.
  [[nodiscard]] std::span<transport::Transport* const> transports_of(PeerId first) const;
  /// The numbers of the peers that came with first.
  [[nodiscard]] Numbers attached_with(PeerId first) const;

  /// What fits one packet to any peer.
  [[nodiscard]] std::size_t smallest_max_payload() const noexcept { return smallest_max_payload_; }

  bool poll(transport::Sink& sink) {
    bool moved = node_ != nullptr && node_->poll(sink);
    if (!self_->idle()) [[unlikely]]
      moved |= self_->poll(sink);
    if (!others_polled_.empty()) [[unlikely]]
      moved |= poll_others(sink);
    return moved;
  }
  /// Moves what the transports have accepted towards the peers; true when they keep none of it any more.
  bool flush();

  /// Those in use, of the job and of attached segments.
  [[nodiscard]] const std::vector<std::unique_ptr<transport::Transport>>& transports() const noexcept {
    return transports_;
  }

  /// The sender of a message had the choice of the way (kHadChoice).
  void hear_way(PeerId peer, const transport::Packet& packet) noexcept;

  /// Sends a packet without payload now or, when there is no room, before anything else that waits.
  void send_control(PeerId peer, PacketKind kind, std::uint64_t first, std::uint64_t second = 0);

  /// Notes that the peer has something waiting, for the next flush.
  void note_backlog(PeerId peer);
  /// Sends waiting control packets; true when none is left.
  bool flush_controls(PeerId peer);

  /// Who hears of messages; null: nobody. While somebody does, no send takes the short path, which tells nobody.
  void set_listener(observe::Listener* listener) noexcept;
  [[nodiscard]] observe::Listener* listener() const noexcept { return listener_; }
  /// To who listens, of a message of the program: those within collectives and partitioned ones are not told.
  void tell(observe::OccurrenceKind kind, const Envelope& message, std::uint64_t bytes);
  /// A message that has come before its receive has met it.
  void tell_early_match(const Envelope& message, std::uint64_t bytes);

  /// The job goes on when processes die: messages must be able to be given up.
  [[nodiscard]] bool survives() const noexcept { return survives_; }

  std::vector<PeerId> backlog;  ///< peers with controls or sends waiting

 private:
  struct Attachment {
    std::vector<transport::Transport*> transports;
    Numbers numbers;
  };

  Peers(const transport::Surroundings& surroundings, std::int64_t eager_limit, EagerCopies eager_copies);
  /// Makes the transports that reach the ranks of the job.
  Status reach_all();
  /// The first kind of the list that reaches a rank.
  struct Way {
    std::size_t kind = 0;
    transport::Address address;
  };
  [[nodiscard]] std::optional<Way> way_to(WorldRank rank) const;
  [[nodiscard]] transport::Transport* transport_to(WorldRank rank) const { return by_kind_[way_to(rank)->kind]; }
  /// Makes what is known of a rank of the job.
  Peer& introduce(PeerId number);
  /// leads: whether this rank has the lower number of the two.
  void reach(Peer& peer, transport::Transport& transport, transport::Address address, bool leads) const;
  transport::Transport& add(std::unique_ptr<transport::Transport> transport);
  /// Sorts the job's transports by how they are polled.
  void sort_transports();
  bool poll_others(transport::Sink& sink);
  [[nodiscard]] std::int64_t short_bytes_of(const Peer& peer) const noexcept;
  void hear(observe::Occurrence what, const Envelope& message, std::uint64_t bytes);

  const transport::Surroundings surroundings_;
  bool survives_;
  observe::Listener* listener_ = nullptr;
  std::int64_t eager_limit_;  ///< where the transport has none of its own
  EagerCopies eager_copies_;
  std::size_t smallest_max_payload_;
  std::vector<std::unique_ptr<transport::Transport>> transports_;
  std::vector<transport::Transport*> by_kind_;  ///< as in the list; null: reaches no rank of the job
  // How they are polled: most messages of most jobs come by the first way, and nothing else has to be looked for.
  transport::Transport* node_ = nullptr;              ///< reaches the other ranks of the node; null: there are none
  transport::Transport* self_ = nullptr;              ///< has something only while it is not idle
  std::vector<transport::Transport*> others_polled_;  ///< networks, and the segments of other jobs
  LazyTable<Peer> all_;                               ///< the ranks of the job, and after them attached processes
  std::vector<Attachment> attachments_;
};

}  // namespace starling::p2p
