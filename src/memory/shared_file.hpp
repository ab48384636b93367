// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Operations on the file behind the job segment and its regions.
// Thread safety: any thread; the caller orders changes of the size.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace starling::memory {

/// An unnamed file for shared memory, or for what a child process shall read: a memfd, else a file that is unlinked at
/// birth. -1, with errno, where neither can be had. name: what /proc shows. A memfd may be sealed (F_ADD_SEALS).
int open_unnamed_file(const char* name) noexcept;

/// ftruncate, but a limit on the size of files is an error like any other: without this function the kernel would
/// end the process. False, with errno, when it is refused.
bool resize_file(int descriptor, std::uint64_t bytes);

/// Makes the pages that hold [begin, begin + bytes) real; kNoMem when the machine or the cgroup has no room.
Status commit_file(int descriptor, std::uint64_t begin, std::uint64_t bytes);

}  // namespace starling::memory
