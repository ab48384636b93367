// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "seat.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "observe/join.hpp"

namespace starling::see {
namespace {

using observe::JoinAnswer;
using observe::JoinRequest;

/// To 'starling see', as long as this process is in MPI.
Descriptor& connection() {
  static Descriptor* const kConnection = new Descriptor;  // never destroyed: a program may end within a call
  return *kConnection;
}

/// How many ranks the launcher has started on this host; 0: it does not say.
int ranks_here() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    const char* const text = std::getenv(name);
    if (text != nullptr) return std::atoi(text);
  }
  return 0;
}

Descriptor connect_to(std::string_view name) {
  constexpr timeval kPatience{5, 0};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t count = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), count);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made.valid() || connect(made.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return {};
  setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  return made;
}

/// The answer, and the segment's descriptor with it.
std::optional<JoinAnswer> receive_answer(int socket, Descriptor* segment) {
  JoinAnswer answer;
  answer.magic = 0;
  iovec part{&answer, sizeof answer};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  ssize_t count = 0;
  do {
    count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  } while (count < 0 && errno == EINTR);
  const cmsghdr* const head = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(head), sizeof number);
    *segment = Descriptor(number);
  }
  const bool whole = count == static_cast<ssize_t>(sizeof answer) && answer.magic == JoinRequest::kMagic;
  if (!whole || answer.bytes == 0 || !segment->valid()) return std::nullopt;
  return answer;
}

observe::UsageRecord own_usage() {
  constexpr std::uint64_t kKibibyte = 1024;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ns = [](const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
  };
  return {static_cast<std::uint64_t>(used.ru_maxrss) * kKibibyte, ns(used.ru_utime), ns(used.ru_stime),
          static_cast<std::uint64_t>(used.ru_nivcsw)};
}

Seat seat_in(std::byte* base, const JoinAnswer& answer, int rank) {
  Seat seat;
  seat.card = reinterpret_cast<observe::StatusCard*>(base + answer.card);
  seat.wait = reinterpret_cast<observe::WaitRecord*>(base + answer.wait);
  seat.directory = observe::CommunicatorDirectory(base + answer.directory, answer.ranks, answer.world_ranks);
  seat.traffic = observe::TrafficTable(base + answer.traffic, answer.ranks, answer.world_ranks);
  if (answer.trace_events != 0) seat.ring = observe::EventRing(base + answer.event_ring, answer.trace_events);
  seat.trace_mode = answer.trace_mode;
  seat.local = LocalRank(answer.local_rank);
  seat.world = WorldRank(rank);
  return seat;
}

}  // namespace

std::optional<Seat> take_seat(int rank, int ranks) {
  const char* const name = std::getenv(observe::kJoinVariable);
  if (name == nullptr) return std::nullopt;
  Descriptor socket = connect_to(name);
  JoinRequest request;
  request.rank = rank;
  request.ranks = ranks;
  request.ranks_here = ranks_here();
  if (!socket.valid() || send(socket.get(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request)
    return std::nullopt;
  Descriptor segment;
  const std::optional<JoinAnswer> answer = receive_answer(socket.get(), &segment);
  if (!answer) return std::nullopt;
  void* const base = mmap(nullptr, answer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, segment.get(), 0);
  if (base == MAP_FAILED) return std::nullopt;
  connection() = std::move(socket);
  return seat_in(static_cast<std::byte*>(base), *answer, rank);
}

void leave_seat() {
  if (!connection().valid()) return;
  observe::JoinLeave leave;
  leave.usage = own_usage();
  [[maybe_unused]] const ssize_t sent = send(connection().get(), &leave, sizeof leave, MSG_NOSIGNAL | MSG_DONTWAIT);
  connection().reset();
}

}  // namespace starling::see
