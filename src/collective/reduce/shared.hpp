// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// reduce in shared memory as a part of another algorithm, which holds the turn meanwhile: calls use the shared buffer
// in the order in which they were made. Thread safety: the holder of the world's lock.
#pragma once

#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/node/shared_buffer.hpp"

namespace starling::collective {

Task reduce_in_buffer(Call& call, const Arguments& arguments, SharedBuffer& shared);

}  // namespace starling::collective
