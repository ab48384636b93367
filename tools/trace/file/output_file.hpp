// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OutputFile: a file that is written in large pieces. After a first failure it keeps quiet, and close() says what it
// was. Thread safety: none.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/status.hpp"

namespace starling::trace {

class OutputFile {
 public:
  /// Makes the file, or empties it, once there is something to write.
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  [[nodiscard]] bool failed() const { return error_ != 0; }
  /// What has failed, if anything has.
  Status close();

 private:
  void open();

  std::string path_;
  int file_ = -1;
  int error_ = 0;
};

}  // namespace starling::trace
