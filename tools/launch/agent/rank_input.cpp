// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/agent/rank_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace starling::launch {

Descriptor RankInput::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  pipe_ = Descriptor(ends[1]);
  fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);  // of our end only
  return Descriptor(ends[0]);
}

void RankInput::put(std::string_view bytes) {
  if (!pipe_.valid()) return;
  pending_.append(bytes);
  if (!waits_) write_some();
}

void RankInput::end() {
  ending_ = true;
  if (pending_.empty()) close();
}

void RankInput::write_some() {
  const ssize_t count = write(pipe_.get(), pending_.data(), pending_.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) {
    close();
    return closed_();
  }
  if (count > 0) {
    pending_.erase(0, static_cast<std::size_t>(count));
    taken_(static_cast<std::uint64_t>(count));
  }
  if (pending_.empty()) {
    if (ending_) close();
    return;
  }
  waits_ = loop_.on_writable(pipe_.get(), [this] {
    loop_.remove(pipe_.get());
    waits_ = false;
    write_some();
  });
}

void RankInput::close() {
  if (waits_) loop_.remove(pipe_.get());
  waits_ = false;
  pipe_.reset();
  pending_.clear();
}

}  // namespace starling::launch
