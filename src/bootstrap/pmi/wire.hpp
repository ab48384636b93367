// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Wire: the socket to a PMI launcher, whose number the process has inherited.
// Thread safety: one thread at a time, but send() from any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "memory/kept_file.hpp"

namespace starling::bootstrap {

class Wire {
 public:
  [[nodiscard]] static bool is_socket(int descriptor) noexcept;
  /// Takes the descriptor over, which no program that this process starts inherits. kOther when it is no socket.
  /// deadline_ms: how long receive_line() and receive() wait; 0: without end.
  static Result<Wire> open(int descriptor, std::int64_t deadline_ms);

  Status send(std::string_view bytes) noexcept;
  /// Waits for the next line; without its end.
  Result<std::string> receive_line();
  /// Waits for so many bytes.
  Result<std::string> receive(std::size_t bytes);
  [[nodiscard]] std::int64_t deadline_ms() const noexcept { return deadline_ms_; }
  /// Whether the last wait was in vain.
  [[nodiscard]] bool timed_out() const noexcept { return timed_out_; }

 private:
  Wire(memory::KeptFile socket, std::int64_t deadline_ms) noexcept
      : socket_(std::move(socket)), deadline_ms_(deadline_ms) {}
  Status fill();
  /// The error of a socket that is closed. A program that was not the first to speak finds it so.
  [[nodiscard]] Status closed(const char* how) const;
  Status wait_for_bytes();

  memory::KeptFile socket_;
  std::int64_t deadline_ms_;
  bool has_answered_ = false;
  bool timed_out_ = false;
  std::string received_;  ///< and not yet returned
};

}  // namespace starling::bootstrap
