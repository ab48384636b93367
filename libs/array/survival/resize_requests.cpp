// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resize_requests.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <starling/array/core.hpp>
#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "observe/resize_address.hpp"

namespace starling::array::detail {

namespace {

constexpr int kPatience_ms = 1000;  // for the line of somebody who has connected

/// Whether it is of this user, or of root.
bool may_ask(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
  return who.uid == geteuid() || who.uid == 0;
}

}  // namespace

void ResizeRequests::listen() {
  if (ear_.valid()) return;
  const observe::ResizeAddress address(getpid());
  Descriptor ear(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!ear.valid() || bind(ear.get(), address.get(), address.size) != 0 || ::listen(ear.get(), 8) != 0) {
    const int error = errno;
    const char* const why = error == EADDRINUSE ? ", as another session of the process can" : "";
    throw Error(formatted("this session cannot be asked for other processes: {}{}",
                          std::generic_category().message(error), why));
  }
  ear_ = std::move(ear);
}

int ResizeRequests::take() {
  if (!ear_.valid()) return 0;
  while (true) {
    asking_ = Descriptor(accept4(ear_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!asking_.valid()) return 0;
    if (!may_ask(asking_.get())) {
      refuse("it runs for another user");
    } else if (const int number = read_number(); number > 0) {
      return number;
    }
  }
}

/// 0 where the question was taken back, or is none.
int ResizeRequests::read_number() {
  std::string line;
  while (line.find('\n') == std::string::npos) {
    pollfd wait{asking_.get(), POLLIN, 0};
    char bytes[32];
    if (poll(&wait, 1, kPatience_ms) <= 0) return 0;
    const ssize_t got = read(asking_.get(), bytes, sizeof bytes);
    if (got <= 0 || line.size() > sizeof bytes) return 0;
    line.append(bytes, static_cast<std::size_t>(got));
  }
  char more = 0;
  if (recv(asking_.get(), &more, 1, MSG_DONTWAIT) == 0) return 0;
  int number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  if (number <= 0) refuse(formatted("'{}' is no number of processes", line.substr(0, line.find('\n'))));
  return number;
}

void ResizeRequests::done(const std::string& sentence) { answer(observe::kResizeDone, sentence); }
void ResizeRequests::refuse(const std::string& sentence) { answer(observe::kResizeRefused, sentence); }

void ResizeRequests::answer(char verdict, const std::string& sentence) {
  const std::string line = verdict + sentence + "\n";
  // He may have gone; a line this short is never cut.
  if (asking_.valid()) static_cast<void>(send(asking_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  asking_.reset();
}

}  // namespace starling::array::detail
