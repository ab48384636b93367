// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the system says of a TCP connection. Thread safety: any thread.
#pragma once

#include <netinet/tcp.h>

#include <cstddef>
#include <optional>

namespace starling::transport::tcp {

/// Zeros where the system does not know the socket.
[[nodiscard]] tcp_info info_of(int socket) noexcept;

/// Bytes that were written and that the peer's machine has not acknowledged; none where the system does not say.
[[nodiscard]] std::optional<int> unacknowledged_bytes(int socket) noexcept;

/// About how many bytes more the system takes now.
[[nodiscard]] std::size_t room_of(int socket) noexcept;
/// Whether the system takes about so many bytes more now: all of them, or as many as it tells of by an event.
[[nodiscard]] bool has_room_for(int socket, std::size_t bytes) noexcept;

}  // namespace starling::transport::tcp
