// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/socket_state.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>

namespace starling::transport::tcp {
namespace {

/// What the system spends for what is sent and not acknowledged; 0: it does not say.
int memory_of(int socket) noexcept {
  int memory = 0;
  socklen_t size = sizeof memory;
  return getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &memory, &size) == 0 ? memory : 0;
}

}  // namespace

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

std::size_t room_of(int socket) noexcept {
  return static_cast<std::size_t>(std::max(memory_of(socket) - unacknowledged_bytes(socket).value_or(0), 0));
}

bool has_room_for(int socket, std::size_t bytes) noexcept {
  const int under_way = unacknowledged_bytes(socket).value_or(0);
  if (under_way == 0) return true;
  const int memory = memory_of(socket);
  if (memory == 0) return true;
  // The system tells that there is room as soon as a third is free.
  const int needed = std::min(static_cast<int>(bytes), memory / 3);
  return memory - under_way >= needed;
}

}  // namespace starling::transport::tcp
