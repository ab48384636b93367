// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/levels/passed_on.hpp"

#include "collective/levels/level_call.hpp"

namespace starling::collective {
namespace {

/// Longer ones go straight: they would wait on their way until all blocks of a node are together.
constexpr std::int64_t kLongestByLeader = 16 * 1024;

}  // namespace

PassedOn::PassedOn(Call& call, std::int32_t root) : levels_(Levels::of(call)), place_(levels_.place(root)) {}

std::int64_t PassedOn::bytes_of(std::int32_t rank, std::int64_t block) const {
  return block <= kLongestByLeader && on(levels_.node_of(rank)) ? block : 0;
}

Task PassedOn::tell(Call& call, PassedOn& passed, const Arguments& a, std::int64_t bytes) {
  const Levels& levels = Levels::of(call);
  const std::int64_t own = passed.bytes_of(call.rank(), bytes);
  if (passed.place_.leads) passed.bytes_.resize(static_cast<std::size_t>(levels.ranks_on(levels.own_node())));
  Arguments part = a;
  part.operation = Operation::kGather;
  part.in_place = false;
  part.root = passed.place_.leader;
  part.send_buffer = &own;
  part.receive_buffer = passed.bytes_.data();
  part.send_count = part.receive_count = static_cast<std::int64_t>(sizeof own);
  part.send_type = part.receive_type = &byte_type();
  {
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  for (const std::int64_t of_rank : passed.bytes_) {
    passed.begins_.push_back(passed.total_);
    passed.total_ += of_rank;
  }
}

PassedBlocks::PassedBlocks(Call& call, const PassedOn& passed, const Blocks& blocks, const datatype::Datatype& type)
    : call_(call), blocks_(blocks), type_(type) {
  const Levels& levels = Levels::of(call);
  std::int64_t total = 0;
  for (const std::int32_t rank : levels.by_node()) {
    const std::int64_t bytes = passed.bytes_of(rank, blocks.count(rank) * type.size());
    if (bytes == 0) continue;
    passed_.push_back({rank, total, bytes});
    total += bytes;
  }
  memory_ = PooledMemory(call, total);
  if (memory_.data() == nullptr) return;
  for (const Block& block : passed_) {
    const std::int32_t leader = levels.rank_at(levels.node_of(block.rank), 0);
    if (nodes_.empty() || nodes_.back().leader != leader) nodes_.push_back({leader, memory_.data() + block.begin, 0});
    nodes_.back().bytes += block.bytes;
  }
}

void PassedBlocks::take_from(const void* buffer) {
  for (const Block& block : passed_) {
    call_.copy(element(buffer, blocks_.displacement(block.rank), type_), blocks_.count(block.rank), type_,
               memory_.data() + block.begin, block.bytes, byte_type());
  }
}

void PassedBlocks::put_into(void* buffer) {
  for (const Block& block : passed_) {
    call_.copy(memory_.data() + block.begin, block.bytes, byte_type(),
               element(buffer, blocks_.displacement(block.rank), type_), blocks_.count(block.rank), type_);
  }
}

}  // namespace starling::collective
