// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/join_socket.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "progress/engine.hpp"

namespace starling::world {
namespace {

Status unusable(int socket, const std::string& why) {
  return Status::error(
      ErrorClass::kArg,
      formatted("descriptor {} {}; MPI_Comm_join takes a connected stream socket (SOCK_STREAM)", socket, why));
}

}  // namespace

Status JoinSocket::other_end(const std::string& what) const {
  return Status::error(ErrorClass::kOther, formatted("the other end of the socket {}. {}", what, advice_));
}

Status JoinSocket::send_text(std::string_view text) {
  STARLING_TRY(send(static_cast<std::uint64_t>(text.size())));
  return send_bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
}

Status JoinSocket::receive_text(std::string* text) {
  constexpr std::uint64_t kMost = 1 << 20;
  std::uint64_t bytes = 0;
  STARLING_TRY(receive(&bytes));
  if (bytes > kMost) return other_end("sends what no process of this library sends");
  text->resize(bytes);
  return receive_bytes(reinterpret_cast<std::byte*>(text->data()), bytes);
}

Status JoinSocket::check() const {
  int type = 0;
  socklen_t length = sizeof type;
  if (getsockopt(socket_, SOL_SOCKET, SO_TYPE, &type, &length) != 0) {
    return unusable(socket_, errno == ENOTSOCK ? "is not a socket" : std::string("cannot be used: ") + strerror(errno));
  }
  if (type != SOCK_STREAM) return unusable(socket_, "is not a stream socket");
  sockaddr_storage peer{};
  length = sizeof peer;
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&peer), &length) != 0) {
    return unusable(socket_, "is not connected");
  }
  return {};
}

Status JoinSocket::wait_until(short ready) {
  constexpr int kLongestPauseMs = 20;
  const std::int64_t begun = now_ns();
  for (int pause_ms = 0;; pause_ms = std::min(pause_ms + 1, kLongestPauseMs)) {
    progress_.poll();
    pollfd socket{socket_, ready, 0};
    progress_.unlock();
    const int count = poll(&socket, 1, pause_ms);
    progress_.lock();
    if (count > 0) return {};  // ready or broken: the next call tells which
    if (count < 0 && errno != EINTR) return other_end(std::string("cannot be waited for: ") + strerror(errno));
    if (has_received_ && now_ns() - begun > patience_ns_) {
      return other_end(formatted("has begun to send and was then silent for {} ms (STARLING_JOIN_PATIENCE_MS)",
                                 patience_ns_ / 1'000'000));
    }
  }
}

Status JoinSocket::send_bytes(const std::byte* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(socket_, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      STARLING_TRY(wait_until(POLLOUT));
      continue;
    }
    if (sent < 0) return other_end(std::string("cannot be sent to: ") + strerror(errno));
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return {};
}

Status JoinSocket::receive_bytes(std::byte* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t got = recv(socket_, bytes, count, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      STARLING_TRY(wait_until(POLLIN));
      continue;
    }
    if (got < 0) return other_end(std::string("cannot be received from: ") + strerror(errno));
    if (got == 0) return other_end("is closed, or its process has ended");
    has_received_ = true;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace starling::world
