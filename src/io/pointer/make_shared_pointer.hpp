// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Makes the shared pointer of a file, of the kind that fits its ranks. Thread safety: as SharedPointer.
#pragma once

#include "io/pointer/shared_pointer.hpp"
#include "world/world.hpp"

namespace starling::io {

/// Collective over the communicator. Null in a good Result: there is no memory for it.
Result<std::unique_ptr<SharedPointer>> make_shared_pointer(world::World& world, comm::Communicator& comm);

}  // namespace starling::io
