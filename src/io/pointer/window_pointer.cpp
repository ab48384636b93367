// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/pointer/window_pointer.hpp"

#include "world/communicators/communicators.hpp"

namespace starling::io {
namespace {

/// Of the group: it has the number.
constexpr std::int32_t kKeeper = 0;

}  // namespace

Result<std::unique_ptr<SharedPointer>> WindowPointer::make(world::World& world, comm::Communicator& comm) {
  world::MadeCommunicator own = world::dup(world, comm);
  if (!own.ok()) return std::move(own).status();
  rma::WindowSpec spec;
  spec.flavor = rma::Flavor::kAllocate;
  spec.bytes = comm.rank() == kKeeper ? sizeof(std::int64_t) : 0;
  auto made = world.rma().create_window(std::move(own).value(), spec);
  if (!made.ok()) return std::move(made).status();
  // Nobody else locks it, so nothing is sent.
  STARLING_TRY(made.value()->epochs().lock_all(rma::LockCheck::kNobodyElse));
  std::unique_ptr<SharedPointer> pointer = std::make_unique<WindowPointer>(world.rma(), std::move(made).value());
  return pointer;
}

Status WindowPointer::start(datatype::PredefinedOp op, std::int64_t operand, std::int64_t* before) {
  const rma::Place place{kKeeper, 0, 1, &datatype::predefined(datatype::Basic::kInt64)};
  return window_->fetch_and_op(&operand, before, place, datatype::predefined(op));
}

Result<std::int64_t> WindowPointer::fetch(datatype::PredefinedOp op, std::int64_t operand) {
  std::int64_t before = 0;
  STARLING_TRY(start(op, operand, &before));
  STARLING_TRY(window_->finish_here(kKeeper));
  return before;
}

Status WindowPointer::set(std::int64_t etypes) {
  Result<std::int64_t> before = fetch(datatype::PredefinedOp::kReplace, etypes);
  return before.ok() ? Status() : std::move(before).status();
}

Result<std::unique_ptr<Claim>> WindowPointer::start_advance(std::int64_t etypes) {
  auto claim = std::make_unique<Claim>();
  STARLING_TRY(start(datatype::PredefinedOp::kSum, etypes, &claim->begin));
  claim->under_way = window_->watch(kKeeper);
  return claim;
}

Status WindowPointer::release() {
  STARLING_TRY(window_->epochs().unlock_all());
  return one_sided_.free_window(std::move(window_));
}

}  // namespace starling::io
