// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/socket_state.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace starling::transport::tcp {

tcp_info info_of(int socket) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return {};
  return info;
}

std::optional<int> unacknowledged_bytes(int socket) noexcept {
  int bytes = 0;
  if (ioctl(socket, SIOCOUTQ, &bytes) != 0) return std::nullopt;
  return bytes;
}

}  // namespace starling::transport::tcp
