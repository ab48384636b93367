// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/node_map.hpp"

#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "bootstrap/pmi/fields.hpp"

namespace starling::bootstrap {
namespace {

/// Consecutive nodes that get the same number of consecutive ranks each.
struct Block {
  std::int32_t first_node = 0;
  std::int32_t nodes = 0;
  std::int32_t ranks_each = 0;
};

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

bool take_number(std::string_view& text, std::int32_t& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return true;
}

bool take_block(std::string_view& text, Block& block) {
  return take(text, "(") && take_number(text, block.first_node) && take(text, ",") && take_number(text, block.nodes) &&
         take(text, ",") && take_number(text, block.ranks_each) && take(text, ")") && block.nodes > 0 &&
         block.ranks_each > 0;
}

/// Empty when the text is no mapping.
std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  if (!take(text, "(vector")) return {};
  while (take(text, ",")) {
    if (!take_block(text, blocks.emplace_back())) return {};
  }
  return text == ")" ? blocks : std::vector<Block>();
}

/// The node of each rank.
std::vector<std::int32_t> nodes_of(const std::vector<Block>& blocks, std::size_t size) {
  std::vector<std::int32_t> nodes;
  nodes.reserve(size);
  while (nodes.size() < size) {
    for (const Block& block : blocks) {
      for (std::int32_t node = 0; node < block.nodes && nodes.size() < size; ++node) {
        const std::size_t count = std::min(static_cast<std::size_t>(block.ranks_each), size - nodes.size());
        nodes.insert(nodes.end(), count, block.first_node + node);
      }
    }
  }
  return nodes;
}

}  // namespace

Result<std::vector<WorldRank>> ranks_on_node_of(WorldRank rank, std::int32_t size, std::string_view mapping) {
  const std::vector<Block> blocks = blocks_of(mapping);
  if (blocks.empty()) {
    return Status::error(ErrorClass::kOther,
                         formatted("the launcher says where the ranks are by '{}', which is no PMI_process_mapping",
                                   printable(mapping)));
  }
  const std::vector<std::int32_t> nodes = nodes_of(blocks, static_cast<std::size_t>(size));
  std::vector<WorldRank> found;
  for (std::size_t other = 0; other < nodes.size(); ++other) {
    if (nodes[other] == nodes[rank.index()]) found.emplace_back(other);
  }
  return found;
}

Result<std::vector<WorldRank>> ranks_of_list(std::string_view list) {
  std::vector<WorldRank> ranks;
  std::string_view rest = list;
  bool is_list = true;
  do {
    std::int32_t rank = 0;
    is_list = take_number(rest, rank);
    ranks.emplace_back(rank);
  } while (is_list && take(rest, ","));
  if (!is_list || !rest.empty()) {
    return Status::error(
        ErrorClass::kOther,
        formatted("the launcher says which ranks are on this node by '{}', which is no list", printable(list)));
  }
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace starling::bootstrap
