// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where a job that lets others change its number of processes is asked: a socket of its first process, whose name has
// that process's number, in the machine's table of names that belong to no file. So it goes with the process.
//
// What is said: the one who asks writes the number and the end of the line, and waits. The answer is a line as well:
// kDone or kRefused, and a sentence. Who closes the socket before has taken the question back.
//
// Thread safety: pure functions.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace starling::observe {

inline constexpr std::string_view kResizeName = "starling-resize-";  // and the number of the process
inline constexpr char kResizeDone = '+';
inline constexpr char kResizeRefused = '-';

struct ResizeAddress {
  explicit ResizeAddress(pid_t process) {
    const std::string name = std::string(kResizeName) + std::to_string(process);
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path + 1);  // behind the byte 0 that makes it a name without a file
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t size = 0;
};

}  // namespace starling::observe
