// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The list of all transports, in order of preference: each peer takes the first that reaches it.
// To add one, write src/transport/<name>/ and a line in list.cpp.
// Thread safety: constants.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/id.hpp"
#include "base/status.hpp"
#include "transport/surroundings.hpp"
#include "transport/transport.hpp"

namespace starling::transport {

struct TransportKind {
  const char* name;
  /// Where it reaches a rank of the job; nothing where it does not. The same for as long as the job lives.
  std::optional<Address> (*reaches)(const Surroundings& surroundings, WorldRank rank);
  /// Called only where it reaches a rank. It reports what it receives under peer_of() of the sender's world rank.
  Result<std::unique_ptr<Transport>> (*create)(const Surroundings& surroundings);
};

[[nodiscard]] std::span<const TransportKind> transport_kinds() noexcept;

}  // namespace starling::transport
