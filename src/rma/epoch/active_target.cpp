// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Active target synchronisation: fence, and post, start, complete, wait.
#include <algorithm>

#include "rma/epoch/epochs.hpp"

namespace starling::rma {
namespace {

/// Counters of epochs wrap around.
bool reached(std::uint32_t counter, std::uint32_t wanted) noexcept {
  return static_cast<std::int32_t>(counter - wanted) >= 0;
}

}  // namespace

Status Epochs::begin_fence() {
  if (access_ != AccessEpoch::kFence) STARLING_TRY(check_no_access());
  STARLING_TRY(check_no_exposure());
  sync();
  return {};
}

void Epochs::end_fence(Fence fence) noexcept {
  begin_access(fence == Fence::kOpens ? AccessEpoch::kFence : AccessEpoch::kNone);
}

Result<std::vector<std::int32_t>> Epochs::ranks_of(const comm::Group& group) const {
  std::vector<std::int32_t> ranks;
  for (const ProcessId process : group.processes()) {
    const std::int32_t rank = comm_.group()->rank_of(process);
    if (rank == comm::Group::kNotMember) {
      return Status::error(ErrorClass::kGroup, "the group names a process that is not in the window's group");
    }
    ranks.push_back(rank);
  }
  return ranks;
}

Status Epochs::post(const comm::Group& group) {
  STARLING_TRY(check_no_exposure());
  Result<std::vector<std::int32_t>> origins = ranks_of(group);
  if (!origins.ok()) return std::move(origins).status();
  posted_ = std::move(origins).value();
  exposure_ = ExposureEpoch::kPosted;
  for (const std::int32_t origin : posted_) {
    ++exposures_[static_cast<std::size_t>(origin)];
    tell_posted(origin);
  }
  return {};
}

void Epochs::tell_posted(std::int32_t origin) {
  if (is_far(origin)) return far_->origin().tell(origin, FarAct::kPosted);
  // release: what this rank has stored in its part before it lets the origin in.
  control_.posted(origin, rank_).store(exposures_[static_cast<std::size_t>(origin)], std::memory_order_release);
  peers_.ring(origin);
}

bool Epochs::has_posted(std::int32_t target) const noexcept {
  const std::uint32_t posted = is_far(target) ? far_->target().posted_by(target)
                                              : control_.posted(rank_, target).load(std::memory_order_acquire);
  return reached(posted, starts_[static_cast<std::size_t>(target)]);
}

bool Epochs::all_posted() const noexcept {
  return std::all_of(started_.begin(), started_.end(), [&](std::int32_t target) { return has_posted(target); });
}

Status Epochs::start(const comm::Group& group) {
  STARLING_TRY(check_no_access());
  Result<std::vector<std::int32_t>> targets = ranks_of(group);
  if (!targets.ok()) return std::move(targets).status();
  started_ = std::move(targets).value();
  for (const std::int32_t target : started_) ++starts_[static_cast<std::size_t>(target)];
  peers_.wait([&] { return all_posted(); },
              [&](std::int32_t target) {
                return std::ranges::find(started_, target) != started_.end() && !has_posted(target);
              });
  STARLING_TRY(check_alive());
  begin_access(AccessEpoch::kStarted);
  for (const std::int32_t target : started_) at(target).opened = Opened::kStarted;
  return {};
}

Status Epochs::complete() {
  if (access_ != AccessEpoch::kStarted) return out_of_order("no epoch of MPI_Win_start is open on the window");
  for (const std::int32_t target : started_) {
    at(target).opened = Opened::kNo;
    tell_completed(target);
  }
  started_.clear();
  begin_access(AccessEpoch::kNone);
  return {};
}

void Epochs::tell_completed(std::int32_t target) {
  if (is_far(target)) return far_->origin().tell(target, FarAct::kCompleted);
  // release: the accesses of the epoch.
  control_.completed(target, rank_).store(starts_[static_cast<std::size_t>(target)], std::memory_order_release);
  peers_.ring(target);
}

bool Epochs::has_completed(std::int32_t origin) const noexcept {
  const std::uint32_t completed = is_far(origin) ? far_->target().completed_by(origin)
                                                 : control_.completed(rank_, origin).load(std::memory_order_acquire);
  return reached(completed, exposures_[static_cast<std::size_t>(origin)]);
}

bool Epochs::all_completed() const noexcept {
  return std::all_of(posted_.begin(), posted_.end(), [&](std::int32_t origin) { return has_completed(origin); });
}

void Epochs::end_exposure() noexcept {
  posted_.clear();
  exposure_ = ExposureEpoch::kNone;
}

Status Epochs::wait() {
  if (exposure_ == ExposureEpoch::kNone) return out_of_order("no epoch of MPI_Win_post is open on the window");
  peers_.wait([&] { return all_completed(); },
              [&](std::int32_t origin) {
                return std::ranges::find(posted_, origin) != posted_.end() && !has_completed(origin);
              });
  end_exposure();
  return check_alive();
}

Status Epochs::test(bool* done) {
  if (exposure_ == ExposureEpoch::kNone) return out_of_order("no epoch of MPI_Win_post is open on the window");
  *done = all_completed();
  if (*done) end_exposure();
  return check_alive();
}

}  // namespace starling::rma
