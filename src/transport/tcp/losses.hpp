// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Why a peer is lost, each reason a whole sentence with both ranks and the host. Thread safety: any thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/id.hpp"
#include "transport/lost_by.hpp"
#include "transport/tcp/roster.hpp"

namespace starling::transport::tcp {

/// A connection of this rank.
struct Ends {
  const Roster& roster;
  WorldRank own;
  WorldRank peer;
  int socket = -1;
};

/// By an errno with which a connection has ended; 0: the other side has closed it.
[[nodiscard]] LostBy lost_by(int why) noexcept;
/// It has ended without a goodbye. why: an errno; 0: the other side has closed it.
[[nodiscard]] std::string text_of_end(const Ends& ends, int why);
/// Nothing has come from the other machine for so long.
[[nodiscard]] std::string text_of_silence(const Ends& ends, std::int64_t silent_ms);

}  // namespace starling::transport::tcp
