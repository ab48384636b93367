// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/link/pulse.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "transport/tcp/silence.hpp"
#include "transport/tcp/socket_state.hpp"

namespace starling::launch {
namespace {

/// A call that has no answer is made again: the system would wait longer from try to try.
constexpr std::int64_t kCallAgainNs = 1'000'000'000;
/// So that the system asks each second. It may take longer than this to end the connection, which does not matter: that
/// an answer is missing shows before.
constexpr std::int64_t kAsk = 4'000;

}  // namespace

Doors::~Doors() {
  for (const transport::tcp::Listener& listener : listeners_) loop_.remove(listener.descriptor());
}

void Doors::open(std::span<const transport::tcp::InterfaceAddress> addresses, transport::tcp::PortRange ports) {
  for (const transport::tcp::InterfaceAddress& each : addresses) {
    Result<transport::tcp::Listener> listener = transport::tcp::Listener::open(each.address, ports);
    if (listener.ok()) listeners_.push_back(std::move(listener).value());
  }
  for (transport::tcp::Listener& listener : listeners_)
    loop_.on_readable(listener.descriptor(), [this, &listener] { let_in(listener); });
}

void Doors::let_in(transport::tcp::Listener& listener) {
  const bool came_in = listener.accept().valid();
  // Without a descriptor left the caller would be announced without end; the system goes on answering.
  if (!came_in && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) loop_.remove(listener.descriptor());
}

std::vector<std::string> Doors::addresses() const {
  std::vector<std::string> addresses;
  for (const transport::tcp::Listener& listener : listeners_) addresses.push_back(listener.address().text());
  return addresses;
}

void Pulse::set_doors(std::span<const std::string> doors) {
  doors_.clear();
  for (const std::string& text : doors) {
    const std::optional<transport::tcp::SocketAddress> address = transport::tcp::SocketAddress::parse(text);
    if (!address) continue;
    doors_.emplace_back();
    doors_.back().address = *address;
  }
}

std::int64_t Pulse::feel(std::int64_t now_ns) {
  for (Door& door : doors_) {
    if (!door.socket.valid()) {
      call(door, now_ns);
      continue;
    }
    const tcp_info info = transport::tcp::info_of(door.socket.get());
    const bool is_open = info.tcpi_state == TCP_ESTABLISHED || info.tcpi_state == TCP_CLOSE_WAIT;
    if (is_open) answered_ns_ = std::max(answered_ns_, now_ns - info.tcpi_last_ack_recv * kMillisecond);
    const bool waits = info.tcpi_state == TCP_SYN_SENT && now_ns - door.called_ns < kCallAgainNs;
    if (info.tcpi_state != TCP_ESTABLISHED && !waits) door.socket.reset();
  }
  return answered_ns_;
}

void Pulse::call(Door& door, std::int64_t now_ns) const {
  Descriptor socket(::socket(door.address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return;
  transport::tcp::ask_while_idle(socket.get(), kAsk);
  if (connect(socket.get(), door.address.data(), door.address.bytes()) != 0 && errno != EINPROGRESS) return;
  door.socket = std::move(socket);
  door.called_ns = now_ns;
}

void Pulse::rest() noexcept {
  for (Door& door : doors_) door.socket.reset();
}

}  // namespace starling::launch
