// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/group_members.hpp"

namespace starling::world {

using Words = LeaderExchange::Words;

GroupMembers GroupMembers::of(World& world, const comm::Communicator& local) {
  GroupMembers group;
  if (local.connected_jobs()) group.connection = local.connected_jobs()->id();
  group.is_on_one_node = local.shared_domain() != nullptr;
  for (const ProcessId process : local.group()->processes()) {
    group.members.push_back(world.processes().global(process));
  }
  return group;
}

Words GroupMembers::words() const {
  Words words{connection, is_on_one_node ? 1U : 0U};
  for (const GlobalProcess& process : members) {
    words.insert(words.end(), {process.job, static_cast<std::uint64_t>(process.rank.value)});
  }
  return words;
}

GroupMembers GroupMembers::from(const Words& words) {
  GroupMembers group;
  group.connection = words[0];
  group.is_on_one_node = words[1] != 0;
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    group.members.push_back({words[i], WorldRank(static_cast<std::int32_t>(words[i + 1]))});
  }
  return group;
}

Ref<comm::Group> GroupMembers::group(World& world) const {
  return Ref<comm::Group>::adopt(new comm::Group(world.processes().numbers_of(members)));
}

}  // namespace starling::world
