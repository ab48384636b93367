// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/communicators.hpp"

#include <limits>
#include <vector>

#include "world/communicators/binomial.hpp"
#include "world/communicators/division.hpp"
#include "world/communicators/intercommunicators.hpp"
#include "world/communicators/make.hpp"

namespace starling::world {
namespace {

/// Rank 0 of comm takes `count` ids and tells all others the first.
Result<ContextIdRange> agree_on_context_ids(World& world, comm::Communicator& comm, std::uint32_t count) {
  ContextIds ids = comm.rank() == 0 ? ContextIds::take(world, comm.connected_jobs(), count) : ContextIds();
  STARLING_TRY(world.collectives().broadcast(comm, &ids.first, sizeof ids.first, 0));
  return ids.agreed(world, comm.connected_jobs());
}

// Below the tags of all partitioned messages. create_group uses the parent's channel for partitioned messages, because
// after a death that channel still serves the living ranks; the collective channel does not.
constexpr std::int32_t kCreateGroupTag = std::numeric_limits<std::int32_t>::min();

/// Travels instead of an id when a member has died on the way.
constexpr std::uint32_t kMemberDied = ContextIds::kNone - 1;

/// Passes one word from the first rank of the group to all others along a binomial tree. A rank that misses the word
/// because a member has died tells the ranks below it, so that no rank waits for ever.
Status tell_group(World& world, comm::Communicator& comm, const comm::Group& group, std::int32_t tag,
                  std::uint32_t* word) {
  const datatype::Datatype& bytes = datatype::byte_type();
  const std::int32_t me = group.rank_of(world.process());
  const auto message = [&](std::int32_t member) {
    return p2p::Message{word,
                        sizeof *word,
                        &bytes,
                        comm.group()->rank_of(group.process(member)),
                        kCreateGroupTag + tag,
                        &comm,
                        p2p::Channel::kPartitioned};
  };
  std::int32_t step = binomial_step(me, group.size());
  Status first_failure;
  if (me != 0) first_failure = world.p2p().receive(message(me - step), nullptr);
  if (!first_failure.ok()) *word = kMemberDied;
  for (step /= 2; step > 0; step /= 2) {
    if (me + step >= group.size()) continue;
    Status sent = world.p2p().send(message(me + step), p2p::SendMode::kStandard);
    if (first_failure.ok()) first_failure = std::move(sent);
  }
  STARLING_TRY(std::move(first_failure));
  return *word == kMemberDied ? p2p::process_failed(p2p::kAnySource) : Status();
}

}  // namespace

MadeCommunicator dup(World& world, comm::Communicator& comm) {
  if (comm.is_inter()) return dup_inter(world, comm);
  Result<ContextIdRange> id = agree_on_context_ids(world, comm, 1);
  if (!id.ok()) return std::move(id).status();
  return make_intra(world, id.value().first, comm.group(), comm.connected_jobs());
}

MadeCommunicator split(World& world, comm::Communicator& comm, std::int32_t color, std::int32_t key) {
  if (comm.is_inter()) return split_inter(world, comm, color, key);
  const Choice mine{color, key};
  std::vector<Choice> choices(static_cast<std::size_t>(comm.size()));
  STARLING_TRY(world.collectives().allgather(comm, &mine, choices.data(), sizeof mine));
  const std::vector<std::int32_t> colors = colors_in(choices);
  if (colors.empty()) return Ref<comm::Communicator>();
  Result<ContextIdRange> ids = agree_on_context_ids(world, comm, static_cast<std::uint32_t>(colors.size()));
  if (!ids.ok()) return std::move(ids).status();
  if (color == kNoColor) return Ref<comm::Communicator>();
  return make_intra(world, ids.value().at(place_of(color, colors)),
                    comm::group_include(*comm.group(), members_of(choices, color)), comm.connected_jobs());
}

MadeCommunicator create(World& world, comm::Communicator& comm, const Ref<comm::Group>& group) {
  // A split by the group's first member in the group's order. Both groups of an intercommunicator name one group each.
  const std::int32_t rank = group->rank_of(world.process());
  std::int32_t color = kNoColor;
  if (rank != comm::Group::kNotMember) color = comm.is_inter() ? 0 : comm.group()->rank_of(group->process(0));
  return split(world, comm, color, rank);
}

MadeCommunicator create_group(World& world, comm::Communicator& comm, const Ref<comm::Group>& group, std::int32_t tag) {
  const bool takes = group->rank_of(world.process()) == 0;
  ContextIds ids = takes ? ContextIds::take(world, comm.connected_jobs(), 1) : ContextIds();
  STARLING_TRY(tell_group(world, comm, *group, tag, &ids.first));
  Result<ContextIdRange> id = ids.agreed(world, comm.connected_jobs());
  if (!id.ok()) return std::move(id).status();
  return make_intra(world, id.value().first, group, comm.connected_jobs());
}

}  // namespace starling::world
