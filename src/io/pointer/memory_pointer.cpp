// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/pointer/memory_pointer.hpp"

#include <new>

namespace starling::io {
namespace {

constexpr std::uint64_t kBytes = sizeof(std::atomic<std::int64_t>);
constexpr std::uint64_t kNowhere = 0;

std::uint64_t allocate(memory::JobSegment& segment) {
  memory::Arena arena(segment);
  const memory::Arena::Guard guard(segment);
  if (!arena.open(guard).ok()) return kNowhere;
  Result<std::uint64_t> place = arena.allocate(guard, kBytes);
  if (!place.ok()) return kNowhere;
  new (arena.at(place.value())) std::atomic<std::int64_t>(0);
  return place.value();
}

}  // namespace

Result<std::unique_ptr<SharedPointer>> MemoryPointer::make(world::World& world, comm::Communicator& comm) {
  memory::JobSegment& segment = comm.shared_domain()->segment();
  const bool owns = comm.rank() == 0;
  std::uint64_t place = owns ? allocate(segment) : kNowhere;
  STARLING_TRY(world.collectives().broadcast(comm, &place, sizeof place, 0));
  std::unique_ptr<SharedPointer> made;
  if (place != kNowhere) made = std::make_unique<MemoryPointer>(segment, place, owns);
  return made;
}

MemoryPointer::MemoryPointer(memory::JobSegment& segment, std::uint64_t place, bool owns) noexcept
    : segment_(segment),
      place_(place),
      owns_(owns),
      word_(std::launder(reinterpret_cast<std::atomic<std::int64_t>*>(memory::Arena(segment).at(place)))) {}

Result<std::unique_ptr<Claim>> MemoryPointer::start_advance(std::int64_t etypes) {
  auto claim = std::make_unique<Claim>();
  claim->begin = word_->fetch_add(etypes, std::memory_order_relaxed);
  return claim;
}

Status MemoryPointer::release() {
  if (!owns_) return {};
  const memory::Arena::Guard guard(segment_);
  memory::Arena(segment_).release(guard, place_, kBytes);
  return {};
}

}  // namespace starling::io
