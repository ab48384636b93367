// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/supervise/terminal_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace starling::launch {

TerminalInput::TerminalInput(EventLoop& loop, Descriptor pipe) : loop_(loop), pipe_(std::move(pipe)) {
  if (pipe_.valid()) fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  resume();
}

void TerminalInput::resume() {
  if (!pipe_.valid() || reading_ || !pending_.empty()) return;
  // In the background nobody types for us, and the kernel would refuse the read.
  if (tcgetpgrp(STDIN_FILENO) != getpgrp()) return;
  reading_ = loop_.on_readable(STDIN_FILENO, [this] { read_terminal(); });
}

void TerminalInput::read_terminal() {
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

void TerminalInput::write_pending() {
  const ssize_t count = write(pipe_.get(), pending_.data(), pending_.size());
  if (count >= 0) pending_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) return end();  // rank 0 reads no more
  if (pending_.empty()) return resume();
  loop_.on_writable(pipe_.get(), [this] {
    loop_.remove(pipe_.get());
    write_pending();
  });
}

void TerminalInput::end() {
  pending_.clear();
  pipe_.reset();
}

}  // namespace starling::launch
