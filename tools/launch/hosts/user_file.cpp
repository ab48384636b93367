// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/user_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace starling::launch {
namespace {

constexpr std::size_t kLargest = 16 << 20;

/// A control character other than white space.
bool is_in_no_text(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < ' ' && std::isspace(code) == 0) || code == 0x7f;
}

Status unreadable() { return Status::error(ErrorClass::kArg, formatted("cannot be read: {}", std::strerror(errno))); }

}  // namespace

Result<std::string> read_user_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unreadable();
  std::string text;
  char piece[65536];
  ssize_t count = 0;
  do {
    count = read(file, piece, sizeof piece);
    if (count > 0) text.append(piece, static_cast<std::size_t>(count));
  } while ((count > 0 && text.size() <= kLargest) || (count < 0 && errno == EINTR));
  Status status = count < 0 ? unreadable() : Status();
  close(file);
  if (!status.ok()) return status;
  if (text.size() > kLargest)
    return Status::error(ErrorClass::kArg, "has more than 16 MiB, which no list of hosts or programs has");
  const auto strange = std::ranges::find_if(text, is_in_no_text);
  if (strange == text.end()) return text;
  return Status::error(ErrorClass::kArg, formatted("is no text: its byte {} is 0x{:02x}", strange - text.begin(),
                                                   static_cast<unsigned char>(*strange)));
}

}  // namespace starling::launch
