// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Settings: what the STARLING_NET_ variables ask for. Thread safety: a value.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "config/config.hpp"

namespace starling::transport::tcp {

/// When a rank connects to those of other nodes.
enum class Connect : std::uint8_t {
  kLazily,  ///< to each with the first packet
  kFully,   ///< to all when it starts
};

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  /// Any port that is free.
  [[nodiscard]] bool is_any() const noexcept { return last == 0; }
};

struct Settings {
  std::string congestion;  ///< the congestion control of each connection; empty: the system's
  Connect connect = Connect::kLazily;
  std::int64_t eager_limit = 128 * 1024;
  std::int64_t dead_after_ms = 4000;  ///< without an answer of the other machine
  std::int64_t stripe_from = 0;       ///< bytes of a payload that takes all links; 0: none does
  std::int64_t to_call_ms = 2000;     ///< for a rank to call that cannot be called; no variable sets it
  std::int64_t lane_pause_ms = 1000;  ///< before a link that was lost is tried again; no variable sets it
};

/// An error names the variable and what it takes.
[[nodiscard]] Result<Settings> settings_of(const config::Store& config);
[[nodiscard]] Result<PortRange> ports_of(const config::Store& config);
/// How long nothing may come from another machine until it counts as dead.
[[nodiscard]] Result<std::int64_t> dead_after_ms_of(const config::Store& config);

/// The congestion control that the system gives a connection; empty: it does not say.
[[nodiscard]] std::string system_congestion();

/// What each connection asks of the system. The sizes of its buffers are the system's matter: one that is set ends the
/// system's own tuning.
void set_socket_options(int socket, const Settings& settings) noexcept;

}  // namespace starling::transport::tcp
