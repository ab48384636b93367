// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LineSink: what takes the lines of ranks: standard output or error of mpiexec, or the link to it from another host.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <functional>
#include <string_view>

#include "base/id.hpp"

namespace starling::launch {

class LineSink {
 public:
  LineSink() = default;
  virtual ~LineSink() = default;
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;

  /// Takes whole lines, or a piece of one, of a writer: a rank, or none for the launcher itself. Two writers never
  /// share a line.
  virtual void put(WorldRank writer, std::string_view text) = 0;
  /// Whoever can wait shall wait until there is room.
  [[nodiscard]] virtual bool full() const noexcept = 0;
  /// Calls resume once there is room again.
  virtual void when_room(std::function<void()> resume) = 0;
};

}  // namespace starling::launch
