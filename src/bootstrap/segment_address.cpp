// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/segment_address.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

template <typename Number>
bool take_number(std::string_view* text, int base, Number* number) {
  const auto [rest, error] = std::from_chars(text->data(), text->data() + text->size(), *number, base);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(rest - text->data()));
  if (text->starts_with('.')) text->remove_prefix(1);
  return true;
}

Status gone(std::int32_t pid, const char* why) {
  return Status::error(
      ErrorClass::kOther,
      formatted("the shared memory of process {} cannot be opened: {}. Has that process ended, or does "
                "it belong to another user or container?",
                pid, why));
}

}  // namespace

SegmentAddress SegmentAddress::of(const memory::JobSegment& segment) {
  return {static_cast<std::int32_t>(getpid()), segment.descriptor(), segment.header().id};
}

std::string SegmentAddress::text() const {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%" PRId32 ".%" PRId32 ".%" PRIx64, pid, descriptor, id);
  return buffer;
}

Result<SegmentAddress> SegmentAddress::parse(std::string_view text) {
  SegmentAddress address;
  std::string_view rest = text;
  const bool good = take_number(&rest, 10, &address.pid) && take_number(&rest, 10, &address.descriptor) &&
                    take_number(&rest, 16, &address.id) && rest.empty();
  if (good) return address;
  return Status::error(ErrorClass::kArg, std::string(text) + " is not the address of a segment");
}

Result<std::unique_ptr<memory::JobSegment>> SegmentAddress::open() const {
  Descriptor file = open_descriptor_of(pid, descriptor);
  if (!file.valid()) return gone(pid, std::strerror(errno));
  Result<std::unique_ptr<memory::JobSegment>> segment = memory::JobSegment::attach(file.release());
  if (!segment.ok()) return segment;
  if (segment.value()->header().id != id) return gone(pid, "the process has closed it");
  return segment;
}

Descriptor open_descriptor_of(std::int32_t pid, std::int32_t descriptor) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%" PRId32 "/fd/%" PRId32, pid, descriptor);
  return Descriptor(::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

}  // namespace starling::bootstrap
