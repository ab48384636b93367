// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankInput: what mpiexec reads from its standard input, on its last way: a pipe into rank 0.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"

namespace starling::launch {

class RankInput {
 public:
  /// taken(bytes): the pipe has taken so many. closed(): rank 0 reads no more.
  RankInput(EventLoop& loop, std::function<void(std::uint64_t bytes)> taken, std::function<void()> closed)
      : loop_(loop), taken_(std::move(taken)), closed_(std::move(closed)) {}
  ~RankInput() { close(); }
  RankInput(const RankInput&) = delete;
  RankInput& operator=(const RankInput&) = delete;

  /// Makes the pipe; the end for rank 0 to read, which is invalid, with errno, when there is none.
  [[nodiscard]] Descriptor open();
  void put(std::string_view bytes);
  /// No more will come: rank 0 sees the end once it has read all.
  void end();

 private:
  void write_some();
  void close();

  EventLoop& loop_;
  std::function<void(std::uint64_t)> taken_;
  std::function<void()> closed_;
  Descriptor pipe_;
  std::string pending_;
  bool waits_ = false;
  bool ending_ = false;
};

}  // namespace starling::launch
