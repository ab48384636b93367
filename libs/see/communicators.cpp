// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/communicator.hpp"
#include "shown_handles.hpp"

namespace starling::see {
namespace {

constexpr std::uint32_t kWorldContext = 0;
constexpr std::uint32_t kSelfContext = 2;
constexpr std::uint32_t kNoContext = observe::Awaited::kNoContext;

/// Even, as the engine's are, and none of those above.
std::uint32_t context_from(std::uint64_t words) noexcept {
  words *= 0x9e3779b97f4a7c15;
  words ^= words >> 32;
  words *= 0xd6e8feb86659fd93;
  const auto context = static_cast<std::uint32_t>(words >> 32) & ~std::uint32_t{1};
  return context <= kSelfContext || context + 1 == kNoContext ? kSelfContext + 2 : context;
}

}  // namespace

std::uint32_t Communicator::context_of_child() const noexcept {
  if (context == kNoContext) return kNoContext;
  return context_from(std::uint64_t{context} << 32 | begun->load(std::memory_order_relaxed));
}

Communicators::Communicators(const Seat& seat) : seat_(seat), next_shown_(kFirstMadeHandle) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
  world_.context = kWorldContext;
  world_.shown = kShownWorld;
  world_.begun = &world_.unlisted;
  for (int rank = 0; rank < any_mpi::size_of(MPI_COMM_WORLD); ++rank) world_.members.emplace_back(rank);
  list(world_);
  by_context_[kWorldContext] = &world_;
  make(MPI_COMM_SELF, kSelfContext);
  if (Communicator* const self = find(MPI_COMM_SELF)) self->shown = kShownSelf;
}

void Communicators::make(MPI_Comm comm, std::uint32_t context) {
  if (comm == MPI_COMM_NULL) return;
  const std::lock_guard guard(lock_);
  keep(any_mpi::bits_of(comm), described(comm), context);
}

void Communicators::make_by_members(MPI_Comm comm, int tag) {
  if (comm == MPI_COMM_NULL) return;
  const std::lock_guard guard(lock_);
  Communicator* const made = described(comm);
  std::uint32_t name = context_from(static_cast<std::uint32_t>(tag));
  for (const WorldRank member : made->members)
    name = context_from(std::uint64_t{name} << 32 | static_cast<std::uint32_t>(member.value));
  keep(any_mpi::bits_of(comm), made, context_from(std::uint64_t{name} << 32 | ++times_made_[name]));
}

void Communicators::make_like(std::uintptr_t bits, const Communicator& like, std::uint32_t context) {
  const std::lock_guard guard(lock_);
  auto* const made = new Communicator;
  made->peers = like.peers;
  made->members = like.members;
  made->is_inter = like.is_inter;
  made->is_of_job = like.is_of_job;
  keep(bits, made, context);
}

void Communicators::forget(std::uintptr_t bits) {
  const std::lock_guard guard(lock_);
  Communicator** const found = table_.find(bits);
  if (found == nullptr) return;
  Communicator* const gone = *found;
  table_.erase(bits);
  if (gone->place != observe::CommunicatorDirectory::kNoPlace) seat_.directory.leave(gone->place);
  const auto named = by_context_.find(gone->context);
  if (named != by_context_.end() && named->second == gone) by_context_.erase(named);
  delete gone;
}

void Communicators::rename(MPI_Comm comm, std::string_view name) {
  const Communicator* const found = find(comm);
  if (found != nullptr && found->place != observe::CommunicatorDirectory::kNoPlace)
    seat_.directory.rename(found->place, name);
}

Communicator* Communicators::of_context(std::uint32_t context) {
  const std::lock_guard guard(lock_);
  const auto found = by_context_.find(context);
  return found != by_context_.end() ? found->second : nullptr;
}

Communicator* Communicators::adopt(MPI_Comm comm) {
  const std::lock_guard guard(lock_);
  Communicator** const found = table_.find(any_mpi::bits_of(comm));  // by another thread meanwhile
  return found != nullptr ? *found : keep(any_mpi::bits_of(comm), described(comm), kNoContext);
}

std::vector<std::int32_t> Communicators::world_ranks_of(MPI_Group group) const {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world(ranks.size(), MPI_UNDEFINED);
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group_, world.data());
  for (int& rank : world) {
    if (rank == MPI_UNDEFINED) rank = -1;
  }
  return world;
}

Communicator* Communicators::described(MPI_Comm comm) const {
  auto* const made = new Communicator;
  made->is_inter = any_mpi::is_intercommunicator(comm);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  made->peers = world_ranks_of(group);
  std::vector<std::int32_t> all = made->peers;
  PMPI_Group_free(&group);
  if (made->is_inter) {
    PMPI_Comm_remote_group(comm, &group);
    made->peers = world_ranks_of(group);
    PMPI_Group_free(&group);
    all.insert(all.end(), made->peers.begin(), made->peers.end());
  }
  std::ranges::sort(all);
  made->is_of_job = !all.empty() && all.front() >= 0;
  for (const std::int32_t rank : all) made->members.emplace_back(rank);
  return made;
}

Communicator* Communicators::keep(std::uintptr_t bits, Communicator* made, std::uint32_t context) {
  made->shown = next_shown_++;
  made->context = made->is_of_job ? context : kNoContext;
  made->begun = &made->unlisted;
  if (table_.insert(bits, made) == nullptr) {
    delete made;
    return nullptr;
  }
  if (!made->is_of_job) seat_.card->flags.fetch_or(observe::StatusCard::kConnectedJobs, std::memory_order_relaxed);
  list(*made);
  if (made->context != kNoContext) {
    by_context_[made->context] = made;
    seat_.card->last.name_comm(made->shown, made->context);
  }
  return made;
}

void Communicators::list(Communicator& made) {
  if (made.context == kNoContext || made.members.size() < 2) return;
  const std::uint32_t flags = made.is_inter ? std::uint32_t{observe::DirectoryPlace::kInter} : 0;
  made.place = seat_.directory.join({made.context, flags, made.members});
  if (made.place == observe::CommunicatorDirectory::kNoPlace) return;
  made.begun = &seat_.directory.count(seat_.local, made.place);
  made.begun->store(0, std::memory_order_relaxed);
}

}  // namespace starling::see
