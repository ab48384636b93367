// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Peers: what one rank knows of each other rank it exchanges messages with, and by which transport it reaches it.
// Thread safety: the world's lock.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "base/intrusive_list.hpp"
#include "p2p/protocol/packets.hpp"
#include "p2p/request/send_request.hpp"
#include "transport/decorators/renumbered.hpp"
#include "transport/self/self_transport.hpp"
#include "transport/shm/shm_transport.hpp"

namespace starling::p2p {

class ReceiveRequest;
struct UnexpectedMessage;

/// A packet without payload that found no room.
struct ControlPacket {
  PacketKind kind;
  std::uint64_t words[2];
};

struct Peer {
  transport::Transport* transport = nullptr;

  // Towards the peer.
  IntrusiveList<SendRequest> waiting;  ///< sends that still have packets to go, in order
  std::deque<ControlPacket> controls;  ///< go before them
  bool has_backlog = false;            ///< the peer is on Peers::backlog, or dead
  bool dead = false;                   ///< nothing goes to it or comes from it any more
  std::uint32_t sends_until_credit_check = 0;
  bool throttled = false;  ///< the peer keeps too much for us; announce instead of sending

  // From the peer: the pipelined message that is arriving, if any; one of the two is set.
  ReceiveRequest* stream_receive = nullptr;
  UnexpectedMessage* stream_unexpected = nullptr;
  std::uint32_t sends = 0;  ///< requests that send to it and are not complete
  std::uint64_t held = 0;   ///< bytes of its messages waiting for a receive
  std::uint64_t held_published = 0;
};

class Peers : private transport::RemoteMemory {
 public:
  /// A range of peers.
  struct Numbers {
    std::int32_t first = 0;
    std::int32_t count = 0;

    [[nodiscard]] bool has(std::int32_t number) const noexcept { return number >= first && number < first + count; }
  };

  static Result<std::unique_ptr<Peers>> create(memory::JobSegment& segment, std::uint32_t rank,
                                               const config::Store& config);

  /// By world rank, or by the number that attach() gave to a peer of another segment.
  [[nodiscard]] Peer& operator[](std::int32_t number) {
    const auto index = static_cast<std::size_t>(number);
    return index < of_job_ ? all_[index] : *others_[index - of_job_];
  }

  /// Adds the processes of another segment, in which this one has a place; the number of the first. Numbers are not
  /// given twice.
  Result<std::int32_t> attach(memory::JobSegment& segment, std::uint32_t place, std::uint32_t first_context,
                              const config::Store& config);
  void detach(std::int32_t first);
  /// The numbers of the peers that came with first.
  [[nodiscard]] Numbers attached_with(std::int32_t first) const;
  [[nodiscard]] std::int32_t own_rank() const noexcept { return own_rank_; }

  /// What fits one packet to any peer.
  [[nodiscard]] std::size_t smallest_max_payload() const noexcept {
    return std::min(shm_->max_payload(), self_.max_payload());
  }

  /// The memory of other processes, by the numbers of this class.
  [[nodiscard]] transport::RemoteMemory& remote_memory() noexcept { return *this; }

  bool poll(transport::Sink& sink) {
    bool moved = shm_->poll(sink);
    if (!self_.idle()) moved |= self_.poll(sink);
    for (const Attachment& attached : attachments_) moved |= attached.transport->poll(sink);
    return moved;
  }

  /// Sends a packet without payload now or, when there is no room, before anything else that waits.
  void send_control(std::int32_t peer, PacketKind kind, std::uint64_t first, std::uint64_t second = 0);

  /// Notes that the peer has something waiting, for the next flush.
  void note_backlog(std::int32_t peer);
  /// Sends waiting control packets; true when none is left.
  bool flush_controls(std::int32_t peer);

  /// The job goes on when processes die: messages must be able to be given up.
  [[nodiscard]] bool survives() const noexcept { return survives_; }

  std::vector<std::int32_t> backlog;  ///< peers with controls or sends waiting

 private:
  struct Attachment {
    std::unique_ptr<transport::Renumbered> transport;
    Numbers numbers;
    transport::RemoteMemory* memory;  ///< what is behind the transport
  };

  bool permitted(std::int32_t peer) override;
  bool gather(std::int32_t peer, std::span<const transport::RemoteRun> from, void* to) override;
  bool scatter(std::int32_t peer, const void* from, std::span<const transport::RemoteRun> to) override;

  /// What reaches a peer's memory, and the peer's number there.
  struct Holder {
    transport::RemoteMemory& memory;
    std::int32_t number;
  };
  [[nodiscard]] Holder holder(std::int32_t peer) noexcept;

  Peers(std::int32_t own_rank, memory::Doorbell& own_bell) : own_rank_(own_rank), self_(own_rank, own_bell) {}

  std::int32_t own_rank_;
  bool survives_ = false;
  transport::self::SelfTransport self_;
  std::unique_ptr<transport::shm::ShmTransport> shm_;
  std::vector<Peer> all_;   ///< those of the job
  std::size_t of_job_ = 0;  ///< how many they are
  std::vector<std::unique_ptr<Peer>> others_;
  std::vector<Attachment> attachments_;
};

}  // namespace starling::p2p
