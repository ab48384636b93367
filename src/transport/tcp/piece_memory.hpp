// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PieceMemory: room for a piece of a payload with its frame, and a few that a rank keeps for the next pieces: memory
// that is new costs a fault for each of its pages.
// Thread safety: the world's lock.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "transport/tcp/frame.hpp"

namespace starling::transport::tcp {

struct FreeMemory {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using PieceMemory = std::unique_ptr<std::byte[], FreeMemory>;

class PiecePool {
 public:
  static constexpr std::size_t kBytes = PaddedFrame::kBytes + kPieceBytes;

  [[nodiscard]] PieceMemory take() {
    if (!spare_.empty()) {
      PieceMemory taken = std::move(spare_.back());
      spare_.pop_back();
      return taken;
    }
    constexpr std::size_t kPage = 4096;  // see PaddedFrame
    PieceMemory made(static_cast<std::byte*>(std::aligned_alloc(kPage, (kBytes + kPage - 1) / kPage * kPage)));
    if (!made) throw std::bad_alloc();
    return made;
  }
  void give(PieceMemory memory) {
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(memory));
  }

 private:
  static constexpr std::size_t kMostSpare = 32;

  std::vector<PieceMemory> spare_;
};

}  // namespace starling::transport::tcp
