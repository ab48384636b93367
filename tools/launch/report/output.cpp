// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace starling::launch {

using bootstrap::Descriptor;

Sink::Sink(EventLoop& loop, int descriptor, std::function<void(int)> on_broken)
    : loop_(loop), descriptor_(descriptor), on_broken_(std::move(on_broken)) {}

void Sink::put(const void* writer, std::string_view text) {
  if (broken_ || text.empty()) return;
  if (unfinished_ && unfinished_ != writer) queue_ += '\n';
  unfinished_ = text.back() == '\n' ? nullptr : writer;
  queue_.append(text);
  if (!waits_for_room_) write_ready();
}

/// Writes while the reader takes it at once. The descriptor may be shared with other programs, so it is not made
/// non-blocking; a ready pipe or terminal takes at least PIPE_BUF bytes.
void Sink::write_ready() {
  while (!broken_ && written_ < queue_.size()) {
    pollfd ready{descriptor_, POLLOUT, 0};
    if (poll(&ready, 1, 0) == 1) {
      write_some();
    } else {
      waits_for_room_ = loop_.on_writable(descriptor_, [this] {
        loop_.remove(descriptor_);
        waits_for_room_ = false;
        write_ready();
        wake_waiting();
      });
      if (waits_for_room_) return;
      write_some();
    }
  }
}

void Sink::write_some() {
  constexpr std::size_t kAtOnce = 4096;  // PIPE_BUF: what a ready pipe takes without blocking
  const std::size_t length = std::min(queue_.size() - written_, kAtOnce);
  const ssize_t count = write(descriptor_, queue_.data() + written_, length);
  if (count > 0) {
    written_ += static_cast<std::size_t>(count);
  } else if (count < 0 && errno == EAGAIN) {
    pollfd ready{descriptor_, POLLOUT, 0};  // somebody else made it non-blocking
    poll(&ready, 1, 100);
  } else if (count < 0 && errno != EINTR) {
    const int error = errno;
    broken_ = true;
    written_ = queue_.size();
    on_broken_(error);
  }
  if (written_ == queue_.size()) {
    queue_.clear();
    written_ = 0;
  } else if (written_ > kLimit && written_ > queue_.size() / 2) {  // a long line is not moved again and again
    queue_.erase(0, written_);
    written_ = 0;
  }
}

void Sink::wake_waiting() {
  if (full()) return;
  for (const auto& resume : std::exchange(waiting_, {})) resume();
}

void Sink::drain() {
  while (!broken_ && written_ < queue_.size()) write_some();
}

LineStream::LineStream(EventLoop& loop, Descriptor pipe, Sink& sink, std::string label, Prompts prompts)
    : loop_(loop), pipe_(std::move(pipe)), sink_(sink), label_(std::move(label)), prompts_(prompts) {
  fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  watch();
}

LineStream::~LineStream() { close_pipe(); }

void LineStream::watch() {
  if (pipe_.valid()) loop_.on_readable(pipe_.get(), [this] { read_some(); });
}

void LineStream::read_some() {
  read_once();
  if (sink_.full() && pipe_.valid()) {
    loop_.remove(pipe_.get());
    sink_.when_room([this] { watch(); });
  }
}

bool LineStream::read_once() {
  if (!pipe_.valid()) return false;
  char buffer[64 * 1024];
  const ssize_t count = read(pipe_.get(), buffer, sizeof buffer);
  if (count > 0) {
    take({buffer, static_cast<std::size_t>(count)});
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  close_pipe();
  flush_unfinished();
  return false;
}

void LineStream::take(std::string_view text) {
  const std::size_t newline = text.rfind('\n');
  if (newline != std::string_view::npos) {
    partial_.append(text.substr(0, newline + 1));
    put_lines(partial_);
    partial_.assign(text.substr(newline + 1));
  } else {
    partial_.append(text);
  }
  if (partial_.size() > kLongestLine) flush_unfinished();
  if (prompts_ == Prompts::kYes) expect_prompt();
}

void LineStream::expect_prompt() {
  constexpr std::int64_t kQuietNs = 100'000'000;
  loop_.cancel(prompt_timer_);
  if (!partial_.empty()) prompt_timer_ = loop_.after(kQuietNs, [this] { flush_unfinished(); });
}

void LineStream::put_lines(std::string_view lines) {
  if (label_.empty()) return sink_.put(this, lines);
  std::string labelled;
  labelled.reserve(lines.size() + lines.size() / 8);
  bool needs_label = !sink_.in_line_of(this);
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    if (needs_label) labelled += label_;
    labelled += lines.substr(0, end);
    needs_label = true;
    lines.remove_prefix(end);
  }
  sink_.put(this, labelled);
}

void LineStream::flush_unfinished() {
  if (partial_.empty()) return;
  put_lines(partial_);
  partial_.clear();
}

void LineStream::finish() {
  while (read_once()) {
  }
  close_pipe();
  flush_unfinished();
}

void LineStream::close_pipe() {
  if (!pipe_.valid()) return;
  loop_.cancel(prompt_timer_);
  loop_.remove(pipe_.get());
  pipe_.reset();
}

}  // namespace starling::launch
