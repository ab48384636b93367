// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/shared_settings.hpp"

#include <sched.h>

#include <cstring>

#include "base/format.hpp"

namespace starling::memory {

Result<std::string> share_settings(JobSegment& segment, const std::string& text) {
  JobHeader& header = segment.header();
  if (text.size() >= JobHeader::kSettingsBytes) {
    return Status::error(
        ErrorClass::kArg,
        formatted("the settings that all ranks share take {} bytes as text, and there is room for {}; leave "
                  "out settings that equal the default",
                  text.size(), JobHeader::kSettingsBytes - 1));
  }
  std::uint32_t found = JobHeader::kNone;
  if (header.settings_state.compare_exchange_strong(found, JobHeader::kBeingWritten, std::memory_order_acquire)) {
    std::memcpy(header.settings, text.c_str(), text.size() + 1);
    header.settings_state.store(JobHeader::kWritten, std::memory_order_release);
    return text;
  }
  // The writer only copies some bytes. One that dies at this point must not block the others for ever.
  constexpr int kPatience = 1'000'000;
  for (int turn = 0; turn < kPatience; ++turn) {
    if (header.settings_state.load(std::memory_order_acquire) == JobHeader::kWritten)
      return std::string(header.settings);
    sched_yield();
  }
  return text;
}

}  // namespace starling::memory
