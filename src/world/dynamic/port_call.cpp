// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/port_call.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/random_bytes.hpp"
#include "transport/tcp/socket_address.hpp"
#include "world/connection/own_card.hpp"
#include "world/dynamic/join_socket.hpp"
#include "world/network/library_layout.hpp"

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
constexpr WorldRank kCaller{0};
constexpr WorldRank kAcceptor{1};

/// What the two tell each other. Of the caller's the id and the settings hold.
struct Introduction {
  std::string card;
  GlobalProcess process;
  std::uint64_t layout = kLibraryLayout;
  std::uint64_t id = 0;
  std::string alike;

  [[nodiscard]] std::string bytes() const {
    ByteWriter out;
    out.put_text(card).put(process.job).put(process.rank.value).put(layout).put(id).put_text(alike);
    return out.bytes();
  }
  static Result<Introduction> parse(std::string_view bytes) {
    ByteReader in(bytes);
    Introduction made;
    made.card = in.get_text();
    made.process.job = in.get<std::uint64_t>();
    made.process.rank = WorldRank(in.get<std::int32_t>());
    made.layout = in.get<std::uint64_t>();
    made.id = in.get<std::uint64_t>();
    made.alike = in.get_text();
    if (in.ok_and_at_end() && made.layout == kLibraryLayout) return made;
    return Status::error(ErrorClass::kPort,
                         "the process at the other end of the port has loaded another build of the library");
  }
};

/// The steps that both ends take once they have proved themselves.
class Meeting {
 public:
  Meeting(World& world, int socket, WorldRank place, const Secret& secret)
      : world_(world), socket_(world.progress(), socket, kPatienceMs, kAdvice), place_(place), secret_(secret) {}

  Status prepare() {
    auto segment = OwnCard::make_segment(1, world_.config());
    if (!segment.ok()) return std::move(segment).status();
    Result<OwnCard> own = OwnCard::make(world_.config(), place_, std::move(segment).value());
    if (!own.ok()) return std::move(own).status();
    own_.emplace(std::move(own).value());
    mine_.card = own_->text();
    mine_.process = world_.processes().global(world_.process());
    mine_.alike = world_.config().alike();
    return fill_randomly(std::as_writable_bytes(std::span(&mine_.id, 1)));
  }
  Status tell() { return socket_.send_text(mine_.bytes()); }
  Status hear() {
    std::string bytes;
    STARLING_TRY(socket_.receive_text(&bytes));
    Result<Introduction> theirs = Introduction::parse(bytes);
    if (!theirs.ok()) return std::move(theirs).status();
    theirs_ = std::move(theirs).value();
    return {};
  }

  Result<Met> join() {
    const Introduction& caller = place_ == kCaller ? mine_ : theirs_;
    const Introduction& acceptor = place_ == kCaller ? theirs_ : mine_;
    std::vector<bootstrap::RankCard> cards;
    for (const Introduction* each : {&caller, &acceptor}) {
      Result<bootstrap::RankCard> card = bootstrap::RankCard::parse(each->card, 2);
      if (!card.ok()) return std::move(card).status();
      cards.push_back(std::move(card).value());
    }
    Result<JobConnection*> connection =
        own_->join(world_.connections(), world_.config(), cards, place_, {caller.id, secret_, caller.alike});
    // Neither waits for one that is not there.
    const std::uint64_t here = connection.ok() ? 1 : 0;
    std::uint64_t there = 0;
    Status told = socket_.send(here);
    if (told.ok()) told = socket_.receive(&there);
    if (!connection.ok()) return std::move(connection).status();
    if (told.ok() && there != 1) {
      told = Status::error(ErrorClass::kPort,
                           "the process at the other end of the port could not open the connection; "
                           "its own message says why");
    }
    if (told.ok()) told = connection.value()->wait_for_all();
    if (told.ok()) return Met{connection.value(), theirs_.process, {}};
    connection.value()->leave();
    return told;
  }

 private:
  World& world_;
  JoinSocket socket_;
  WorldRank place_;
  Secret secret_;
  std::optional<OwnCard> own_;
  Introduction mine_;
  Introduction theirs_;
};

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
  Meeting meeting(world, caller.socket.get(), kAcceptor, caller.secret);
  STARLING_TRY(meeting.prepare());
  STARLING_TRY(meeting.hear());
  STARLING_TRY(meeting.tell());
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
    Meeting meeting(world, socket.value().get(), kCaller, secret);
    STARLING_TRY(meeting.prepare());
    if (!meeting.tell().ok() || !meeting.hear().ok()) continue;
    return meeting.join();
  }
  return unreachable(port, formatted("its process, or another one there, has ended {} calls", kMostCalls));
}

}  // namespace starling::world
