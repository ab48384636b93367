// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Handshake: the four messages by which the ends of a new connection make sure of each other before any packet. The
// caller says hello; the called proves that it knows the secret of the job; the caller proves it, too; the called
// welcomes it. A proof covers both nonces, so that no old message serves again. Hello and welcome say what both must
// have alike, so that ranks of different builds part with a sentence.
//
// Only after the welcome does the caller send: a called rank that has lost its patience meanwhile has lost no packet.
// Thread safety: constants. Layout: as sent, in the byte order of the machine, which the magic word shows.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/id.hpp"
#include "transport/tcp/proofs.hpp"
#include "transport/tcp/roster.hpp"

namespace starling::transport::tcp {

struct Hello {
  static constexpr std::uint64_t kMagic = 0x53544c4e47544350;
  static constexpr std::uint32_t kVersion = 2;

  std::uint64_t magic = kMagic;
  std::uint64_t job = 0;
  std::uint32_t version = kVersion;
  WorldRank from;
  WorldRank to;
  Alike alike;
  std::uint32_t reserved = 0;
  Nonce nonce{};
};
static_assert(sizeof(Hello) == 56 && std::has_unique_object_representations_v<Hello>, "sent between processes");

struct Answer {
  Nonce nonce{};
  Proof proof{};
};
static_assert(sizeof(Answer) == 48, "sent between processes");

struct Confirmation {
  Proof proof{};
};
static_assert(sizeof(Confirmation) == 32, "sent between processes");

struct Welcome {
  std::uint64_t magic = Hello::kMagic;
  Alike alike;
};
static_assert(sizeof(Welcome) == 16, "sent between processes");

/// One rank's side of all its handshakes.
class Handshake {
 public:
  /// roster: outlives it.
  Handshake(const Roster& roster, WorldRank own, Proofs proofs) noexcept
      : roster_(roster), own_(own), proofs_(proofs) {}

  [[nodiscard]] Result<Hello> hello(WorldRank to) const;
  /// Of a rank of this job to this one.
  [[nodiscard]] bool is_right(const Hello& hello) const noexcept;
  [[nodiscard]] Result<Answer> answer(const Hello& hello) const;
  [[nodiscard]] bool is_right(const Hello& hello, const Answer& answer) const noexcept;
  [[nodiscard]] Welcome welcome() const noexcept { return {Hello::kMagic, roster_.alike}; }
  [[nodiscard]] Confirmation confirmation(const Hello& hello, const Nonce& answered) const noexcept;
  [[nodiscard]] bool is_right(const Hello& hello, const Nonce& answered,
                              const Confirmation& confirmation) const noexcept;

 private:
  enum class Side : std::uint8_t { kCalled, kCaller };
  [[nodiscard]] Proof proof_of(Side side, const Hello& hello, const Nonce& answered) const noexcept;

  const Roster& roster_;
  WorldRank own_;
  Proofs proofs_;
};

}  // namespace starling::transport::tcp
