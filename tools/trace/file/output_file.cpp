// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/file/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace starling::trace {

void OutputFile::open() {
  if (file_ >= 0 || error_ != 0) return;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) error_ = errno;
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

void OutputFile::write(std::string_view bytes) {
  open();
  while (!bytes.empty() && error_ == 0) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      error_ = errno;
  }
}

Status OutputFile::close() {
  if (file_ >= 0 && ::close(file_) != 0 && error_ == 0) error_ = errno;
  file_ = -1;
  if (error_ == 0) return Status();
  return Status::error(error_ == ENOSPC ? ErrorClass::kNoSpace : ErrorClass::kIo,
                       formatted("{} cannot be written: {}", path_, std::strerror(error_)));
}

}  // namespace starling::trace
