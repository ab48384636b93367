// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/model/snapshot.hpp"

#include <algorithm>
#include <numeric>

namespace starling::observe {

const CommunicatorSnapshot* find_communicator(const Snapshot& snapshot, std::uint32_t context, std::int32_t member) {
  const auto found = std::ranges::find_if(snapshot.communicators, [&](const CommunicatorSnapshot& each) {
    return each.context == context && std::ranges::binary_search(each.members, member);
  });
  return found == snapshot.communicators.end() ? nullptr : &*found;
}

std::vector<std::int32_t> members_of(const Snapshot& snapshot, std::uint32_t context, std::int32_t member) {
  const CommunicatorSnapshot* const found = find_communicator(snapshot, context, member);
  if (found != nullptr) return found->members;
  if (context != kWorldContext) return {};
  std::vector<std::int32_t> all(snapshot.ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace starling::observe
