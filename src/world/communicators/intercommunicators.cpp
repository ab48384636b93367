// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/intercommunicators.hpp"

#include <algorithm>
#include <iterator>

#include "world/communicators/division.hpp"
#include "world/communicators/group_pair.hpp"
#include "world/communicators/make.hpp"

namespace starling::world {
namespace {

using Words = LeaderExchange::Words;

/// The leader of the group that takes the context ids tells both groups the first.
Result<ContextIdRange> agree_on_context_ids(World& world, LeaderExchange& exchange,
                                            const Ref<comm::ConnectedJobs>& jobs, bool takes, std::uint32_t count) {
  ContextIds ids = takes && exchange.leads() ? ContextIds::take(world, jobs, count) : ContextIds();
  Result<LeaderExchange::Exchanged> exchanged = exchange.exchange({ids.first});
  if (!exchanged.ok()) return std::move(exchanged).status();
  ids.first = static_cast<std::uint32_t>((takes ? exchanged.value().ours : exchanged.value().theirs)[0]);
  return ids.agreed(world, jobs);
}

std::vector<Choice> choices_of(const Words& words) {
  std::vector<Choice> choices;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    choices.push_back({static_cast<std::int32_t>(words[i]), static_cast<std::int32_t>(words[i + 1])});
  }
  return choices;
}

Ref<comm::Group> members_group(const comm::Group& from, const std::vector<Choice>& choices, std::int32_t color) {
  return comm::group_include(from, members_of(choices, color));
}

}  // namespace

bool takes_context_ids(World& world, const comm::Communicator& inter) {
  const Processes& processes = world.processes();
  return processes.global(inter.group()->process(0)) < processes.global(inter.remote_group()->process(0));
}

MadeCommunicator intercomm_create(World& world, comm::Communicator& local, std::int32_t leader,
                                  const PeerLeader& peer) {
  LeaderExchange exchange(world, local, leader, peer);
  Result<GroupPair> groups = pair_groups(world, exchange, local, peer.comm);
  if (!groups.ok()) return std::move(groups).status();
  const Ref<comm::ConnectedJobs>& jobs = groups.value().jobs;
  Result<ContextIdRange> ids = agree_on_context_ids(world, exchange, jobs, groups.value().takes, kIdsOfInter);
  if (!ids.ok()) return std::move(ids).status();
  return make_inter(world, ids.value(), local.group(), groups.value().theirs.group(world), jobs);
}

MadeCommunicator intercomm_merge(World& world, comm::Communicator& inter, Place place) {
  LeaderExchange exchange(world, inter);
  Result<LeaderExchange::Exchanged> places = exchange.exchange({static_cast<std::uint64_t>(place)});
  if (!places.ok()) return std::move(places).status();
  const std::uint64_t ours = places.value().ours[0];
  const std::uint64_t theirs = places.value().theirs[0];
  const bool takes = takes_context_ids(world, inter);
  const bool first = ours == theirs ? takes : ours < theirs;
  Result<ContextIdRange> id = agree_on_context_ids(world, exchange, inter.connected_jobs(), takes, 1);
  if (!id.ok()) return std::move(id).status();
  Ref<comm::Group> both = first ? comm::group_union(*inter.group(), *inter.remote_group())
                                : comm::group_union(*inter.remote_group(), *inter.group());
  return make_intra(world, id.value().first, std::move(both), inter.connected_jobs());
}

MadeCommunicator dup_inter(World& world, comm::Communicator& inter) {
  LeaderExchange exchange(world, inter);
  Result<ContextIdRange> ids =
      agree_on_context_ids(world, exchange, inter.connected_jobs(), takes_context_ids(world, inter), kIdsOfInter);
  if (!ids.ok()) return std::move(ids).status();
  return make_inter(world, ids.value(), inter.group(), inter.remote_group(), inter.connected_jobs());
}

MadeCommunicator split_inter(World& world, comm::Communicator& inter, std::int32_t color, std::int32_t key) {
  // A word for each number, so that choices travel as the leaders' words do.
  const std::uint64_t mine[2] = {static_cast<std::uint32_t>(color), static_cast<std::uint32_t>(key)};
  Words all(static_cast<std::size_t>(inter.size()) * 2);
  STARLING_TRY(world.collectives().allgather(*inter.local(), mine, all.data(), sizeof mine));
  LeaderExchange exchange(world, inter);
  Result<LeaderExchange::Exchanged> exchanged = exchange.exchange(all);
  if (!exchanged.ok()) return std::move(exchanged).status();
  const std::vector<Choice> ours = choices_of(exchanged.value().ours);
  const std::vector<Choice> theirs = choices_of(exchanged.value().theirs);
  // A colour that only one side chose makes nothing.
  std::vector<std::int32_t> common;
  std::ranges::set_intersection(colors_in(ours), colors_in(theirs), std::back_inserter(common));
  if (common.empty()) return Ref<comm::Communicator>();
  const auto count = kIdsOfInter * static_cast<std::uint32_t>(common.size());
  Result<ContextIdRange> ids =
      agree_on_context_ids(world, exchange, inter.connected_jobs(), takes_context_ids(world, inter), count);
  if (!ids.ok()) return std::move(ids).status();
  if (!std::ranges::binary_search(common, color)) return Ref<comm::Communicator>();
  return make_inter(world, ids.value().from(kIdsOfInter * place_of(color, common)),
                    members_group(*inter.group(), ours, color), members_group(*inter.remote_group(), theirs, color),
                    inter.connected_jobs());
}

}  // namespace starling::world
