// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Handshake: the four messages by which the ends of a new connection make sure of each other before any packet. The
// caller says hello; the called proves that it knows the secret of the job; the caller proves it, too; the called
// welcomes it. A proof covers both nonces, so that no old message serves again. Hello and welcome say what both must
// have alike, so that ranks of different builds or settings part with a sentence.
//
// Only after the welcome does the caller send: a called rank that has lost its patience meanwhile has lost no packet.
// Thread safety: constants. Layout: as sent, in the byte order of the machine, which the magic word shows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/id.hpp"
#include "transport/tcp/proofs.hpp"
#include "transport/tcp/roster.hpp"

namespace starling::transport::tcp {

struct Hello {
  static constexpr std::uint64_t kMagic = 0x53544c4e47544350;
  static constexpr std::uint32_t kVersion = 3;

  std::uint64_t magic = kMagic;
  std::uint64_t job = 0;
  std::uint32_t version = kVersion;
  WorldRank from;
  WorldRank to;
  Alike alike;
  std::uint32_t lane = 0;  ///< which further connection of the caller to a rank that is connected; 0: the first
  Nonce nonce{};
};
static_assert(sizeof(Hello) == 56 && std::has_unique_object_representations_v<Hello>, "sent between processes");

struct Answer {
  Nonce nonce{};
  Proof proof{};
};
static_assert(sizeof(Answer) == 48, "sent between processes");

/// Roster::settings, cut where it is longer, zeros behind it.
using SettingsText = std::array<char, 96>;

struct Confirmation {
  Proof proof{};
  SettingsText settings{};
};
static_assert(sizeof(Confirmation) == 128, "sent between processes");

struct Welcome {
  std::uint64_t magic = Hello::kMagic;
  Alike alike;
  SettingsText settings{};
};
static_assert(sizeof(Welcome) == 112, "sent between processes");

/// Further connections of a rank to another.
inline constexpr std::uint32_t kMostLanes = 7;

/// One rank's side of all its handshakes.
class Handshake {
 public:
  /// roster: outlives it.
  Handshake(const Roster& roster, WorldRank own) noexcept : roster_(roster), own_(own) {}

  // An error of these two says what this node lacks. What else is computed comes after one of them.
  [[nodiscard]] Result<Hello> hello(WorldRank to, std::uint32_t lane = 0);
  [[nodiscard]] Result<Answer> answer(const Hello& hello);

  /// Of a rank of this job to this one.
  [[nodiscard]] bool is_right(const Hello& hello) const noexcept;
  [[nodiscard]] bool is_right(const Hello& hello, const Answer& answer) const noexcept;
  [[nodiscard]] Welcome welcome() const noexcept { return {Hello::kMagic, roster_.alike, own_settings()}; }
  [[nodiscard]] Confirmation confirmation(const Hello& hello, const Nonce& answered) const noexcept;
  [[nodiscard]] bool is_right(const Hello& hello, const Nonce& answered,
                              const Confirmation& confirmation) const noexcept;

 private:
  enum class Side : std::uint8_t { kCalled, kCaller };
  Status load_proofs();
  [[nodiscard]] SettingsText own_settings() const noexcept;
  [[nodiscard]] Proof proof_of(Side side, const Hello& hello, const Nonce& answered) const noexcept;

  const Roster& roster_;
  WorldRank own_;
  std::optional<Proofs> proofs_;  ///< from the first connection on: loading takes longer than all else in MPI_Init
};

}  // namespace starling::transport::tcp
