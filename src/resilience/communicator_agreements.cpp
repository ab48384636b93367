// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/communicator_agreements.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace starling::resilience {
namespace {

std::vector<std::byte> packed(const Vote& vote) {
  std::vector<std::uint64_t> words{vote.flags, vote.token};
  for (const RankSet* set : {&vote.dead, &vote.acknowledged}) {
    for (std::size_t i = 0; i < set->words(); ++i) words.push_back(set->word(i));
  }
  std::vector<std::byte> bytes(words.size() * sizeof words[0]);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Vote unpacked(const std::vector<std::byte>& bytes, std::int32_t members) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof words[0]);
  Vote vote;
  vote.flags = words[0];
  vote.token = words[1];
  std::size_t next = 2;
  for (RankSet* set : {&vote.dead, &vote.acknowledged}) {
    *set = RankSet(members);
    for (std::size_t i = 0; i < set->words(); ++i) set->word(i) = words[next++];
  }
  return vote;
}

}  // namespace

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
    p2p::ControlMessage control;
    control.context_id = agreements.context_id_;
    control.kind = static_cast<std::int32_t>(ControlKind::kVote);
    control.source = agreements.members_.me;
    control.words[0] = number;
    control.words[1] = message.verdict ? 1 : 0;
    control.payload = packed(message.vote);
    agreements.p2p_.send_control(agreements.members_.peers[static_cast<std::size_t>(member)], std::move(control));
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
  // A late message about an agreement that every member has left.
  if (member < 0 || number + kVerdictsKept < settled_) return;
  Session& joined = session(number);
  joined.agreement.receive(member, {control.words[1] != 0, unpacked(control.payload, members_.count())}, joined);
  deliver_verdict(number, joined);
}

void CommunicatorAgreements::handle_failure(PeerId peer) {
  const std::int32_t member = members_.find_peer(peer);
  if (member < 0) return;
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
