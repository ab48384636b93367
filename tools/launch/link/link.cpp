// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/link/link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/clock.hpp"

namespace starling::launch {

Link::Link(EventLoop& loop, Descriptor reading, Descriptor writing, const Greeting& own, Handlers handlers)
    : loop_(loop),
      reading_(std::move(reading)),
      writing_(std::move(writing)),
      reader_(own),
      handlers_(std::move(handlers)),
      queue_(own.line()) {
  for (const Descriptor* descriptor : {&reading_, &writing_}) {
    fcntl(descriptor->get(), F_SETFL, fcntl(descriptor->get(), F_GETFL) | O_NONBLOCK);
  }
  loop_.on_readable(reading_.get(), [this] { read_some(); });
  write_some();
}

void Link::send(const Frame& frame) {
  if (!writing_.valid()) return;
  frame.append_to(queue_);
  if (!waits_for_room_) write_some();
}

void Link::write_some() {
  constexpr std::size_t kWorthMoving = 256 * 1024;
  while (writing_.valid() && written_ < queue_.size()) {
    const ssize_t count = write(writing_.get(), queue_.data() + written_, queue_.size() - written_);
    if (count > 0) {
      written_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      return stop_writing();  // what the other end has said before it left can still be read
    }
  }
  if (written_ == queue_.size() || written_ > kWorthMoving) {
    queue_.erase(0, written_);
    written_ = 0;
  }
  if (!idle()) wait_for_room();
}

void Link::wait_for_room() {
  if (waits_for_room_) return;
  waits_for_room_ = loop_.on_writable(writing_.get(), [this] {
    loop_.remove(writing_.get());
    waits_for_room_ = false;
    write_some();
  });
}

void Link::stop_writing() {
  if (waits_for_room_) loop_.remove(writing_.get());
  waits_for_room_ = false;
  writing_.reset();
  queue_.clear();
  written_ = 0;
}

void Link::flush(std::int64_t patience_ns) {
  const std::int64_t deadline = now_ns() + patience_ns;
  while (!idle() && now_ns() < deadline) {
    pollfd ready{writing_.get(), POLLOUT, 0};
    constexpr int kPauseMs = 10;
    poll(&ready, 1, kPauseMs);
    write_some();
  }
}

void Link::read_some() {
  char buffer[64 * 1024];
  const ssize_t count = read(reading_.get(), buffer, sizeof buffer);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return end({});
  reader_.take({buffer, static_cast<std::size_t>(count)});
  serve_frames();
}

void Link::serve_frames() {
  while (reading_.valid()) {
    Result<std::optional<Frame>> next = reader_.next();
    if (!next.ok()) return end(next.status().message());
    if (!next.value()) return;
    handlers_.on_frame(std::move(*next.value()));
  }
}

void Link::end(const std::string& why) {
  close();
  handlers_.on_end(why);
}

void Link::close() {
  if (writing_.valid()) stop_writing();
  if (!reading_.valid()) return;
  loop_.remove(reading_.get());
  reading_.reset();
}

}  // namespace starling::launch
