// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/standard_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace starling::launch {

void StandardInput::taken(std::uint64_t bytes) {
  under_way_ -= std::min(bytes, under_way_);
  watch();
}

void StandardInput::stop() {
  if (watching_) loop_.remove(descriptor_);
  watching_ = false;
  stopped_ = true;
}

void StandardInput::watch() {
  if (watching_ || stopped_ || under_way_ >= kWindow) return;
  watching_ = loop_.on_readable(descriptor_, [this] { read_some(); });
  if (!watching_) read_after(0);  // a file, which is always ready
}

void StandardInput::read_after(std::int64_t ns) {
  loop_.after(ns, [this] {
    if (!watching_ && !stopped_ && under_way_ < kWindow) read_some();
  });
}

void StandardInput::read_some() {
  char buffer[16 * 1024];
  const std::size_t wanted = std::min<std::uint64_t>(sizeof buffer, kWindow - under_way_);
  const ssize_t count = read(descriptor_, buffer, wanted);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    constexpr std::int64_t kPauseNs = 10'000'000;
    // The system lets nobody wait for it, and nothing is there.
    return watching_ ? void() : read_after(kPauseNs);
  }
  if (count <= 0) {
    stop();
    return ended_();
  }
  under_way_ += static_cast<std::uint64_t>(count);
  put_(std::string(buffer, static_cast<std::size_t>(count)));
  if (watching_ && under_way_ >= kWindow) {
    loop_.remove(descriptor_);
    watching_ = false;
  }
  watch();
}

}  // namespace starling::launch
