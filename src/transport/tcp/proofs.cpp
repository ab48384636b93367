// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/proofs.hpp"

#include <dlfcn.h>

#include "base/assert.hpp"
#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

Status not_usable(const std::string& problem) {
  return Status::error(
      ErrorClass::kOther,
      formatted("libcrypto.so.3, with which the ranks of several nodes make sure of each other, {}", problem));
}

}  // namespace

Result<Proofs> Proofs::load() {
  // It stays loaded: its code runs at the end of the process.
  void* library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) {
    const auto digest = reinterpret_cast<Digest>(dlsym(library, "EVP_sha256"));
    const auto hmac = reinterpret_cast<Hmac>(dlsym(library, "HMAC"));
    if (digest != nullptr && hmac != nullptr) {
      const Proofs proofs(digest, hmac);
      Proof proof;
      if (proofs.compute({}, {}, proof)) return proofs;
      return not_usable(
          "computes no HMAC-SHA256 on this node. Its configuration (openssl.cnf, OPENSSL_CONF) must load "
          "a provider that has it");
    }
  }
  return not_usable("is not installed on this node. Install OpenSSL's library (Debian: libssl3)");
}

bool Proofs::compute(const Secret& secret, std::span<const std::byte> text, Proof& proof) const noexcept {
  unsigned int bytes = 0;
  const void* const digest = digest_();
  return digest != nullptr &&
         hmac_(digest, secret.data(), static_cast<int>(secret.size()),
               reinterpret_cast<const unsigned char*>(text.data()), text.size(),
               reinterpret_cast<unsigned char*>(proof.data()), &bytes) != nullptr &&
         bytes == proof.size();
}

Proof Proofs::of(const Secret& secret, std::span<const std::byte> text) const noexcept {
  Proof proof{};
  // A proof that both sides leave empty would be everybody's.
  STARLING_ASSERT(compute(secret, text, proof), "libcrypto, which has computed HMAC-SHA256, does so no more");
  return proof;
}

bool Proofs::are_equal(const Proof& a, const Proof& b) noexcept {
  std::byte differences{0};
  for (std::size_t i = 0; i < a.size(); ++i) differences |= a[i] ^ b[i];
  return differences == std::byte{0};
}

}  // namespace starling::transport::tcp
