// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/network/seal.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "base/random_bytes.hpp"

namespace starling::world {
namespace {

using transport::tcp::Nonce;
using transport::tcp::Proof;
using transport::tcp::Proofs;
using transport::tcp::Secret;

/// No proof of a connection's handshake is about a text that begins so.
constexpr std::string_view kPurpose = "starling seal of a secret";

Result<Secret> combine(const Secret& secret, const Nonce& nonce, const Secret& key) {
  Result<Proofs> proofs = Proofs::load();
  if (!proofs.ok()) return std::move(proofs).status();
  std::vector<std::byte> text(kPurpose.size() + nonce.size());
  std::transform(kPurpose.begin(), kPurpose.end(), text.begin(), [](char letter) { return std::byte(letter); });
  std::copy(nonce.begin(), nonce.end(), text.begin() + kPurpose.size());
  const Proof mask = proofs.value().of(key, text);
  Secret combined;
  std::transform(secret.begin(), secret.end(), mask.begin(), combined.begin(), std::bit_xor<>());
  return combined;
}

}  // namespace

Result<Seal> Seal::close(const Secret& secret, const Secret* key) {
  Seal seal;
  seal.sealed = secret;
  if (key == nullptr) return seal;
  STARLING_TRY(fill_randomly(seal.nonce));
  Result<Secret> sealed = combine(secret, seal.nonce, *key);
  if (!sealed.ok()) return std::move(sealed).status();
  seal.sealed = sealed.value();
  return seal;
}

Result<Secret> Seal::open(const Secret* key) const {
  if (key == nullptr) return sealed;
  return combine(sealed, nonce, *key);
}

}  // namespace starling::world
