// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/far/combs.hpp"

#include <array>
#include <cstring>

#include "datatype/pack/pack.hpp"

namespace starling::rma {
namespace {

/// Parts begin at address 0, but a cursor computes with pointers, of which a null pointer is none.
constexpr std::uint64_t kBias = std::uint64_t{1} << 48;

std::byte* bytes_at(std::uint64_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Calls move(memory, bytes) for each stretch.
template <typename Move>
void for_stretches(std::span<const Comb> combs, std::uint64_t base, Move&& move) noexcept {
  for (const Comb& comb : combs) {
    std::uint64_t at = base + comb.address;
    for (std::uint64_t i = 0; i < comb.count; ++i, at += static_cast<std::uint64_t>(comb.stride)) {
      move(bytes_at(at), comb.bytes);
    }
  }
}

}  // namespace

void CombList::add(std::uint64_t address, std::uint64_t bytes) {
  if (!combs_.empty() && combs_.back().bytes == bytes) {
    Comb& last = combs_.back();
    if (last.count == 1) last.stride = static_cast<std::int64_t>(address - last.address);
    if (address == last.address + last.count * static_cast<std::uint64_t>(last.stride)) {
      ++last.count;
      return;
    }
  }
  combs_.push_back({address, bytes});
}

std::span<const Comb> CombList::next(std::int64_t bytes) {
  combs_.clear();
  if (place_.type->is_contiguous()) {
    add(address_ + static_cast<std::uint64_t>(place_.type->true_lb() + position_), static_cast<std::uint64_t>(bytes));
    position_ += bytes;
    return combs_;
  }
  datatype::PackCursor cursor(*place_.type, bytes_at(address_ + kBias), place_.count);
  cursor.seek(position_);
  position_ += bytes;
  std::array<datatype::MemoryRun, 256> runs;
  while (cursor.position() < position_) {
    const std::size_t found = cursor.next_runs(runs, position_ - cursor.position());
    for (std::size_t i = 0; i < found; ++i) add(reinterpret_cast<std::uint64_t>(runs[i].data) - kBias, runs[i].bytes);
  }
  return combs_;
}

void gather(std::span<const Comb> combs, std::uint64_t base, std::byte* out) noexcept {
  for_stretches(combs, base, [&](const std::byte* memory, std::uint64_t bytes) {
    std::memcpy(out, memory, bytes);
    out += bytes;
  });
}

void scatter(std::span<const Comb> combs, std::uint64_t base, const std::byte* in) noexcept {
  for_stretches(combs, base, [&](std::byte* memory, std::uint64_t bytes) {
    std::memcpy(memory, in, bytes);
    in += bytes;
  });
}

std::byte* one_stretch(std::span<const Comb> combs, std::uint64_t base) noexcept {
  const bool one = combs.size() == 1 && combs.front().count == 1;
  return one ? bytes_at(base + combs.front().address) : nullptr;
}

}  // namespace starling::rma
