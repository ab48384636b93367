// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NodeBlocks: a block of bytes for each rank, node by node, as blocks travel between nodes. Where the ranks of each
// node follow each other and the caller's buffer is contiguous it is that buffer, else a copy. Thread safety: none;
// belongs to one coroutine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collective/levels/levels.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

class NodeBlocks {
 public:
  /// buffer: the caller's, a block for each rank in rank order, each of `count` elements; null: there is none here.
  NodeBlocks(Call& call, const void* buffer, std::int64_t count, const datatype::Datatype& type);

  /// False when memory was short.
  [[nodiscard]] explicit operator bool() const noexcept { return block_ == 0 || data_ != nullptr; }
  [[nodiscard]] std::int64_t block() const noexcept { return block_; }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// The blocks of the ranks of a node.
  [[nodiscard]] std::byte* of_node(std::int32_t node) const noexcept {
    return data_ + levels_.begins()[static_cast<std::size_t>(node)] * block_;
  }
  [[nodiscard]] std::int64_t bytes_of_node(std::int32_t node) const { return levels_.ranks_on(node) * block_; }

  // From the caller's buffer, and back there; nothing happens where both are the same.
  void take_all();
  void take(std::int32_t rank);
  void put_back_all();

  /// What each node has and where, in bytes.
  struct Division {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> displs;
  };
  [[nodiscard]] Division division() const;

 private:
  Call& call_;
  Levels& levels_;
  void* user_;
  std::int64_t count_;
  const datatype::Datatype& type_;
  std::int64_t block_;
  PooledMemory copy_;
  std::byte* data_ = nullptr;
};

}  // namespace starling::collective
