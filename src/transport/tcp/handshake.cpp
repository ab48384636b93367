// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/handshake.hpp"

#include <cstring>

namespace starling::transport::tcp {

Result<Hello> Handshake::hello(WorldRank to) const {
  Hello hello;
  hello.job = roster_.job;
  hello.from = own_;
  hello.to = to;
  hello.alike = roster_.alike;
  STARLING_TRY(fill_randomly(hello.nonce));
  return hello;
}

bool Handshake::is_right(const Hello& hello) const noexcept {
  return hello.magic == Hello::kMagic && hello.version == Hello::kVersion && hello.job == roster_.job &&
         hello.to == own_ && hello.from != own_ && !hello.from.is_none() && hello.from.index() < roster_.size();
}

Result<Answer> Handshake::answer(const Hello& hello) const {
  Answer answer;
  STARLING_TRY(fill_randomly(answer.nonce));
  answer.proof = proof_of(Side::kCalled, hello, answer.nonce);
  return answer;
}

bool Handshake::is_right(const Hello& hello, const Answer& answer) const noexcept {
  return Proofs::are_equal(answer.proof, proof_of(Side::kCalled, hello, answer.nonce));
}

Confirmation Handshake::confirmation(const Hello& hello, const Nonce& answered) const noexcept {
  return {proof_of(Side::kCaller, hello, answered)};
}

bool Handshake::is_right(const Hello& hello, const Nonce& answered, const Confirmation& confirmation) const noexcept {
  return Proofs::are_equal(confirmation.proof, proof_of(Side::kCaller, hello, answered));
}

Proof Handshake::proof_of(Side side, const Hello& hello, const Nonce& answered) const noexcept {
  std::array<std::byte, sizeof(Side) + sizeof(Hello) + sizeof(Nonce)> text{};
  std::memcpy(text.data(), &side, sizeof side);
  std::memcpy(text.data() + sizeof side, &hello, sizeof hello);
  std::memcpy(text.data() + sizeof side + sizeof hello, answered.data(), answered.size());
  return proofs_.of(roster_.secret, text);
}

}  // namespace starling::transport::tcp
