// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/pointer/make_shared_pointer.hpp"

#include "io/pointer/memory_pointer.hpp"
#include "io/pointer/window_pointer.hpp"

namespace starling::io {

Result<std::unique_ptr<SharedPointer>> make_shared_pointer(world::World& world, comm::Communicator& comm) {
  return comm.shared_domain() != nullptr ? MemoryPointer::make(world, comm) : WindowPointer::make(world, comm);
}

}  // namespace starling::io
