// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Merges the output of many ranks into ours without tearing lines apart.
//
// A Sink is our standard output or error: it queues text and writes it when the reader takes it, so a slow reader stops
// the ranks (their pipes fill up), not the launcher. A LineStream is one pipe of one rank: it hands whole lines to a
// sink, here or on another host. Only a line longer than kLongestLine (16 MiB), a prompt and a last line without
// newline go out unfinished, and the sink ends such a line before another stream writes. So the bytes of a lone writer
// arrive unchanged. Thread safety: none, for the event loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/report/line_sink.hpp"

namespace starling::launch {

/// What each line of a rank begins with: the time of its coming ("2026-11-25 18:45:01.123 "), "[rank] ", both or
/// nothing.
struct Labels {
  bool ranks = false;
  bool times = false;
};

class Sink final : public LineSink {
 public:
  /// The descriptor is not owned. on_broken is called once, with errno, when nothing can be written any more: EPIPE
  /// when nobody reads, ENOSPC on a full disk.
  Sink(EventLoop& loop, int descriptor, Labels labels, std::function<void(int error)> on_broken);

  void put(WorldRank writer, std::string_view text) override;
  /// Writes all that is queued, however long the reader takes.
  void drain();
  [[nodiscard]] bool full() const noexcept override { return queue_.size() - written_ > kLimit; }
  void when_room(std::function<void()> resume) override { waiting_.push_back(std::move(resume)); }

 private:
  static constexpr std::size_t kLimit = 256 * 1024;
  void append(WorldRank writer, std::string_view text);
  void write_some();
  void write_ready();
  void wake_waiting();

  EventLoop& loop_;
  int descriptor_;
  Labels labels_;
  std::function<void(int)> on_broken_;
  std::string queue_;
  std::size_t written_ = 0;
  bool waits_for_room_ = false;
  bool broken_ = false;
  bool in_line_ = false;  ///< the last line is not finished
  WorldRank writer_;      ///< of the last line
  std::vector<std::function<void()>> waiting_;
};

class LineStream {
 public:
  static constexpr std::size_t kLongestLine = 16 * 1024 * 1024;

  /// Whether an unfinished line may be a question to somebody at the terminal, who should see it soon.
  enum class Prompts { kNo, kYes };

  /// Takes the reading end of the pipe over.
  LineStream(EventLoop& loop, Descriptor pipe, LineSink& sink, WorldRank writer, Prompts prompts);
  ~LineStream();
  LineStream(const LineStream&) = delete;
  LineStream& operator=(const LineStream&) = delete;

  /// Reads what is still in the pipe and hands an unfinished last line over; the pipe is closed.
  void finish();

 private:
  void flush_unfinished();
  void expect_prompt();
  void watch();
  void read_some();
  /// Reads once; false: nothing there now, or the end.
  bool read_once();
  void take(std::string_view text);
  void close_pipe();

  EventLoop& loop_;
  Descriptor pipe_;
  LineSink& sink_;
  WorldRank writer_;
  Prompts prompts_;
  EventLoop::TimerId prompt_timer_ = 0;
  std::string partial_;
};

}  // namespace starling::launch
