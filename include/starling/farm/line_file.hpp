// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LineFile: an Output into a file that a killed and resumed run neither misses a line of nor repeats one. It is opened
// by the first line, so only where Output runs.
//
// Thread safety: one thread.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace starling::farm {

class LineFile {
 public:
  explicit LineFile(std::string path) : path_(std::move(path)) {}
  ~LineFile() {
    if (file_ >= 0) ::close(file_);
  }
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Appends the text and an end of line. Throws std::runtime_error if it cannot be written whole.
  void write(const std::string& text) {
    open(0);
    const std::string line = text + "\n";
    const ssize_t written = ::pwrite(file_, line.data(), line.size(), static_cast<off_t>(size_));
    if (written != static_cast<ssize_t>(line.size())) fail("write", written < 0 ? errno : ENOSPC);
    size_ += line.size();
  }
  void operator()(const std::string& text) { write(text); }

  /// What the farm notes with every result, and where it goes back to.
  std::uint64_t mark() const { return size_; }
  void resume(std::uint64_t mark) { open(mark); }

 private:
  void open(std::uint64_t size) {
    if (file_ >= 0) return;
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(size)) != 0) fail("open", errno);
    size_ = size;
  }
  [[noreturn]] void fail(const char* what, int error) const {
    throw std::runtime_error("cannot " + std::string(what) + " " + path_ + ": " + std::strerror(error));
  }

  const std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace starling::farm
