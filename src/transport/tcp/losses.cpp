// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/losses.hpp"

#include <cerrno>
#include <cstring>

#include "base/format.hpp"
#include "transport/tcp/interfaces.hpp"
#include "transport/tcp/silence.hpp"

namespace starling::transport::tcp {
namespace {

std::string way_of(const Ends& ends) {
  const SocketAddress own = SocketAddress::of_socket(ends.socket);
  const std::string interface = interface_of(own);
  return interface.empty() ? formatted("over the address {}", own.host())
                           : formatted("over interface {} ({})", interface, own.host());
}

/// The system has had no answer.
bool is_silence(int why) noexcept { return why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH; }

}  // namespace

std::string text_of_end(const Ends& ends, int why) {
  if (is_silence(why)) return text_of_silence(ends, silent_ms(ends.socket));
  return formatted(
      "the connection from rank {} to {} has ended ({}): the process there has died, or the network between the two "
      "hosts is interrupted",
      ends.own.value, ends.roster.text_of(ends.peer), why == 0 ? "closed by the other side" : std::strerror(why));
}

std::string text_of_silence(const Ends& ends, std::int64_t silent_ms) {
  constexpr double kMsPerSecond = 1000;
  return formatted(
      "rank {} has had no answer from the host of {} for {:.1f} s, {}: the host has stopped, or the network "
      "between the two hosts is interrupted (STARLING_NET_DEAD_AFTER_MS says how long a host may be silent)",
      ends.own.value, ends.roster.text_of(ends.peer), static_cast<double>(silent_ms) / kMsPerSecond, way_of(ends));
}

}  // namespace starling::transport::tcp
