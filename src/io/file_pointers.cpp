// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_pointers.hpp"

#include <utility>

#include "io/agreement.hpp"

namespace starling::io {

Status FilePointers::check_shared() const {
  if (shared_) return {};
  return Status::error(ErrorClass::kNoMem,
                       "the shared file pointer has no place: the job's shared memory was full when the file was "
                       "opened; STARLING_SHM_ARENA makes it larger");
}

Result<std::int64_t> FilePointers::claim(Pointer pointer, std::int64_t offset, std::int64_t etypes) {
  switch (pointer) {
    case Pointer::kExplicit: return offset;
    case Pointer::kShared: return shared_->advance(etypes);
    case Pointer::kIndividual: break;
  }
  return std::exchange(individual_, individual_ + etypes);
}

Result<std::int64_t> FilePointers::claim_in_order(world::World& world, comm::Communicator& comm, std::int64_t etypes) {
  Result<std::vector<std::int64_t>> all = tell_all(world, comm, etypes);
  if (!all.ok()) return std::move(all).status();
  std::int64_t before = 0;
  std::int64_t total = 0;
  for (std::int32_t rank = 0; rank < comm.size(); ++rank) {
    const std::int64_t theirs = all.value()[static_cast<std::size_t>(rank)];
    if (rank < comm.rank()) before += theirs;
    total += theirs;
  }
  std::int64_t base = 0;
  if (comm.rank() == 0) {
    Result<std::int64_t> claimed = shared_->advance(total);  // at rank 0: nothing that could fail
    if (claimed.ok()) base = claimed.value();
  }
  STARLING_TRY(world.collectives().broadcast(comm, &base, sizeof base, 0));
  return base + before;
}

}  // namespace starling::io
