// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LineFile: an Output into a file that a killed and resumed run neither misses a line of nor repeats one. It is opened
// by the first line, so only where Output runs. Where a journal is kept and the Output around it has no mark and
// resume, or does not pass resume on, it refuses to write: the lines of the earlier run would be cut off.
//
// Thread safety: one thread.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "starling/farm/output_call.hpp"

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
    if (file_ < 0) open_for_first_line();
    const std::string line = text + "\n";
    const ssize_t written = ::pwrite(file_, line.data(), line.size(), static_cast<off_t>(size_));
    if (written != static_cast<ssize_t>(line.size())) fail("write", written < 0 ? errno : ENOSPC);
    size_ += line.size();
  }
  void operator()(const std::string& text) { write(text); }

  /// What the farm notes with every result, and where it goes back to. Throws std::runtime_error if the file is
  /// shorter.
  std::uint64_t mark() const { return size_; }
  void resume(std::uint64_t mark) {
    if (file_ < 0) open();
    struct stat found {};
    if (::fstat(file_, &found) != 0) fail("look at", errno);
    if (static_cast<std::uint64_t>(found.st_size) < mark) {
      throw std::runtime_error("cannot go on with " + path_ + ": it has " + std::to_string(found.st_size) +
                               " bytes, and had " + std::to_string(mark) +
                               " when its last line was noted; put the whole file back, or begin afresh: without "
                               "--resume and with another journal");
    }
    cut(mark);
  }

 private:
  void open_for_first_line() {
    const detail::OutputCall call = detail::output_call();
    if (call == detail::OutputCall::kNotedWithoutMark) {
      throw std::runtime_error("cannot write " + path_ + " for a run with a journal: " +
                               "its Output is a lambda, a std::function or a class without mark() and resume(), so " +
                               "--resume could not go on with the file; use LineFile itself or std::ref of it as " +
                               "Output, or a class with mark() and resume() that pass on to it");
    }
    open();
    struct stat found {};
    if (call == detail::OutputCall::kResumed && !made_in_call_ && ::fstat(file_, &found) == 0 && found.st_size > 0) {
      throw std::runtime_error("cannot write " + path_ + ": this run goes on with an earlier one, and the Output's " +
                               "resume() did not call that of the LineFile, so its " + std::to_string(found.st_size) +
                               " bytes would be lost; pass resume() on to each LineFile");
    }
    cut(0);
  }
  void open() {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) fail("open", errno);
  }
  void cut(std::uint64_t size) {
    if (::ftruncate(file_, static_cast<off_t>(size)) != 0 && (size > 0 || errno != EINVAL)) fail("cut", errno);
    size_ = size;
  }
  [[noreturn]] void fail(const char* what, int error) const {
    throw std::runtime_error("cannot " + std::string(what) + " " + path_ + ": " + std::strerror(error));
  }

  const std::string path_;
  const bool made_in_call_ = detail::output_call() != detail::OutputCall::kNone;  ///< One result's own file.
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace starling::farm
