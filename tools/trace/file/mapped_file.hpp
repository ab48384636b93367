// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MappedFile: a file in memory, to be read.
// Thread safety: immutable.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.hpp"

namespace starling::trace {

class MappedFile {
 public:
  static Result<std::unique_ptr<MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  /// Gives back the memory of what has been read so far; it is read again where it is needed.
  void release() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

/// What is said of a file that cannot be read.
Status unreadable(const std::string& path, const std::string& why);

}  // namespace starling::trace
