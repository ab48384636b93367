// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Proofs: how a process shows that it knows the secret of its job, without telling it: HMAC-SHA256 (RFC 2104) by
// libcrypto, which is loaded only where a job has several nodes.
// Thread safety: any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/status.hpp"

namespace starling::transport::tcp {

using Secret = std::array<std::byte, 32>;
using Proof = std::array<std::byte, 32>;
using Nonce = std::array<std::byte, 16>;

class Proofs {
 public:
  /// Loads libcrypto; an error where it is not installed, or does not compute.
  static Result<Proofs> load();

  [[nodiscard]] Proof of(const Secret& secret, std::span<const std::byte> text) const noexcept;
  /// Takes the same time wherever two proofs differ.
  [[nodiscard]] static bool are_equal(const Proof& a, const Proof& b) noexcept;

 private:
  using Digest = const void* (*)();
  using Hmac = unsigned char* (*)(const void* digest, const void* key, int key_bytes, const unsigned char* text,
                                  std::size_t text_bytes, unsigned char* out, unsigned int* out_bytes);

  Proofs(Digest digest, Hmac hmac) noexcept : digest_(digest), hmac_(hmac) {}
  /// False: libcrypto cannot.
  [[nodiscard]] bool compute(const Secret& secret, std::span<const std::byte> text, Proof& proof) const noexcept;

  Digest digest_;
  Hmac hmac_;
};

}  // namespace starling::transport::tcp
