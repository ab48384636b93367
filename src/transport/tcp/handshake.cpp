// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/handshake.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "base/random_bytes.hpp"

namespace starling::transport::tcp {

Status Handshake::load_proofs() {
  if (proofs_) return {};
  const Result<Proofs> proofs = Proofs::load();
  if (!proofs.ok()) return proofs.status().copy();
  proofs_ = proofs.value();
  return {};
}

Result<Hello> Handshake::hello(WorldRank to, std::uint32_t lane) {
  STARLING_TRY(load_proofs());
  Hello hello;
  hello.job = roster_.job;
  hello.from = own_;
  hello.to = to;
  hello.lane = lane;
  hello.alike = roster_.alike;
  STARLING_TRY(fill_randomly(hello.nonce));
  return hello;
}

bool Handshake::is_right(const Hello& hello) const noexcept {
  return hello.magic == Hello::kMagic && hello.version == Hello::kVersion && hello.job == roster_.job &&
         hello.to == own_ && hello.from != own_ && hello.lane <= kMostLanes && !hello.from.is_none() &&
         hello.from.index() < roster_.size();
}

Result<Answer> Handshake::answer(const Hello& hello) {
  STARLING_TRY(load_proofs());
  Answer answer;
  STARLING_TRY(fill_randomly(answer.nonce));
  answer.proof = proof_of(Side::kCalled, hello, answer.nonce);
  return answer;
}

bool Handshake::is_right(const Hello& hello, const Answer& answer) const noexcept {
  return Proofs::are_equal(answer.proof, proof_of(Side::kCalled, hello, answer.nonce));
}

Confirmation Handshake::confirmation(const Hello& hello, const Nonce& answered) const noexcept {
  return {proof_of(Side::kCaller, hello, answered), own_settings()};
}

bool Handshake::is_right(const Hello& hello, const Nonce& answered, const Confirmation& confirmation) const noexcept {
  return Proofs::are_equal(confirmation.proof, proof_of(Side::kCaller, hello, answered));
}

SettingsText Handshake::own_settings() const noexcept {
  SettingsText text{};
  roster_.settings.copy(text.data(), text.size());
  return text;
}

Proof Handshake::proof_of(Side side, const Hello& hello, const Nonce& answered) const noexcept {
  std::array<std::byte, sizeof(Side) + sizeof(Hello) + sizeof(Nonce)> text{};
  std::memcpy(text.data(), &side, sizeof side);
  std::memcpy(text.data() + sizeof side, &hello, sizeof hello);
  std::memcpy(text.data() + sizeof side + sizeof hello, answered.data(), answered.size());
  STARLING_ASSERT(proofs_.has_value(), "a proof is wanted before libcrypto is loaded");
  return proofs_->of(roster_.secret, text);
}

}  // namespace starling::transport::tcp
