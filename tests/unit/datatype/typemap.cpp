// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "typemap.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "datatype/types/datatype.hpp"

namespace starling::datatype::test {
namespace {

std::int64_t end_of(const Entry& entry) { return entry.displacement + entry.size; }

std::byte* at(const std::byte* base, std::int64_t offset) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(base) + offset);
}

}  // namespace

Typemap::Typemap(Basic type) {
  struct Halves {
    Basic type, value, index;
    std::int64_t index_at;
  };
  static const Halves pairs[] = {
      {Basic::kFloatInt, Basic::kFloat, Basic::kInt, 4},
      {Basic::kDoubleInt, Basic::kDouble, Basic::kInt, 8},
      {Basic::kLongInt, Basic::kLong, Basic::kInt, 8},
      {Basic::k2Int, Basic::kInt, Basic::kInt, 4},
      {Basic::kShortInt, Basic::kShort, Basic::kInt, 4},
      {Basic::kLongDoubleInt, Basic::kLongDouble, Basic::kInt, 16},
      {Basic::k2Real, Basic::kReal, Basic::kReal, 4},
      {Basic::k2DoublePrecision, Basic::kDoublePrecision, Basic::kDoublePrecision, 8},
      {Basic::k2Integer, Basic::kInteger, Basic::kInteger, 4},
  };
  for (const Halves& pair : pairs) {
    if (pair.type != type) continue;
    entries_.push_back({pair.value, 0, info(pair.value).size});
    entries_.push_back({pair.index, pair.index_at, info(pair.index).size});
    return;
  }
  entries_.push_back({type, 0, info(type).size});
}

void Typemap::append(const Typemap& other, std::int64_t displacement) {
  for (const Entry& entry : other.entries_) {
    entries_.push_back({entry.kind, entry.displacement + displacement, entry.size});
  }
  for (const std::int64_t marker : other.lb_markers_) lb_markers_.push_back(marker + displacement);
  for (const std::int64_t marker : other.ub_markers_) ub_markers_.push_back(marker + displacement);
}

void Typemap::append_block(const Typemap& other, std::int64_t displacement, std::int64_t count) {
  const std::int64_t extent = other.extent();
  for (std::int64_t i = 0; i < count; ++i) append(other, displacement + i * extent);
}

void Typemap::resize(std::int64_t lb, std::int64_t extent) {
  lb_markers_ = {lb};
  ub_markers_ = {lb + extent};
}

std::int64_t Typemap::size() const {
  std::int64_t bytes = 0;
  for (const Entry& entry : entries_) bytes += entry.size;
  return bytes;
}

std::int64_t Typemap::true_lb() const {
  if (entries_.empty()) return 0;
  return std::ranges::min_element(entries_, {}, &Entry::displacement)->displacement;
}

std::int64_t Typemap::true_ub() const {
  return entries_.empty() ? 0 : end_of(*std::ranges::max_element(entries_, {}, end_of));
}

std::int64_t Typemap::lb() const { return lb_markers_.empty() ? true_lb() : *std::ranges::min_element(lb_markers_); }

std::int64_t Typemap::ub() const {
  if (!ub_markers_.empty()) return *std::ranges::max_element(ub_markers_);
  std::int64_t alignment = 1;
  for (const Entry& entry : entries_) alignment = std::max<std::int64_t>(alignment, info(entry.kind).alignment);
  std::int64_t upper = true_ub();
  while ((upper - true_lb()) % alignment != 0) ++upper;
  return upper;
}

std::uint64_t Typemap::signature() const {
  std::uint64_t hash = 0;
  for (const Entry& entry : entries_) hash = hash * kSignatureBase + predefined(entry.kind).signature_hash();
  return hash;
}

bool Typemap::is_contiguous() const {
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].displacement != end_of(entries_[i - 1])) return false;
  }
  return extent() == size();
}

std::int64_t Typemap::elements_in(std::int64_t bytes) const {
  if (entries_.empty()) return 0;
  std::int64_t elements = 0;
  while (bytes > 0) {
    bytes -= entries_[static_cast<std::size_t>(elements) % entries_.size()].size;
    ++elements;
  }
  return bytes == 0 ? elements : -1;
}

bool Typemap::overlaps(std::int64_t count) const {
  const std::int64_t step = extent();
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Entry& entry : entries_) {
      places.emplace_back(i * step + entry.displacement, i * step + end_of(entry));
    }
  }
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].first < places[i - 1].second) return true;
  }
  return false;
}

std::vector<std::byte> Typemap::pack(const std::byte* base, std::int64_t count) const {
  const std::int64_t step = extent();
  std::vector<std::byte> packed;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Entry& entry : entries_) {
      const std::byte* from = at(base, i * step + entry.displacement);
      packed.insert(packed.end(), from, from + entry.size);
    }
  }
  return packed;
}

void Typemap::unpack(std::span<const std::byte> packed, std::byte* base, std::int64_t count) const {
  const std::int64_t step = extent();
  std::size_t position = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Entry& entry : entries_) {
      std::memcpy(at(base, i * step + entry.displacement), packed.data() + position,
                  static_cast<std::size_t>(entry.size));
      position += static_cast<std::size_t>(entry.size);
    }
  }
}

Buffer::Buffer(const Typemap& map, std::int64_t count) {
  if (count == 0 || map.entries().empty()) return;
  const std::int64_t last = (count - 1) * map.extent();
  const std::int64_t low = map.true_lb() + std::min<std::int64_t>(0, last);
  const std::int64_t high = map.true_ub() + std::max<std::int64_t>(0, last);
  bytes_.resize(static_cast<std::size_t>(high - low));
  base_ = reinterpret_cast<std::intptr_t>(bytes_.data()) - low;
}

void Buffer::fill(std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random());
}

}  // namespace starling::datatype::test
