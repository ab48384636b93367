// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/format.hpp"
#include "memory/arena.hpp"
#include "memory/page.hpp"
#include "memory/shared_file.hpp"

namespace starling::memory {
namespace {

/// Beyond this no file reaches.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;

Status refused(std::uint64_t bytes, const char* what) {
  return Status::error(ErrorClass::kNoMem,
                       formatted("{} bytes of shared memory cannot be {}: {} (see ulimit -f and ulimit -v)", bytes,
                                 what, std::strerror(errno)));
}

}  // namespace

Result<std::unique_ptr<Region>> Region::create(JobSegment& segment, std::uint64_t bytes) {
  if (bytes > kLargest) return Status::error(ErrorClass::kNoMem, formatted("no memory holds {} bytes", bytes));
  const std::uint64_t rounded = std::max((bytes + kPage - 1) / kPage * kPage, kPage);
  Place place{0, rounded};
  Result<int> descriptor = segment.file();
  if (!descriptor.ok()) return std::move(descriptor).status();
  {
    const Arena::Guard guard(segment);
    std::atomic<std::uint64_t>& end = segment.header().regions_end;
    place.offset = end.load(std::memory_order_relaxed);
    struct stat file {};
    if (fstat(descriptor.value(), &file) != 0) return refused(rounded, "allocated");
    // The file never gets shorter: a slow process may still map a place that was given back.
    const bool long_enough = static_cast<std::uint64_t>(file.st_size) >= place.offset + rounded;
    if (!long_enough && !resize_file(descriptor.value(), place.offset + rounded)) return refused(rounded, "allocated");
    end.store(place.offset + rounded, std::memory_order_relaxed);
  }
  Result<std::unique_ptr<Region>> made = attach(segment, place);
  if (!made.ok()) Region(segment, place, nullptr).give_back(Arena::Guard(segment));
  return made;
}

Result<std::unique_ptr<Region>> Region::attach(JobSegment& segment, const Place& place) {
  Result<int> file = segment.file();
  if (!file.ok()) return std::move(file).status();
  void* data = mmap(nullptr, place.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.value(),
                    static_cast<off_t>(place.offset));
  if (data == MAP_FAILED) return refused(place.bytes, "mapped");
  return std::unique_ptr<Region>(new Region(segment, place, static_cast<std::byte*>(data)));
}

Region::~Region() {
  if (data_ != nullptr) munmap(data_, place_.bytes);
}

Status Region::commit(std::uint64_t begin, std::uint64_t bytes) const {
  if (bytes == 0) return {};
  Result<int> file = segment_.file();
  return file.ok() ? commit_file(file.value(), place_.offset + begin, bytes) : std::move(file).status();
}

void Region::give_back(const Arena::Guard& /*guard*/) {
  const Result<int> file = segment_.file();
  if (file.ok()) {
    fallocate(file.value(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place_.offset),
              static_cast<off_t>(place_.bytes));
  }
  std::atomic<std::uint64_t>& end = segment_.header().regions_end;
  if (end.load(std::memory_order_relaxed) == place_.offset + place_.bytes) {
    end.store(place_.offset, std::memory_order_relaxed);
  }
}

}  // namespace starling::memory
