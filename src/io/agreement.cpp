// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/agreement.hpp"

namespace starling::io {
namespace {

Status failed_elsewhere(std::int32_t error_class, std::size_t rank) {
  return Status::error(static_cast<ErrorClass>(error_class),
                       formatted("rank {} failed in this call; its own message says why", rank));
}

}  // namespace

Status agree(world::World& world, comm::Communicator& comm, Status mine) {
  Result<std::vector<std::int32_t>> classes = tell_all(world, comm, static_cast<std::int32_t>(mine.error_class()));
  if (!mine.ok()) return mine;
  if (!classes.ok()) return std::move(classes).status();
  for (std::size_t rank = 0; rank < classes.value().size(); ++rank) {
    if (classes.value()[rank] != 0) return failed_elsewhere(classes.value()[rank], rank);
  }
  return {};
}

Status follow_first(world::World& world, comm::Communicator& comm, Status at_first) {
  auto error_class = static_cast<std::int32_t>(at_first.error_class());
  STARLING_TRY(world.collectives().broadcast(comm, &error_class, sizeof error_class, 0));
  if (comm.rank() == 0) return at_first;
  return error_class == 0 ? Status() : failed_elsewhere(error_class, 0);
}

}  // namespace starling::io
