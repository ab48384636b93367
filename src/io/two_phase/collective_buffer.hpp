// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CollectiveBuffer: an aggregator's buffer for a stretch of the file, and the read or write of it that may be under
// way. Thread safety: one thread at a time; while the job is not done it belongs to the worker. Invariants: the buffer
// is used for the next stretch only once the job is done.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "io/operation/operation_runner.hpp"
#include "io/two_phase/coverage.hpp"

namespace starling::io {

class CollectiveBuffer final : private Job {
 public:
  explicit CollectiveBuffer(OperationRunner& runner) : runner_(runner) { mark_done(); }
  ~CollectiveBuffer() override { wait_until_done(); }

  /// Makes the buffer stand for this stretch of the file.
  void place(const FileRange& range);
  [[nodiscard]] const FileRange& range() const noexcept { return range_; }
  [[nodiscard]] std::byte* at(std::int64_t offset) noexcept { return buffer_.get() + (offset - range_.first); }

  /// What has been put into the buffer, to be written.
  [[nodiscard]] Coverage& coverage() noexcept { return coverage_; }
  void start_write(PosixFile& file);
  /// Reads a part of the stretch; what lies behind the end of the file becomes zero.
  void start_read(PosixFile& file, const FileRange& part);

  [[nodiscard]] bool is_idle() const noexcept { return done(); }
  /// Of the last read or write.
  [[nodiscard]] Status take_failure() noexcept { return std::move(failure_); }

 private:
  void start(PosixFile& file, Direction direction);
  void execute() override;

  OperationRunner& runner_;
  FileRange range_;
  std::unique_ptr<std::byte[]> buffer_;
  std::int64_t capacity_ = 0;
  Coverage coverage_;
  PosixFile* file_ = nullptr;
  Direction direction_ = Direction::kRead;
  std::vector<FilePiece> pieces_;
  Status failure_;
};

}  // namespace starling::io
