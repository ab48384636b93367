// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Wire: the socket to a PMI launcher, whose number the process has inherited.
// Thread safety: one thread at a time, but send() from any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "memory/kept_file.hpp"

namespace starling::bootstrap {

class Wire {
 public:
  [[nodiscard]] static bool is_socket(int descriptor) noexcept;
  /// Takes the descriptor over, which no program that this process starts inherits. kOther when it is no socket.
  static Result<Wire> open(int descriptor);

  Status send(std::string_view bytes) noexcept;
  /// Waits for the next line; without its end.
  Result<std::string> receive_line();
  /// Waits for so many bytes.
  Result<std::string> receive(std::size_t bytes);

 private:
  explicit Wire(memory::KeptFile socket) noexcept : socket_(std::move(socket)) {}
  Status fill();

  memory::KeptFile socket_;
  std::string received_;  ///< and not yet returned
};

}  // namespace starling::bootstrap
