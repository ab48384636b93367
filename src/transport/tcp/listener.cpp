// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/listener.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

/// Callers that wait while the rank computes; the system may allow fewer (net.core.somaxconn).
constexpr int kWaitingCallers = 4096;

Status full(const SocketAddress& at, PortRange ports) {
  const int number = ports.last - ports.first + 1;
  const std::string which = number == 1 ? formatted("the only port, {}, is", ports.first)
                                        : formatted("all {} ports from {} to {} are", number, ports.first, ports.last);
  return Status::error(
      ErrorClass::kOther,
      formatted("{} in use at {} (STARLING_NET_PORTS), and each rank of this host needs one: name a wider range, or "
                "end the programs that hold them ('ss -tlnp' lists them)",
                which, at.host()));
}

}  // namespace

Result<Listener> Listener::open(const SocketAddress& at, PortRange ports) {
  const int yes = 1;
  int why = 0;
  for (std::uint32_t port = ports.first; port <= ports.last; ++port) {
    const SocketAddress address = at.with_port(static_cast<std::uint16_t>(port));
    Descriptor socket(::socket(at.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // A port of the range that a job of a moment ago has used is free, too; one at which somebody listens is not.
    if (!ports.is_any()) setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (socket.valid() && bind(socket.get(), address.data(), address.bytes()) == 0 &&
        listen(socket.get(), kWaitingCallers) == 0) {
      return Listener(std::move(socket));
    }
    why = errno;
    if (why != EADDRINUSE) break;
  }
  if (why == EADDRINUSE && !ports.is_any()) return full(at, ports);
  return Status::error(
      ErrorClass::kOther,
      formatted("this process cannot listen at {} for the ranks of other nodes: {}", at.host(), std::strerror(why)));
}

Result<Listener> Listener::adopt(int descriptor, std::span<const SocketAddress> addresses) {
  int listens = 0;
  socklen_t bytes = sizeof listens;
  const bool does = getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) == 0 && listens != 0;
  const SocketAddress there = SocketAddress::of_socket(descriptor);
  if (!does || std::ranges::find(addresses, there) == addresses.end()) {
    return Status::error(ErrorClass::kOther,
                         formatted("descriptor {} should be a socket that listens for the ranks of other nodes, and is "
                                   "not. Did a wrapper script between mpiexec and the program close it?",
                                   descriptor));
  }
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, O_RDWR | O_NONBLOCK);
  return Listener(Descriptor(descriptor));
}

Descriptor Listener::accept() noexcept {
  return Descriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

}  // namespace starling::transport::tcp
