// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/port_call.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/random_bytes.hpp"
#include "transport/tcp/socket_address.hpp"
#include "world/dynamic/join_socket.hpp"

namespace starling::world {
namespace {

using transport::tcp::Nonce;
using transport::tcp::Proofs;
using transport::tcp::Secret;
using transport::tcp::SocketAddress;

/// For the other end's next message, once it has begun to talk.
constexpr std::int64_t kPatienceMs = 30'000;
/// A process that does not accept ends a call that it has begun to answer before.
constexpr int kMostCalls = 100;
/// For an address to answer.
constexpr std::int64_t kConnectNs = 5'000'000'000;
constexpr const char* kAdvice =
    "One process accepts at the port while the other connects, and both need the same version of Starling";

Status unreachable(const std::string& port, const std::string& why) {
  return Status::error(ErrorClass::kPort, formatted("there is no port \"{}\": {}", port, why));
}

/// Waits for a socket, while messages move on.
bool becomes_ready(progress::Engine& progress, int socket, std::int64_t due_ns) {
  while (now_ns() < due_ns) {
    progress.poll();
    pollfd events{socket, POLLOUT, 0};
    progress.unlock();
    const int count = poll(&events, 1, 5);
    progress.lock();
    if (count > 0) return true;
  }
  return false;
}

Result<Descriptor> connect_to(progress::Engine& progress, const std::string& text) {
  const std::optional<SocketAddress> address = SocketAddress::parse(text);
  if (!address) return Status::error(ErrorClass::kPort, text + " is no address");
  Descriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int failure = 0;
  if (!socket.valid()) {
    failure = errno;
  } else if (::connect(socket.get(), address->data(), address->bytes()) != 0) {
    failure = errno;
    if (failure == EINPROGRESS) {
      socklen_t length = sizeof failure;
      failure = ETIMEDOUT;
      if (becomes_ready(progress, socket.get(), now_ns() + kConnectNs)) {
        getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &length);
      }
    }
  }
  if (failure == 0) return socket;
  return Status::error(ErrorClass::kPort, formatted("{}: {}", text, std::strerror(failure)));
}

/// At the first address that answers.
Result<Descriptor> connect_to_any(progress::Engine& progress, const DoorName& door) {
  std::string reasons;
  for (const std::string& address : door.addresses) {
    Result<Descriptor> socket = connect_to(progress, address);
    if (socket.ok()) return socket;
    reasons += (reasons.empty() ? "" : "; ") + socket.status().message();
  }
  return Status::error(ErrorClass::kPort, reasons);
}

/// False: the other end has closed the socket meanwhile, because it did not accept then.
Result<bool> prove(World& world, int socket, const DoorName& door, Secret* secret) {
  JoinSocket talk(world.progress(), socket, kPatienceMs, kAdvice);
  DoorHello hello;
  STARLING_TRY(fill_randomly(hello.nonce));
  DoorChallenge challenge;
  // No limit: the other process may accept much later.
  if (!talk.send(hello).ok() || !talk.receive(&challenge).ok()) return false;
  Result<DoorProofs> proofs = DoorProofs::of(door.key, hello.nonce, challenge.nonce);
  if (!proofs.ok()) return std::move(proofs).status();
  if (!Proofs::are_equal(challenge.proof, proofs.value().of_door)) {
    return Status::error(ErrorClass::kPort, "another process than that of the port answers there now");
  }
  *secret = proofs.value().secret;
  return talk.send(DoorEntry{proofs.value().of_caller}).ok();
}

}  // namespace

Result<Met> answer_call(World& world, PortDoor::Caller caller) {
  JoinSocket talk(world.progress(), caller.socket.get(), kPatienceMs, kAdvice);
  Meeting meeting(world, talk, Meeting::Side::kAcceptor, caller.secret, ErrorClass::kPort);
  STARLING_TRY(meeting.prepare());
  STARLING_TRY(meeting.introduce());
  return meeting.join();
}

Result<Met> call_door(World& world, const std::string& port, const DoorName& door) {
  for (int tried = 0; tried < kMostCalls; ++tried) {
    Result<Descriptor> socket = connect_to_any(world.progress(), door);
    if (!socket.ok()) return unreachable(port, socket.status().message());
    Secret secret{};
    Result<bool> proved = prove(world, socket.value().get(), door, &secret);
    if (!proved.ok()) return unreachable(port, proved.status().message());
    if (!proved.value()) continue;
    JoinSocket talk(world.progress(), socket.value().get(), kPatienceMs, kAdvice);
    Meeting meeting(world, talk, Meeting::Side::kCaller, secret, ErrorClass::kPort);
    STARLING_TRY(meeting.prepare());
    if (!meeting.introduce().ok()) continue;
    return meeting.join();
  }
  return unreachable(port, formatted("its process, or another one there, has ended {} calls", kMostCalls));
}

}  // namespace starling::world
