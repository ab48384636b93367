// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/intercommunicators.hpp"

#include <algorithm>
#include <iterator>

#include "world/communicators/context_ids.hpp"
#include "world/communicators/division.hpp"
#include "world/communicators/group_pair.hpp"

namespace starling::world {
namespace {

using Words = LeaderExchange::Words;

/// Between the first ids of two intercommunicators that are made in one call.
constexpr std::uint32_t kIdStep = 2 * kIdsOfInter;

/// The leader of the group that takes the context ids tells both groups the first.
Result<std::uint32_t> agree_on_context_ids(World& world, LeaderExchange& exchange,
                                           const Ref<comm::SharedDomain>& domain, bool takes, std::uint32_t count) {
  ContextIds ids = takes && exchange.leads() ? ContextIds::take(world, domain, count) : ContextIds();
  Result<LeaderExchange::Exchanged> exchanged = exchange.exchange({ids.first});
  if (!exchanged.ok()) return std::move(exchanged).status();
  ids.first = static_cast<std::uint32_t>((takes ? exchanged.value().ours : exchanged.value().theirs)[0]);
  return ids.agreed(domain);
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
  return processes.id_of(inter.group()->world_rank(0)) < processes.id_of(inter.remote_group()->world_rank(0));
}

Ref<comm::Communicator> make_inter(World& world, std::uint32_t id, Ref<comm::Group> local, Ref<comm::Group> remote,
                                   const Ref<comm::SharedDomain>& domain) {
  const std::int32_t rank = local->rank_of(world.rank());
  Ref<comm::Communicator> own = world.introduce(new comm::Communicator(id + 2, std::move(local), rank, domain));
  return world.introduce(new comm::Communicator(id, std::move(own), std::move(remote)));
}

MadeCommunicator intercomm_create(World& world, comm::Communicator& local, std::int32_t leader,
                                  const PeerLeader& peer) {
  LeaderExchange exchange(world, local, leader, peer);
  Result<GroupPair> groups = pair_groups(world, exchange, local, peer.comm);
  if (!groups.ok()) return std::move(groups).status();
  const Ref<comm::SharedDomain>& domain = groups.value().domain;
  Result<std::uint32_t> id = agree_on_context_ids(world, exchange, domain, groups.value().takes, kIdsOfInter);
  if (!id.ok()) return std::move(id).status();
  return make_inter(world, id.value(), local.group(), groups.value().theirs.group(world), domain);
}

MadeCommunicator intercomm_merge(World& world, comm::Communicator& inter, Place place) {
  LeaderExchange exchange(world, inter);
  Result<LeaderExchange::Exchanged> places = exchange.exchange({static_cast<std::uint64_t>(place)});
  if (!places.ok()) return std::move(places).status();
  const std::uint64_t ours = places.value().ours[0];
  const std::uint64_t theirs = places.value().theirs[0];
  const bool takes = takes_context_ids(world, inter);
  const bool first = ours == theirs ? takes : ours < theirs;
  Result<std::uint32_t> id = agree_on_context_ids(world, exchange, inter.shared_domain(), takes, 1);
  if (!id.ok()) return std::move(id).status();
  Ref<comm::Group> both = first ? comm::group_union(*inter.group(), *inter.remote_group())
                                : comm::group_union(*inter.remote_group(), *inter.group());
  const std::int32_t rank = both->rank_of(world.rank());
  return world.introduce(new comm::Communicator(id.value(), std::move(both), rank, inter.shared_domain()));
}

MadeCommunicator dup_inter(World& world, comm::Communicator& inter) {
  LeaderExchange exchange(world, inter);
  Result<std::uint32_t> id =
      agree_on_context_ids(world, exchange, inter.shared_domain(), takes_context_ids(world, inter), kIdsOfInter);
  if (!id.ok()) return std::move(id).status();
  return make_inter(world, id.value(), inter.group(), inter.remote_group(), inter.shared_domain());
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
  Result<std::uint32_t> first =
      agree_on_context_ids(world, exchange, inter.shared_domain(), takes_context_ids(world, inter), count);
  if (!first.ok()) return std::move(first).status();
  if (!std::ranges::binary_search(common, color)) return Ref<comm::Communicator>();
  return make_inter(world, first.value() + kIdStep * place_of(color, common),
                    members_group(*inter.group(), ours, color), members_group(*inter.remote_group(), theirs, color),
                    inter.shared_domain());
}

}  // namespace starling::world
