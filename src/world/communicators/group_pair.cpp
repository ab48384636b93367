// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/group_pair.hpp"

#include <algorithm>
#include <cstdio>

namespace starling::world {
namespace {

using Words = Bridge::Words;

bool of_one_job(const Met& met) {
  const auto same = [&](const ProcessId& id) { return id.job == met.ours.members[0].job; };
  return std::ranges::all_of(met.ours.members, same) && std::ranges::all_of(met.theirs.members, same);
}

bool overlap(const Met& met) {
  return std::ranges::any_of(met.ours.members, [&](const ProcessId& id) {
    return std::ranges::find(met.theirs.members, id) != met.theirs.members.end();
  });
}

std::vector<std::int32_t> numbers_of(World& world, const std::vector<ProcessId>& ids) {
  std::vector<std::int32_t> numbers;
  for (const ProcessId& id : ids) numbers.push_back(world.processes().number_of(id));
  return numbers;
}

/// The leader of the side that takes makes the connection, all others open it.
class NewConnection {
 public:
  NewConnection(World& world, Bridge& bridge, const Met& met, std::int32_t rank)
      : world_(world), bridge_(bridge), met_(met), rank_(rank) {}

  Result<JobConnection*> open() {
    Words address{0, 0, 0};
    Status made = makes() ? make(&address) : Status();
    Result<Bridge::Swapped> swapped = bridge_.swap(address);
    STARLING_TRY(std::move(made));
    if (!swapped.ok()) return std::move(swapped).status();
    Status there;
    if (!makes()) there = join(met_.takes ? swapped.value().ours : swapped.value().theirs);
    // Nobody waits for one that could not come.
    Result<bool> all = bridge_.all(there.ok());
    STARLING_TRY(std::move(there));
    if (!all.ok()) return std::move(all).status();
    there = all.value() ? connection_->wait_for_all()
                        : Status::error(ErrorClass::kOther,
                                        "another process of the two groups could not open the "
                                        "shared memory; its own message says why");
    if (there.ok()) return connection_;
    connection_->leave();
    return there;
  }

  /// All processes in order of their places: the maker has the first.
  [[nodiscard]] std::vector<ProcessId> by_place() const {
    std::vector<ProcessId> all = met_.takes ? met_.ours.members : met_.theirs.members;
    const auto leader = static_cast<std::ptrdiff_t>(taking_leader());
    std::rotate(all.begin(), all.begin() + leader, all.end());
    const std::vector<ProcessId>& others = met_.takes ? met_.theirs.members : met_.ours.members;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

 private:
  [[nodiscard]] bool makes() const noexcept { return met_.takes && bridge_.leads(); }
  [[nodiscard]] std::int32_t taking_leader() const noexcept {
    return met_.takes ? bridge_.leader() : met_.their_leader;
  }

  Status make(Words* address) {
    Result<JobConnection*> connection = world_.connections().make(static_cast<std::uint32_t>(by_place().size()));
    if (!connection.ok()) return std::move(connection).status();
    connection_ = connection.value();
    const bootstrap::SegmentAddress at = connection_->address();
    *address = {static_cast<std::uint64_t>(at.pid), static_cast<std::uint64_t>(at.descriptor), at.id};
    return {};
  }

  Status join(const Words& address) {
    if (address[0] == 0) {
      return Status::error(ErrorClass::kIntern,
                           "the process that had to make shared memory for the two groups got none; its own message "
                           "says why");
    }
    const std::vector<ProcessId> all = by_place();
    const ProcessId me = met_.ours.members[static_cast<std::size_t>(rank_)];
    const auto place = static_cast<std::uint32_t>(std::ranges::find(all, me) - all.begin());
    Result<JobConnection*> connection = world_.connections().open(
        {static_cast<std::int32_t>(address[0]), static_cast<std::int32_t>(address[1]), address[2]}, place);
    if (!connection.ok()) return std::move(connection).status();
    connection_ = connection.value();
    return {};
  }

  World& world_;
  Bridge& bridge_;
  const Met& met_;
  std::int32_t rank_;
  JobConnection* connection_ = nullptr;
};

Result<Ref<comm::SharedDomain>> find_realm(World& world, Bridge& bridge, const Met& met,
                                           const comm::Communicator& local, const comm::Communicator* between) {
  if (of_one_job(met)) return Ref<comm::SharedDomain>();
  if (met.ours.domain != 0 && met.ours.domain == met.theirs.domain) return local.shared_domain();
  // Two leaders alone can live where they met.
  if (met.ours.members.size() == 1 && met.theirs.members.size() == 1) return between->shared_domain();
  NewConnection opening(world, bridge, met, local.rank());
  Result<JobConnection*> connection = opening.open();
  if (!connection.ok()) return std::move(connection).status();
  // Where the leaders met stays open as long: the launcher of a spawned job looks there whether it is still wanted.
  std::shared_ptr<void> also;
  if (between != nullptr && between->shared_domain())
    also = std::make_shared<Ref<comm::SharedDomain>>(between->shared_domain());
  return connection.value()->shared_domain(numbers_of(world, opening.by_place()), std::move(also));
}

}  // namespace

Roster Roster::of(World& world, const comm::Communicator& local) {
  Roster roster;
  if (local.shared_domain()) roster.domain = local.shared_domain()->segment().header().id;
  for (const std::int32_t number : local.group()->world_ranks()) {
    roster.members.push_back(world.processes().id_of(number));
  }
  return roster;
}

Words Roster::words() const {
  Words words{domain};
  for (const ProcessId& id : members) words.insert(words.end(), {id.job, id.rank});
  return words;
}

Roster Roster::from(const Words& words) {
  Roster roster;
  roster.domain = words[0];
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    roster.members.push_back({words[i], static_cast<std::uint32_t>(words[i + 1])});
  }
  return roster;
}

Ref<comm::Group> Roster::group(World& world) const {
  return Ref<comm::Group>::adopt(new comm::Group(numbers_of(world, members)));
}

Result<Met> meet(World& world, Bridge& bridge, const comm::Communicator& local, const comm::Communicator* between) {
  Met met;
  Words mine = Roster::of(world, local).words();
  mine.push_back(static_cast<std::uint64_t>(bridge.leader()));
  Result<Bridge::Swapped> swapped = bridge.swap(mine);
  if (!swapped.ok()) return std::move(swapped).status();
  Words& ours = swapped.value().ours;
  Words& theirs = swapped.value().theirs;
  met.their_leader = static_cast<std::int32_t>(theirs.back());
  ours.pop_back();
  theirs.pop_back();
  met.ours = Roster::from(ours);
  met.theirs = Roster::from(theirs);
  if (overlap(met)) {
    return Status::error(ErrorClass::kComm,
                         "the two groups overlap: an intercommunicator binds groups that have no process in common");
  }
  met.takes = met.ours.members[0] < met.theirs.members[0];
  Result<Ref<comm::SharedDomain>> domain = find_realm(world, bridge, met, local, between);
  if (!domain.ok()) return std::move(domain).status();
  met.domain = std::move(domain).value();
  return met;
}

}  // namespace starling::world
