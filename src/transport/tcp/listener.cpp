// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/listener.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

/// Callers that wait while the rank computes; the system may allow fewer (net.core.somaxconn).
constexpr int kWaitingCallers = 4096;

}  // namespace

Result<Listener> Listener::open(const SocketAddress& at, PortRange ports) {
  int why = 0;
  for (std::uint32_t port = ports.first; port <= ports.last; ++port) {
    const SocketAddress address = at.with_port(static_cast<std::uint16_t>(port));
    Descriptor socket(::socket(at.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.is_open() && bind(socket.number(), address.data(), address.bytes()) == 0 &&
        listen(socket.number(), kWaitingCallers) == 0) {
      return Listener(std::move(socket));
    }
    why = errno;
    if (why != EADDRINUSE) break;
  }
  const std::string where = ports.is_any() ? "" : formatted(", ports {} to {},", ports.first, ports.last);
  return Status::error(ErrorClass::kOther,
                       formatted("this process cannot listen at {}{} for the ranks of other nodes: {}", at.host(),
                                 where, std::strerror(why)));
}

Descriptor Listener::accept() noexcept {
  return Descriptor(accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

}  // namespace starling::transport::tcp
