// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ends everything that this process has started, directly or not, and nothing else.
//
// A process that calls become_reaper() inherits its orphaned descendants, so "no children left" means "nothing of the
// job left", even for daemons that left their session. Source: prctl(2), PR_SET_CHILD_SUBREAPER.
// Thread safety: for single-threaded processes.
#pragma once

#include <sys/types.h>

#include <vector>

namespace starling::launch {

/// Orphaned descendants become children of this process.
void become_reaper() noexcept;

/// All living processes below this one. One lives as long as any of its threads does.
[[nodiscard]] std::vector<pid_t> descendants();

/// Sends the signal to all of them.
void signal_descendants(int signal);

/// Whether no child is left; reaps the dead ones.
bool reap_children() noexcept;

/// SIGKILLs all descendants, and those that they start meanwhile, until none is left or patience_ms are over. While one
/// does not end, this takes little processor time.
void kill_descendants(int patience_ms = 10'000);

}  // namespace starling::launch
