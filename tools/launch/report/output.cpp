// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"

namespace starling::launch {
namespace {

std::string time_label() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  localtime_r(&now.tv_sec, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return formatted("{}.{:03} ", std::string_view(text, length), now.tv_nsec / kMillisecond);
}

}  // namespace

Sink::Sink(EventLoop& loop, int descriptor, Labels labels, std::function<void(int)> on_broken)
    : loop_(loop), descriptor_(descriptor), labels_(labels), on_broken_(std::move(on_broken)) {}

void Sink::put(WorldRank writer, std::string_view text) {
  if (broken_ || text.empty()) return;
  if (in_line_ && writer_ != writer) {
    queue_ += '\n';
    in_line_ = false;
  }
  append(writer, text);
  in_line_ = text.back() != '\n';
  writer_ = writer;
  if (!waits_for_room_) write_ready();
}

void Sink::append(WorldRank writer, std::string_view text) {
  if (!(labels_.ranks || labels_.times) || writer.is_none()) {
    queue_.append(text);
    return;
  }
  std::string label = labels_.times ? time_label() : std::string();
  if (labels_.ranks) label += formatted("[{}] ", writer.value);
  bool needs_label = !in_line_;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (needs_label) queue_ += label;
    queue_ += text.substr(0, end);
    needs_label = true;
    text.remove_prefix(end);
  }
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

LineStream::LineStream(EventLoop& loop, Descriptor pipe, LineSink& sink, WorldRank writer, Prompts prompts)
    : loop_(loop), pipe_(std::move(pipe)), sink_(sink), writer_(writer), prompts_(prompts) {
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
    sink_.put(writer_, partial_);
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

void LineStream::flush_unfinished() {
  if (partial_.empty()) return;
  sink_.put(writer_, partial_);
  partial_.clear();
}

void LineStream::finish() {
  // A process that is not the job's may have the other end, and write on without end.
  constexpr int kMostReads = 256;
  for (int i = 0; i < kMostReads && read_once(); ++i) {
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
