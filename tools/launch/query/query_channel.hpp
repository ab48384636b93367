// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What passes between a command and mpiexec's worker over their socket: one message each way, then it is closed.
//
//   word 'SQRY' | protocol, 4 bytes | length, 8 bytes | the Query
//   word 'SQRY' | protocol, 4 bytes | length, 8 bytes | kind, 1 byte | the Answers, or a refusal
//
// Thread safety: values. What is read may come from anybody: a damaged message is refused before it is taken in.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/status.hpp"

namespace starling::launch {

/// An abstract address of this name; the second is its length.
struct SocketAddress {
  sockaddr_un address{};
  socklen_t length = 0;

  [[nodiscard]] static SocketAddress of(std::string_view name);
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

/// A socket of this name that nobody can connect to yet; invalid where that is refused.
[[nodiscard]] Descriptor bound_socket(std::string_view name);

struct ChannelMessage {
  static constexpr std::size_t kHeaderBytes = 16;
  static constexpr std::size_t kLongestQuery = std::size_t{1} << 20;
  static constexpr std::size_t kLongestAnswer = std::size_t{256} << 20;

  [[nodiscard]] static std::string framed(std::string_view body);
  /// The body of a message of which these bytes are the beginning; nothing: more must come. An error: it is none.
  [[nodiscard]] static Result<std::optional<std::string_view>> body_in(std::string_view bytes, std::size_t longest);
};

enum class ChannelReply : char { kAnswers = 'A', kRefusal = 'R' };

}  // namespace starling::launch
