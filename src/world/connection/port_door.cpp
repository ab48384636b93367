// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/port_door.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "base/clock.hpp"
#include "base/random_bytes.hpp"
#include "transport/tcp/socket_address.hpp"
#include "world/network/network_hooks.hpp"

namespace starling::world {
namespace {

using transport::tcp::Listener;
using transport::tcp::Nonce;
using transport::tcp::Proof;
using transport::tcp::Proofs;
using transport::tcp::Secret;
using transport::tcp::SocketAddress;

/// For a caller's next message.
constexpr std::int64_t kPatienceNs = 2'000'000'000;
/// As many as fit the name of a port beside the rest.
constexpr std::size_t kMostAddresses = 8;

/// A whole message that lies in the socket, or nothing of it. 1: it is there, 0: not yet, -1: the caller has gone.
template <typename Message>
int read_whole(int socket, Message* message) {
  const ssize_t there = recv(socket, message, sizeof *message, MSG_PEEK | MSG_DONTWAIT);
  if (there < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (there == 0) return -1;
  if (static_cast<std::size_t>(there) < sizeof *message) return 0;
  return recv(socket, message, sizeof *message, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof *message) ? 1 : -1;
}

Proof proof_of(const Proofs& proofs, const Secret& key, std::string_view purpose, const Nonce& a, const Nonce& b) {
  std::vector<std::byte> text;
  for (const char letter : purpose) text.push_back(static_cast<std::byte>(letter));
  text.insert(text.end(), a.begin(), a.end());
  text.insert(text.end(), b.begin(), b.end());
  return proofs.of(key, text);
}

}  // namespace

std::string DoorName::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : key) {
    text += kDigits[static_cast<std::size_t>(byte >> 4)];
    text += kDigits[static_cast<std::size_t>(byte & std::byte{15})];
  }
  for (const std::string& address : addresses) text += ',' + address;
  return text;
}

std::optional<DoorName> DoorName::parse(std::string_view text) {
  DoorName name;
  const std::size_t digits = 2 * name.key.size();
  if (text.size() < digits) return std::nullopt;
  for (std::size_t i = 0; i < name.key.size(); ++i) {
    unsigned value = 0;
    const char* const begin = text.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) return std::nullopt;
    name.key[i] = static_cast<std::byte>(value);
  }
  text.remove_prefix(digits);
  while (!text.empty()) {
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
    const std::string_view address = text.substr(0, text.find(','));
    if (!SocketAddress::parse(address)) return std::nullopt;
    name.addresses.emplace_back(address);
    text.remove_prefix(address.size());
  }
  return name.addresses.empty() ? std::nullopt : std::optional(std::move(name));
}

Result<DoorProofs> DoorProofs::of(const Secret& key, const Nonce& caller, const Nonce& door) {
  Result<Proofs> proofs = Proofs::load();
  if (!proofs.ok()) return std::move(proofs).status();
  return DoorProofs{proof_of(proofs.value(), key, "starling port: the door", caller, door),
                    proof_of(proofs.value(), key, "starling port: the caller", caller, door),
                    proof_of(proofs.value(), key, "starling port: the connection", caller, door)};
}

Result<std::unique_ptr<PortDoor>> PortDoor::open(const config::Store& config) {
  Result<bootstrap::OpenEntrances> opened = network_hooks(config).open();
  if (!opened.ok()) return std::move(opened).status();
  std::unique_ptr<PortDoor> door(new PortDoor());
  std::vector<Descriptor> descriptors;
  for (const int listener : opened.value().listeners) descriptors.emplace_back(listener);
  STARLING_TRY(fill_randomly(door->name_.key));
  door->events_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  for (std::size_t i = 0; i < descriptors.size() && door->listeners_.size() < kMostAddresses; ++i) {
    const std::string& text = opened.value().entrances[i].address;
    const std::optional<SocketAddress> address = SocketAddress::parse(text);
    // Nobody on another host is at this host's own addresses.
    if (!address || address->is_loopback()) continue;
    Result<Listener> listener = Listener::adopt(descriptors[i].release(), {&*address, 1});
    if (!listener.ok() || !door->watch(listener.value().descriptor())) continue;
    door->listeners_.push_back(std::move(listener).value());
    door->name_.addresses.push_back(text);
  }
  return door;
}

bool PortDoor::watch(int descriptor) const noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(events_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

bool PortDoor::arm() {
  pollfd events{events_.get(), POLLIN, 0};
  return poll(&events, 1, 0) == 0;
}

void PortDoor::let_in() {
  for (Listener& listener : listeners_) {
    Descriptor socket = listener.accept();
    if (!socket.valid() || !watch(socket.get())) continue;
    visitor_.emplace(Visitor{});
    visitor_->socket = std::move(socket);
    visitor_->due_ns = now_ns() + kPatienceNs;
    return;
  }
}

bool PortDoor::hear(Visitor& visitor, bool* proved) {
  if (now_ns() > visitor.due_ns) return false;
  if (!visitor.is_challenged) {
    DoorHello hello;
    const int read = read_whole(visitor.socket.get(), &hello);
    if (read <= 0) return read == 0;
    DoorChallenge challenge;
    if (hello.magic != DoorHello::kMagic || !fill_randomly(challenge.nonce).ok()) return false;
    Result<DoorProofs> proofs = DoorProofs::of(name_.key, hello.nonce, challenge.nonce);
    if (!proofs.ok()) return false;
    visitor.proofs = proofs.value();
    challenge.proof = visitor.proofs.of_door;
    visitor.is_challenged = true;
    visitor.due_ns = now_ns() + kPatienceNs;
    return send(visitor.socket.get(), &challenge, sizeof challenge, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(sizeof challenge);
  }
  DoorEntry entry;
  const int read = read_whole(visitor.socket.get(), &entry);
  if (read <= 0) return read == 0;
  *proved = Proofs::are_equal(entry.proof, visitor.proofs.of_caller);
  return *proved;
}

std::optional<PortDoor::Caller> PortDoor::take() {
  if (!visitor_) let_in();
  if (!visitor_) return std::nullopt;
  bool proved = false;
  const bool stays = hear(*visitor_, &proved);
  if (proved) {
    epoll_ctl(events_.get(), EPOLL_CTL_DEL, visitor_->socket.get(), nullptr);
    Caller caller{std::move(visitor_->socket), visitor_->proofs.secret};
    visitor_.reset();
    return caller;
  }
  if (!stays) visitor_.reset();
  return std::nullopt;
}

}  // namespace starling::world
