// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PointToPoint: the messages of one rank: matching, protocols and requests over the transport that reaches each peer.
//
// Thread safety: every call needs the world's lock (progress::Engine::lock) under MPI_THREAD_MULTIPLE; blocking calls
// give it up while they wait. Arguments have been checked by the caller: ranks are in range, buffers and datatypes
// valid. Source: MPI-5.0, chapter 3; Sun HPC ClusterTools, "Sun MPI Implementation", Shared-Memory Point-to-Point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "config/config.hpp"
#include "p2p/peer_access.hpp"
#include "p2p/protocol/control_message.hpp"
#include "p2p/request/failures.hpp"
#include "p2p/request/message.hpp"
#include "p2p/request/request.hpp"
#include "progress/engine.hpp"
#include "transport/lost_by.hpp"
#include "transport/surroundings.hpp"

namespace starling::p2p {

/// A message that a matched probe has taken out of the queue (MPI_Message).
struct UnexpectedMessage;
using MatchedMessage = UnexpectedMessage;

class PointToPoint {
 public:
  /// `progress` and what `surroundings` names outlive it. Full connections are opened here when the configuration asks.
  static Result<std::unique_ptr<PointToPoint>> create(progress::Engine& progress,
                                                      const transport::Surroundings& surroundings);
  virtual ~PointToPoint() = default;

  // Blocking.
  virtual Status send(const Message& message, SendMode mode) = 0;
  virtual Status receive(const Message& message, Completion* completion) = 0;

  // Nonblocking. Buffers stay valid until completion; communicator and datatype may be freed before it. Never null.
  // Sends that left at once may share one request, which is complete: look at complete() before setting a continuation.
  virtual Request* isend(const Message& message, SendMode mode) = 0;
  virtual Request* ireceive(const Message& message) = 0;

  // Probes. They do not poll. False: nothing that has come matches.
  virtual bool iprobe(const Message& pattern, Completion* completion) = 0;
  virtual MatchedMessage* improbe(const Message& pattern, Completion* completion) = 0;
  virtual Request* imreceive(MatchedMessage& matched, const Message& message) = 0;

  /// Polls until the request is complete.
  void wait(Request& request) {
    progress().wait([&] { return request.settled(); },
                    [&] { return observe::Wait(observe::WaitKind::kOne, request.awaited()); });
  }

  /// Adds the processes that a connection between jobs joins as peers; they are placed as the ranks of a job are, on
  /// one node or several. Their numbers follow one another; the first is returned. In their messages context ids count
  /// from first_context on. processes: what it names outlives them.
  virtual Result<PeerId> attach(const transport::Surroundings& processes, std::uint32_t first_context) = 0;
  /// Tells the peers that came with `first` and are on other nodes that this process may let them go, until it sends to
  /// them again. Returns whether they have said so, too, and nothing to or from any of the peers is under way here.
  virtual bool part_with(PeerId first) = 0;
  /// Lets these peers go, and drops what came from them and was not received. They are not busy.
  virtual void detach(PeerId first) = 0;

  // When processes die. All of these at the top of a poll (progress::AsyncEventHandler).
  /// A peer is dead: takes what it has sent before, then fails every operation that needs it, and from now on each new
  /// one. Receives from any source are not concerned.
  virtual void mark_failed(PeerId peer) = 0;
  [[nodiscard]] virtual bool has_failed(PeerId peer) = 0;
  /// Ends every operation under a context id with this failure; those that are all but complete complete.
  virtual void interrupt(std::uint32_t context_id, const Status& why) = 0;
  /// Whether a send or a receive under a context id is under way here.
  [[nodiscard]] virtual bool busy_in(std::uint32_t context_id) = 0;
  /// Whether the receives from any source under a context id are not to be waited for.
  virtual void suspend_wildcards(std::uint32_t context_id, bool suspended) = 0;

  /// Called within a poll when the connection with a peer, or the machine of the peer, is lost: nothing comes from it
  /// any more, but no operation has failed yet. why: a whole sentence. Null: not called.
  using OnLostPeer = std::function<void(PeerId peer, transport::LostBy by, const Status& why)>;
  virtual void set_on_lost_peer(OnLostPeer hook) = 0;
  /// Called within a poll when the user should know something at once, a whole sentence. Null: not called.
  using OnTrouble = std::function<void(const std::string& what)>;
  virtual void set_on_trouble(OnTrouble hook) = 0;

  /// Sends a control message, now or when there is room. To a dead peer: nothing.
  virtual void send_control(PeerId peer, ControlMessage control) = 0;
  [[nodiscard]] virtual std::size_t max_control_bytes() const noexcept = 0;
  virtual void listen(ControlListener listener) = 0;
  /// Why a probe for the pattern will find nothing, or success.
  [[nodiscard]] virtual Status check_probe(const Message& pattern) = 0;

  /// Completes what peers can see before the rank leaves: sends still queued, acknowledgements owed.
  virtual Status drain() = 0;
  /// The process may end from now on, until it sends again.
  virtual void say_goodbye() = 0;

  /// Who hears of messages of the program, but for those within collectives; null: nobody.
  virtual void set_listener(observe::Listener* listener) = 0;

  [[nodiscard]] virtual progress::Engine& progress() noexcept = 0;

  /// The message that the earliest receive posted in this context waits for.
  [[nodiscard]] virtual observe::Awaited awaited_in(std::uint32_t context_id) const = 0;

  /// The way to the memory of a peer, which another node has not.
  [[nodiscard]] virtual PeerAccess memory_of(PeerId peer) noexcept = 0;

  /// What the user should know about what the transports have met, each a whole sentence.
  [[nodiscard]] virtual std::vector<std::string> warnings() const = 0;

  /// Pending operations, for the hang report and for leak checks in tests.
  struct Pending {
    std::int64_t posted_receives = 0;
    std::int64_t unexpected_messages = 0;
    std::int64_t unexpected_bytes = 0;
    std::int64_t sends = 0;
  };
  [[nodiscard]] virtual Pending pending() const = 0;
};

}  // namespace starling::p2p
