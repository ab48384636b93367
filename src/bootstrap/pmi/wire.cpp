// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/wire.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

/// No message of a launcher is longer.
constexpr std::size_t kLongestLine = 64 * 1024;

Status lost(const std::string& why) {
  return Status::error(ErrorClass::kOther,
                       formatted("the launcher that started this process no longer answers: {}", why));
}

}  // namespace

bool Wire::is_socket(int descriptor) noexcept {
  struct stat info {};
  return fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
}

Result<Wire> Wire::open(int descriptor, std::int64_t deadline_ms) {
  if (!is_socket(descriptor)) {
    return Status::error(ErrorClass::kOther,
                         formatted("descriptor {}, which PMI_FD names, is no socket in this process", descriptor));
  }
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return Wire(memory::KeptFile(descriptor), deadline_ms);
}

Status Wire::send(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    // A program may close descriptors that it has not opened, and open files of its own under their numbers.
    if (!socket_.is_ours()) return lost("the program has closed the socket to it");
    const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return closed(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<std::string> Wire::receive_line() {
  for (;;) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > kLongestLine) return lost("it sends lines without end");
    STARLING_TRY(fill());
  }
}

Result<std::string> Wire::receive(std::size_t bytes) {
  while (received_.size() < bytes) STARLING_TRY(fill());
  std::string taken = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return taken;
}

Status Wire::wait_for_bytes() {
  const std::int64_t begun = now_ns();
  pollfd look{socket_.number(), POLLIN, 0};
  for (;;) {
    const std::int64_t left_ms = deadline_ms_ - (now_ns() - begun) / kMillisecond;
    const int limit = deadline_ms_ <= 0 ? -1 : static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, INT_MAX));
    const int found = poll(&look, 1, limit);
    if (found < 0 && errno == EINTR) continue;
    timed_out_ = found == 0;
    if (found > 0) return {};
    return timed_out_ ? lost(formatted("nothing has come from it for {} s", static_cast<double>(deadline_ms_) / 1e3))
                      : lost(std::strerror(errno));
  }
}

Status Wire::closed(const char* how) const {
  if (has_answered_) return lost(how);
  return lost("it has closed its socket. Of several MPI programs in a script only the first is one of its ranks");
}

Status Wire::fill() {
  if (!socket_.is_ours()) return lost("the program has closed the socket to it");
  STARLING_TRY(wait_for_bytes());
  char buffer[4096];
  for (;;) {
    const ssize_t count = recv(socket_.number(), buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return closed(std::strerror(errno));
    if (count == 0) return closed("it has closed its socket");
    has_answered_ = true;
    received_.append(buffer, static_cast<std::size_t>(count));
    return {};
  }
}

}  // namespace starling::bootstrap
