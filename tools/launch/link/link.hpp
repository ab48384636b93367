// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Link: one end of the connection between the head of a job and an agent: frames over a descriptor to read and one to
// write, which are the agent's standard input and output, through a remote shell or a pipe.
//
// What is sent is queued without a limit: whoever sends bounds it (Window, for output and input), so that news of
// deaths never wait for a slow reader. Thread safety: none, for the event loop's thread. Invariants: on_end is called
// once, and no frame comes after it.
#pragma once

#include <functional>
#include <string>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/link/frame.hpp"

namespace starling::launch {

class Link {
 public:
  struct Handlers {
    std::function<void(Frame)> on_frame;
    /// why: empty when the other end has closed the link, else the rest of a sentence.
    std::function<void(const std::string& why)> on_end;
  };

  /// Begins with the greeting.
  Link(EventLoop& loop, Descriptor reading, Descriptor writing, const Greeting& own, Handlers handlers);
  ~Link() { close(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void send(const Frame& frame);
  /// Nothing is left to write.
  [[nodiscard]] bool idle() const noexcept { return !writing_.valid() || written_ == queue_.size(); }
  /// Writes what is queued, for as long as the other end takes it within the time.
  void flush(std::int64_t patience_ns);

  [[nodiscard]] bool ended() const noexcept { return !reading_.valid(); }
  [[nodiscard]] bool greeted() const noexcept { return reader_.greeted(); }
  /// What the other end wrote before Starling's greeting.
  [[nodiscard]] std::string banner() const { return reader_.banner(); }
  /// The other end sees the end of the link; on_end is not called.
  void close();

 private:
  void read_some();
  void serve_frames();
  void write_some();
  void wait_for_room();
  void stop_writing();
  void end(const std::string& why);

  EventLoop& loop_;
  Descriptor reading_;
  Descriptor writing_;
  FrameReader reader_;
  Handlers handlers_;
  std::string queue_;
  std::size_t written_ = 0;
  bool waits_for_room_ = false;
};

}  // namespace starling::launch
