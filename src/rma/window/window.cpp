// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/window/window.hpp"

#include <algorithm>

namespace starling::rma {
namespace {

std::vector<LocalRank> local_ranks_of(const std::vector<Target>& targets) {
  std::vector<LocalRank> ranks;
  for (const Target& target : targets) ranks.push_back(target.local);
  return ranks;
}

/// Null where all ranks are on this node.
std::unique_ptr<FarSide> make_far_side(const Window::Setup& setup, WindowPeers& peers, const Control& control) {
  if (setup.messages == nullptr) return {};
  const bool dynamic = setup.flavor == Flavor::kDynamic;
  return std::make_unique<FarSide>(*setup.messages, *setup.comm, peers, control,
                                   dynamic ? 0 : reinterpret_cast<std::uint64_t>(setup.base),
                                   dynamic ? FarMemory::kAttached : FarMemory::kFixed);
}

}  // namespace

Window::Window(progress::Engine& progress, TargetMemory memory, Setup setup)
    : targets_(std::move(setup.targets)),
      control_(setup.region->data(), size()),
      peers_(progress, *setup.segment, local_ranks_of(targets_), setup.comm.get()),
      far_(make_far_side(setup, peers_, control_)),
      epochs_(*setup.comm, control_, peers_, targets_, far_.get()),
      memory_(memory),
      setup_(std::move(setup)),
      rank_(setup_.comm->rank()) {}

Window::~Window() = default;

void Window::leave() {
  const memory::JobSegment& segment = *setup_.segment;
  const memory::Arena::Guard guard(*setup_.segment);
  control_.leave(guard, rank_);
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    const LocalRank local = target(rank).local;
    if (local.is_none() || control_.has_left(guard, rank)) continue;
    if (segment.rank(local).state.load(std::memory_order_acquire) != memory::RankState::kDead) return;
  }
  setup_.region->give_back(guard);
}

Status Window::finish_all_and_far() {
  Status near = memory_.finish_all();
  Status far = far_->origin().finish_all();
  return near.ok() ? std::move(far) : std::move(near);
}

Result<Window::SharedPart> Window::shared_part(std::int32_t rank) const {
  if (flavor() == Flavor::kDynamic) {
    return Status::error(ErrorClass::kRmaFlavor,
                         "a window made by MPI_Win_create_dynamic has no memory of its own to ask for");
  }
  if (rank == p2p::kProcNull) {
    // The lowest rank that has memory, whether or not it is reached from here.
    const auto first = std::ranges::find_if(targets_, [](const Target& target) { return target.bytes != 0; });
    rank = first != targets_.end() ? static_cast<std::int32_t>(first - targets_.begin()) : rank_;
  }
  const Target& asked = target(rank);
  if (asked.reach != Reach::kDirect || asked.bytes == 0) return SharedPart{nullptr, 0, asked.disp_unit};
  return SharedPart{reinterpret_cast<void*>(asked.address),  // NOLINT(performance-no-int-to-ptr)
                    static_cast<std::int64_t>(asked.bytes), asked.disp_unit};
}

Status Window::attach(void* base, std::int64_t bytes) {
  if (flavor() != Flavor::kDynamic) {
    return Status::error(ErrorClass::kRmaFlavor,
                         "memory can be attached only to a window made by MPI_Win_create_dynamic");
  }
  return attachments_.add(control_.attachments(rank_), reinterpret_cast<std::uint64_t>(base),
                          static_cast<std::uint64_t>(bytes));
}

Status Window::detach(const void* base) {
  if (flavor() != Flavor::kDynamic) {
    return Status::error(ErrorClass::kRmaFlavor,
                         "memory can be detached only from a window made by MPI_Win_create_dynamic");
  }
  return attachments_.remove(control_.attachments(rank_), reinterpret_cast<std::uint64_t>(base));
}

}  // namespace starling::rma
