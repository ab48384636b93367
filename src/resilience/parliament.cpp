// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/parliament.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace starling::resilience {
namespace {

std::vector<std::byte> packed(const Ballot& ballot) {
  std::vector<std::uint64_t> words{ballot.flags, ballot.token};
  for (const RankSet* set : {&ballot.dead, &ballot.acknowledged}) {
    for (std::size_t i = 0; i < set->words(); ++i) words.push_back(set->word(i));
  }
  std::vector<std::byte> bytes(words.size() * sizeof words[0]);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Ballot unpacked(const std::vector<std::byte>& bytes, std::int32_t members) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof words[0]);
  Ballot ballot;
  ballot.flags = words[0];
  ballot.token = words[1];
  std::size_t next = 2;
  for (RankSet* set : {&ballot.dead, &ballot.acknowledged}) {
    *set = RankSet(members);
    for (std::size_t i = 0; i < set->words(); ++i) set->word(i) = words[next++];
  }
  return ballot;
}

}  // namespace

void VerdictRequest::deliver(const Ballot& ballot) {
  verdict = ballot;
  completion = p2p::Completion{};
  if (conclude) conclude(*this);
  finish();
  if (disposed_) delete this;
}

void VerdictRequest::dispose() {
  if (complete()) {
    delete this;
  } else {
    disposed_ = true;
  }
}

struct Parliament::Session final : Agreement::Post {
  Session(Parliament& p, std::uint64_t n) : parliament(p), number(n), agreement(p.members_.me, p.members_.count()) {}

  void send(std::int32_t member, const AgreementMessage& message) override {
    p2p::Signal signal;
    signal.context_id = parliament.context_id_;
    signal.kind = static_cast<std::int32_t>(SignalKind::kBallot);
    signal.source = parliament.members_.me;
    signal.words[0] = number;
    signal.words[1] = message.verdict ? 1 : 0;
    signal.payload = packed(message.ballot);
    parliament.p2p_.send_signal(parliament.members_.peers[static_cast<std::size_t>(member)], std::move(signal));
  }
  std::uint64_t token() override { return give_token ? give_token() : 0; }

  Parliament& parliament;
  std::uint64_t number;
  Agreement agreement;
  Token give_token;
  VerdictRequest* waiting = nullptr;
};

Parliament::Parliament(p2p::Engine& p2p, std::uint32_t context_id, Members members)
    : p2p_(p2p), context_id_(context_id), members_(std::move(members)) {}

Parliament::Session& Parliament::session(std::uint64_t number) {
  std::shared_ptr<Session>& found = sessions_[number];
  if (!found) {
    found = std::make_shared<Session>(*this, number);
    for (std::int32_t member = 0; member < members_.count(); ++member) {
      const std::int32_t peer = members_.peers[static_cast<std::size_t>(member)];
      if (member != members_.me && p2p_.is_buried(peer)) found->agreement.mourn(member, *found);
    }
  }
  return *found;
}

VerdictRequest* Parliament::start(std::uint64_t number, const Ballot& mine, Token token,
                                  VerdictRequest::Conclude conclude) {
  Session& joined = session(number);
  joined.give_token = std::move(token);
  auto* request = new VerdictRequest;
  request->conclude = std::move(conclude);
  joined.waiting = request;
  joined.agreement.start(mine, joined);
  look(number, joined);
  return request;
}

void Parliament::receive(std::int32_t peer, const p2p::Signal& signal) {
  const std::uint64_t number = signal.words[0];
  const std::int32_t member = members_.find_peer(peer);
  // A late word about an agreement that everybody has left.
  if (member < 0 || number + kKept < settled_) return;
  Session& joined = session(number);
  joined.agreement.receive(member, {signal.words[1] != 0, unpacked(signal.payload, members_.count())}, joined);
  look(number, joined);
}

void Parliament::mourn(std::int32_t peer) {
  const std::int32_t member = members_.find_peer(peer);
  if (member < 0) return;
  const auto all = sessions_;
  for (const auto& [number, joined] : all) {
    joined->agreement.mourn(member, *joined);
    look(number, *joined);
  }
}

/// Hands a verdict to whoever waits for it, and forgets older agreements.
void Parliament::look(std::uint64_t number, Session& session) {
  if (!session.agreement.verdict() || session.waiting == nullptr) return;
  session.give_token = {};  // nobody decides any more; it would keep the communicator alive
  settled_ = std::max(settled_, number);
  if (settled_ > kKept) sessions_.erase(sessions_.begin(), sessions_.lower_bound(settled_ - kKept));
  VerdictRequest* waiting = std::exchange(session.waiting, nullptr);
  waiting->deliver(*session.agreement.verdict());
}

}  // namespace starling::resilience
