// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PassedOn: which blocks of a gatherv or a scatterv go by way of a node's leader, and which straight between the root
// and their rank. Only the root knows all lengths, so the rule asks for nothing but the length of the one block, which
// its rank knows as well. The leader asks the ranks of its node how many bytes it passes on for each.
// Thread safety: none; belongs to one coroutine.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/arguments/blocks.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/levels/levels.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

class PassedOn {
 public:
  /// Of a call with this root.
  PassedOn(Call& call, std::int32_t root);

  /// The bytes of a rank's block that its leader passes on: all or none.
  [[nodiscard]] std::int64_t bytes_of(std::int32_t rank, std::int64_t block) const;
  /// Whether blocks of this node may be passed on.
  [[nodiscard]] bool here() const { return on(levels_.own_node()); }
  [[nodiscard]] bool on(std::int32_t node) const { return node != place_.top_node && levels_.ranks_on(node) > 1; }
  [[nodiscard]] const Levels::Place& place() const noexcept { return place_; }

  // On a node where blocks may be passed on: what its leader knows.
  /// Await it first, on all ranks of the node. bytes: of the own block.
  static Task tell(Call& call, PassedOn& passed, const Arguments& a, std::int64_t bytes);
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }
  /// In bytes, by rank of the node.
  [[nodiscard]] Counts counts() const noexcept { return bytes_.data(); }
  [[nodiscard]] Counts displs() const noexcept { return begins_.data(); }

 private:
  Levels& levels_;
  Levels::Place place_;
  std::vector<std::int64_t> bytes_;
  std::vector<std::int64_t> begins_;
  std::int64_t total_ = 0;
};

/// At the root: the blocks that leaders pass on, node by node.
class PassedBlocks {
 public:
  /// blocks, type: of the root's vector.
  PassedBlocks(Call& call, const PassedOn& passed, const Blocks& blocks, const datatype::Datatype& type);

  /// False when memory was short.
  [[nodiscard]] explicit operator bool() const noexcept { return memory_.data() != nullptr; }
  struct OfNode {
    std::int32_t leader;
    std::byte* data;
    std::int64_t bytes;
  };
  /// Those nodes that any are passed on for.
  [[nodiscard]] const std::vector<OfNode>& nodes() const noexcept { return nodes_; }
  void take_from(const void* buffer);
  void put_into(void* buffer);

 private:
  struct Block {
    std::int32_t rank;
    std::int64_t begin;
    std::int64_t bytes;
  };

  Call& call_;
  const Blocks& blocks_;
  const datatype::Datatype& type_;
  std::vector<Block> passed_;
  std::vector<OfNode> nodes_;
  PooledMemory memory_;
};

}  // namespace starling::collective
