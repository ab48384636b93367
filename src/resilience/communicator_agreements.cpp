// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/communicator_agreements.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace starling::resilience {
void AgreementRequest::deliver(const Vote& vote) {
  verdict = vote;
  completion = p2p::Completion{};
  if (conclude) conclude(*this);
  finish();
  if (disposed_) delete this;
}

void AgreementRequest::dispose() {
  if (complete()) {
    delete this;
  } else {
    disposed_ = true;
  }
}

struct CommunicatorAgreements::Session final : Agreement::Post {
  Session(CommunicatorAgreements& owner, std::uint64_t n)
      : agreements(owner), number(n), agreement(owner.members_.me, owner.members_.count()) {}

  void send(std::int32_t member, const AgreementMessage& message) override {
    std::vector<std::vector<std::byte>> packets = packets_of(message.vote, agreements.p2p_.max_control_bytes());
    for (std::size_t i = 0; i < packets.size(); ++i) {
      p2p::ControlMessage control;
      control.context_id = agreements.context_id_;
      control.kind = static_cast<std::int32_t>(ControlKind::kVote);
      control.source = agreements.members_.me;
      control.words[0] = number;
      control.words[1] = (packets.size() - 1 - i) << 1 | (message.verdict ? 1 : 0);
      control.payload = std::move(packets[i]);
      agreements.p2p_.send_control(agreements.members_.peers[static_cast<std::size_t>(member)], std::move(control));
    }
  }
  std::uint64_t token() override { return give_token ? give_token() : 0; }

  CommunicatorAgreements& agreements;
  std::uint64_t number;
  Agreement agreement;
  Token give_token;
  AgreementRequest* waiting = nullptr;
};

CommunicatorAgreements::CommunicatorAgreements(p2p::PointToPoint& p2p, std::uint32_t context_id, Members members)
    : p2p_(p2p), context_id_(context_id), members_(std::move(members)) {}

CommunicatorAgreements::Session& CommunicatorAgreements::session(std::uint64_t number) {
  std::shared_ptr<Session>& found = sessions_[number];
  if (!found) {
    found = std::make_shared<Session>(*this, number);
    for (std::int32_t member = 0; member < members_.count(); ++member) {
      const PeerId peer = members_.peers[static_cast<std::size_t>(member)];
      if (member != members_.me && p2p_.has_failed(peer)) found->agreement.handle_failure(member, *found);
    }
  }
  return *found;
}

AgreementRequest* CommunicatorAgreements::start(std::uint64_t number, const Vote& mine, Token token,
                                                AgreementRequest::Conclude conclude) {
  Session& joined = session(number);
  joined.give_token = std::move(token);
  auto* request = new AgreementRequest;
  request->conclude = std::move(conclude);
  joined.waiting = request;
  joined.agreement.start(mine, joined);
  deliver_verdict(number, joined);
  return request;
}

void CommunicatorAgreements::receive(PeerId peer, const p2p::ControlMessage& control) {
  const std::uint64_t number = control.words[0];
  const std::int32_t member = members_.find_peer(peer);
  if (member < 0) return;
  const std::uint64_t more = control.words[1] >> 1;
  std::optional<Vote> vote = assemblies_[member].add(control.payload, more, members_.count());
  if (!vote) return;
  assemblies_.erase(member);
  // A late message about an agreement that every member has left.
  if (number + kVerdictsKept < settled_) return;
  Session& joined = session(number);
  joined.agreement.receive(member, {(control.words[1] & 1) != 0, std::move(*vote)}, joined);
  deliver_verdict(number, joined);
}

void CommunicatorAgreements::handle_failure(PeerId peer) {
  const std::int32_t member = members_.find_peer(peer);
  if (member < 0) return;
  assemblies_.erase(member);
  const auto all = sessions_;
  for (const auto& [number, joined] : all) {
    joined->agreement.handle_failure(member, *joined);
    deliver_verdict(number, *joined);
  }
}

/// Gives a verdict to the request that waits for it, and forgets older agreements.
void CommunicatorAgreements::deliver_verdict(std::uint64_t number, Session& session) {
  if (!session.agreement.verdict() || session.waiting == nullptr) return;
  session.give_token = {};  // the token is not needed any more, and its function would keep the communicator alive
  settled_ = std::max(settled_, number);
  if (settled_ > kVerdictsKept) sessions_.erase(sessions_.begin(), sessions_.lower_bound(settled_ - kVerdictsKept));
  AgreementRequest* waiting = std::exchange(session.waiting, nullptr);
  waiting->deliver(*session.agreement.verdict());
}

}  // namespace starling::resilience
