// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SegmentAddress: where a process that has not inherited a segment finds it: among the open descriptors of a process
// that has it. Shared memory has no name and leaves nothing behind; /proc/<pid>/fd/<descriptor> opens it for processes
// of the same user while that process has it open. Thread safety: a value type.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::bootstrap {

struct SegmentAddress {
  std::int32_t pid = 0;
  std::int32_t descriptor = -1;
  std::uint64_t id = 0;  ///< JobHeader::id: the number of a descriptor may have come to mean another file

  /// Of a segment that this process has open.
  static SegmentAddress of(const memory::JobSegment& segment);

  /// "<pid>.<descriptor>.<id in hexadecimal>"
  [[nodiscard]] std::string text() const;
  static Result<SegmentAddress> parse(std::string_view text);

  /// Maps the segment. kOther with the reason when it is not there any more or may not be opened.
  [[nodiscard]] Result<std::unique_ptr<memory::JobSegment>> open() const;
};

/// Opens the file that another process has open under a number; invalid, with errno set, when that fails.
[[nodiscard]] Descriptor open_descriptor_of(std::int32_t pid, std::int32_t descriptor) noexcept;

}  // namespace starling::bootstrap
