// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/assert.hpp"

namespace starling::world {
namespace {

/// What the rank that takes context ids tells the others: the first id, or that there is none.
constexpr std::uint32_t kNoContextId = std::numeric_limits<std::uint32_t>::max();

Status no_context_id() {
  return Status::error(ErrorClass::kIntern,
                       "the rank that had to take a context id for the new communicator got none; its own message "
                       "says why");
}

/// Rank 0 of comm takes `count` ids and tells all others the first.
Result<std::uint32_t> agree_on_context_ids(World& world, comm::Communicator& comm, std::uint32_t count) {
  std::uint32_t id = kNoContextId;
  Status taken;
  if (comm.rank() == 0) {
    Result<std::uint32_t> ids = world.take_context_ids(count);
    if (ids.ok()) {
      id = ids.value();
    } else {
      taken = std::move(ids).status();
    }
  }
  STARLING_TRY(world.collectives().broadcast(comm, &id, sizeof id, 0));
  STARLING_TRY(std::move(taken));
  if (id == kNoContextId) return no_context_id();
  return id;
}

Ref<comm::Communicator> make(std::uint32_t context_id, Ref<comm::Group> group, std::int32_t world_rank) {
  const std::int32_t rank = group->rank_of(world_rank);
  return Ref<comm::Communicator>::adopt(new comm::Communicator(context_id, std::move(group), rank));
}

struct Choice {
  std::int32_t color;
  std::int32_t key;
};

struct Member {
  std::int32_t key;
  std::int32_t rank;
};

/// The members of this rank's colour in their new order, and how many distinct colours stand before it.
struct Division {
  std::vector<Member> members;
  std::uint32_t colors = 0;
  std::uint32_t my_place = 0;
};

Division divide(const std::vector<Choice>& choices, std::int32_t my_color) {
  Division division;
  std::vector<std::int32_t> colors;
  for (std::size_t rank = 0; rank < choices.size(); ++rank) {
    if (choices[rank].color != kNoColor) colors.push_back(choices[rank].color);
    if (choices[rank].color == my_color)
      division.members.push_back({choices[rank].key, static_cast<std::int32_t>(rank)});
  }
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  division.colors = static_cast<std::uint32_t>(colors.size());
  division.my_place =
      static_cast<std::uint32_t>(std::lower_bound(colors.begin(), colors.end(), my_color) - colors.begin());
  // Stable: equal keys keep the order of their ranks.
  std::stable_sort(division.members.begin(), division.members.end(),
                   [](const Member& a, const Member& b) { return a.key < b.key; });
  return division;
}

// Tags below every user's and every collective's: create_group's messages travel on the parent's collective channel.
constexpr std::int32_t kCreateGroupTag = std::numeric_limits<std::int32_t>::min();

/// Passes one word from the first rank of the group to all others along a binomial tree.
Status tell_group(World& world, comm::Communicator& comm, const comm::Group& group, std::int32_t tag,
                  std::uint32_t* word) {
  const datatype::Datatype& bytes = datatype::predefined(datatype::Basic::kByte);
  const std::int32_t me = group.rank_of(world.rank());
  const auto message = [&](std::int32_t member) {
    return p2p::Message{word,
                        sizeof *word,
                        &bytes,
                        comm.group()->rank_of(group.world_rank(member)),
                        kCreateGroupTag + tag,
                        &comm,
                        p2p::Channel::kCollective};
  };
  std::int64_t step = 1;
  while (step < group.size() && (me & step) == 0) step *= 2;
  if (me != 0) STARLING_TRY(world.p2p().receive(message(static_cast<std::int32_t>(me - step)), nullptr));
  for (step /= 2; step > 0; step /= 2) {
    if (me + step < group.size()) {
      STARLING_TRY(world.p2p().send(message(static_cast<std::int32_t>(me + step)), p2p::SendMode::kStandard));
    }
  }
  return {};
}

}  // namespace

MadeCommunicator dup(World& world, comm::Communicator& comm) {
  Result<std::uint32_t> id = agree_on_context_ids(world, comm, 1);
  if (!id.ok()) return std::move(id).status();
  return make(id.value(), comm.group(), world.rank());
}

Result<std::unique_ptr<PendingDup>> PendingDup::start(World& world, Ref<comm::Communicator> comm) {
  std::unique_ptr<PendingDup> pending(new PendingDup);
  pending->context_id_ = kNoContextId;
  pending->comm_ = std::move(comm);
  if (pending->comm_->rank() == 0) {
    Result<std::uint32_t> ids = world.take_context_ids(1);
    if (ids.ok()) {
      pending->context_id_ = ids.value();
    } else {
      pending->taken_ = std::move(ids).status();
    }
  }
  collective::Arguments bcast;
  bcast.operation = collective::Operation::kBcast;
  bcast.comm = pending->comm_.get();
  bcast.receive_buffer = &pending->context_id_;
  bcast.receive_count = sizeof pending->context_id_;
  bcast.receive_type = &datatype::predefined(datatype::Basic::kByte);
  Result<p2p::Request*> request = world.collectives().start(bcast);
  if (!request.ok()) return std::move(request).status();
  pending->request_ = request.value();
  return pending;
}

MadeCommunicator PendingDup::finish() const {
  STARLING_ASSERT(request_->complete(), "a pending dup is finished once its broadcast is");
  if (!taken_.ok()) return Status::error(taken_.error_class(), taken_.message());
  if (context_id_ == kNoContextId) return no_context_id();
  return Ref<comm::Communicator>::adopt(new comm::Communicator(context_id_, comm_->group(), comm_->rank()));
}

MadeCommunicator split(World& world, comm::Communicator& comm, std::int32_t color, std::int32_t key) {
  const Choice mine{color, key};
  std::vector<Choice> choices(static_cast<std::size_t>(comm.size()));
  STARLING_TRY(world.collectives().allgather(comm, &mine, choices.data(), sizeof mine));
  const Division division = divide(choices, color);
  if (division.colors == 0) return Ref<comm::Communicator>();
  Result<std::uint32_t> first = agree_on_context_ids(world, comm, division.colors);
  if (!first.ok()) return std::move(first).status();
  if (color == kNoColor) return Ref<comm::Communicator>();
  std::vector<std::int32_t> world_ranks;
  world_ranks.reserve(division.members.size());
  for (const Member& member : division.members) world_ranks.push_back(comm.world_rank(member.rank));
  auto group = Ref<comm::Group>::adopt(new comm::Group(std::move(world_ranks)));
  return make(first.value() + 2 * division.my_place, std::move(group), world.rank());
}

MadeCommunicator create(World& world, comm::Communicator& comm, const Ref<comm::Group>& group) {
  // A split by the group's first member in the group's order.
  const std::int32_t rank = group->rank_of(world.rank());
  const std::int32_t color = rank == comm::Group::kNotMember ? kNoColor : comm.group()->rank_of(group->world_rank(0));
  return split(world, comm, color, rank);
}

MadeCommunicator create_group(World& world, comm::Communicator& comm, const Ref<comm::Group>& group, std::int32_t tag) {
  std::uint32_t id = kNoContextId;
  Status taken;
  if (group->rank_of(world.rank()) == 0) {
    Result<std::uint32_t> ids = world.take_context_ids(1);
    if (ids.ok()) {
      id = ids.value();
    } else {
      taken = std::move(ids).status();
    }
  }
  STARLING_TRY(tell_group(world, comm, *group, tag, &id));
  STARLING_TRY(std::move(taken));
  if (id == kNoContextId) return no_context_id();
  return make(id, group, world.rank());
}

}  // namespace starling::world
