// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/losses.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/format.hpp"
#include "transport/tcp/interfaces.hpp"
#include "transport/tcp/silence.hpp"
#include "transport/tcp/socket_state.hpp"

namespace starling::transport::tcp {
namespace {

std::string way_of(const Ends& ends) {
  const SocketAddress own = SocketAddress::of_socket(ends.socket);
  const std::string interface = interface_of(own);
  if (interface.empty()) return formatted("over the address {}", own.host());
  return formatted("over interface {} ({}){}", interface, own.host(),
                   is_interface_up(interface) ? "" : ", which is down");
}

/// The path's MTU, as the system knows it; 0: not known.
int path_mtu(int socket) noexcept {
  int mtu = 0;
  socklen_t bytes = sizeof mtu;
  if (getsockopt(socket, IPPROTO_IP, IP_MTU, &mtu, &bytes) == 0) return mtu;
  return getsockopt(socket, IPPROTO_IPV6, IPV6_MTU, &mtu, &bytes) == 0 ? mtu : 0;
}

/// Whether as much is without an answer as a packet takes.
bool owes_long_packet(int socket) noexcept {
  const int packet = static_cast<int>(info_of(socket).tcpi_snd_mss);
  return packet > 0 && unacknowledged_bytes(socket).value_or(0) >= packet;
}

/// What may be the reason as well: a switch or a tunnel between the hosts drops packets as long as the interfaces
/// allow.
std::string mtu_hint(int socket) {
  constexpr int kMtuOfEthernet = 1500;
  const int mtu = path_mtu(socket);
  if (mtu == 0 || (mtu <= kMtuOfEthernet && !owes_long_packet(socket))) return {};
  return formatted(
      ". If short messages pass and long ones do not, compare the MTU of the interfaces and of what is between them: "
      "packets of up to {} bytes leave here",
      mtu);
}

}  // namespace

LostBy lost_by(int why) noexcept {
  return why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH ? LostBy::kSilence : LostBy::kEnd;
}

std::string text_of_end(const Ends& ends, int why) {
  if (lost_by(why) == LostBy::kSilence) return text_of_silence(ends, silent_ms(ends.socket));
  return formatted(
      "the connection from rank {} to {} has ended ({}): the process there has died, or the network between the two "
      "hosts is interrupted",
      ends.own.value, ends.roster.text_of(ends.peer), why == 0 ? "closed by the other side" : std::strerror(why));
}

std::string text_of_silence(const Ends& ends, std::int64_t silent_ms) {
  constexpr double kMsPerSecond = 1000;
  return formatted(
      "rank {} has had no answer from the host of {} for {:.1f} s, {}: the host has stopped, or the network "
      "between the two hosts is interrupted (STARLING_NET_DEAD_AFTER_MS says how long a host may be silent){}",
      ends.own.value, ends.roster.text_of(ends.peer), static_cast<double>(silent_ms) / kMsPerSecond, way_of(ends),
      mtu_hint(ends.socket));
}

}  // namespace starling::transport::tcp
