// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "image.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace starling::array::detail {

namespace {

constexpr std::uintptr_t kPage = 4096;  // the unit in which zeros are left out; the system's may be larger

bool is_zero(const char* from, const char* to) {
  return from == to || (*from == 0 && std::memcmp(from, from + 1, static_cast<std::size_t>(to - from) - 1) == 0);
}

}  // namespace

void Image::add(const char* from, const char* to) {
  while (from < to) {
    const std::uintptr_t until = (reinterpret_cast<std::uintptr_t>(from) / kPage + 1) * kPage;
    const char* end = std::min(to, from + (until - reinterpret_cast<std::uintptr_t>(from)));
    if (!is_zero(from, end)) add_page(from, end);
    from = end;
  }
}

void Image::add_page(const char* from, const char* to) {
  if (!parts_.empty() && parts_.back().second == from) {
    parts_.back().second = to;
  } else {
    parts_.emplace_back(from, to);
  }
}

std::size_t Image::bytes() const {
  std::size_t sum = 0;
  for (const auto& [from, to] : parts_) sum += static_cast<std::size_t>(to - from);
  return sum;
}

void Image::pack(Archive& archive) const {
  archive(static_cast<std::uint64_t>(parts_.size()));
  for (const auto& [from, to] : parts_) {
    const auto size = static_cast<std::size_t>(to - from);
    archive(reinterpret_cast<std::uintptr_t>(from), size);
    archive.bytes(const_cast<char*>(from), size);
  }
}

void Image::unpack(Archive& archive, char* from, char* to) {
  std::uint64_t count = 0;
  archive(count);
  for (; count > 0; --count) {
    std::uintptr_t at = 0;
    std::size_t size = 0;
    archive(at, size);
    const auto begin = reinterpret_cast<std::uintptr_t>(from);
    const auto room = static_cast<std::size_t>(to - from);
    if (at < begin || at - begin > room || size > room - (at - begin)) {
      throw ArchiveError("the memory of a rank that arrives lies outside of its place: the processes differ");
    }
    archive.bytes(from + (at - begin), size);
  }
}

}  // namespace starling::array::detail
