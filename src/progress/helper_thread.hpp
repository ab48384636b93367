// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Threads that the library starts beside a rank's own: they take no signal, and run where the rank does not have to be.
// Thread safety: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "memory/job_segment.hpp"

namespace starling::progress {

constexpr std::int64_t kAnyCore = -1;

/// A thread of this name that takes no signal: these are for the program's own. Null when the system has no thread
/// left.
std::unique_ptr<std::thread> start_helper(const char* name, std::function<void()> body);

/// Lets it run on `core`, or on any core that the job may use: a rank that is bound to one core computes there, and the
/// helper is of most use on another. Stays where it is where there is no such core.
void place_helper(std::thread& helper, const memory::JobSegment& segment, std::int64_t core) noexcept;

}  // namespace starling::progress
