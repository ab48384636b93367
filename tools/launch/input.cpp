// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace starling::launch {

using bootstrap::Descriptor;

bool Input::open(bool direct) {
  nothing_ = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing_.valid()) return false;
  rank_zero_ = STDIN_FILENO;
  if (fcntl(STDIN_FILENO, F_GETFD) < 0) {
    rank_zero_ = nothing_.get();
  } else if (!direct && isatty(STDIN_FILENO)) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    rank_end_ = Descriptor(ends[0]);
    forward_ = Descriptor(ends[1]);
    rank_zero_ = rank_end_.get();
  }
  return true;
}

void Input::start() {
  rank_end_.reset();
  if (!forward_.valid()) return;
  fcntl(forward_.get(), F_SETFL, O_NONBLOCK);
  resume();
}

void Input::resume() {
  if (!forward_.valid() || reading_ || !pending_.empty()) return;
  // In the background nobody types for us, and the kernel would refuse the read.
  if (tcgetpgrp(STDIN_FILENO) != getpgrp()) return;
  reading_ = loop_.on_readable(STDIN_FILENO, [this] { read_terminal(); });
}

void Input::read_terminal() {
  char buffer[4096];
  const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return;
  loop_.remove(STDIN_FILENO);
  reading_ = false;
  if (count < 0 && errno == EIO) return;  // we are in the background now; resume() comes with SIGCONT
  if (count <= 0) return end();
  pending_.assign(buffer, static_cast<std::size_t>(count));
  write_pending();
}

void Input::write_pending() {
  const ssize_t count = write(forward_.get(), pending_.data(), pending_.size());
  if (count >= 0) pending_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) return end();  // rank 0 reads no more
  if (pending_.empty()) return resume();
  loop_.on_writable(forward_.get(), [this] {
    loop_.remove(forward_.get());
    write_pending();
  });
}

void Input::end() {
  pending_.clear();
  forward_.reset();
}

}  // namespace starling::launch
