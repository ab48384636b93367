// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CommunicatorAgreements: the agreements of one communicator at this process, and how they travel: each message is a
// control message of p2p/, handled in whatever call the process is. The object outlives the communicator, because a
// member that lost its parent in the tree may still ask for the last verdict.
//
// Layout of a control message: words = {number of the agreement, 1 for a verdict + 2 for each packet of the vote that
// follows}, payload = a packet (vote_packets.hpp). Thread safety: the holder of the world's lock. Invariants:
// agreements are numbered alike everywhere. Verdicts are kept for kVerdictsKept more agreements: a member takes part in
// an agreement only after it has begun all earlier ones, and no member has as many under way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "p2p/point_to_point.hpp"
#include "resilience/agreement.hpp"
#include "resilience/failure_state.hpp"
#include "resilience/vote_packets.hpp"

namespace starling::resilience {

/// The kinds of control messages.
enum class ControlKind : std::int32_t { kRevoke, kVote };

/// The request of an agreement: complete when there is a verdict.
class AgreementRequest final : public p2p::Request {
 public:
  AgreementRequest() noexcept : Request(p2p::RequestKind::kCollective) {}

  Vote verdict;
  /// Called with the verdict before the request completes.
  using Conclude = std::function<void(AgreementRequest&)>;
  Conclude conclude;

  void deliver(const Vote& vote);
  void dispose() override;

 private:
  ~AgreementRequest() override = default;
  bool disposed_ = false;
};

class CommunicatorAgreements {
 public:
  using Token = std::function<std::uint64_t()>;

  CommunicatorAgreements(p2p::PointToPoint& p2p, std::uint32_t context_id, Members members);

  /// Takes part in an agreement. token: see Agreement::Post; conclude: see AgreementRequest.
  AgreementRequest* start(std::uint64_t number, const Vote& mine, Token token, AgreementRequest::Conclude conclude);
  void receive(PeerId peer, const p2p::ControlMessage& control);
  void handle_failure(PeerId peer);

 private:
  struct Session;
  static constexpr std::uint64_t kVerdictsKept = 64;

  Session& session(std::uint64_t number);
  void deliver_verdict(std::uint64_t number, Session& session);

  p2p::PointToPoint& p2p_;
  std::uint32_t context_id_;
  Members members_;
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
  std::map<std::int32_t, VoteAssembly> assemblies_;  ///< of members of whose vote a packet is missing
  std::uint64_t settled_ = 0;                        ///< the last agreement that has its verdict here
};

}  // namespace starling::resilience
