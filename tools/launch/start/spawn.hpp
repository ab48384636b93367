// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Starts one rank, as cheaply as the kernel can: the child borrows our memory until it executes its program (clone with
// CLONE_VM and CLONE_VFORK), so nothing is copied. Source: clone(2), and the notes on posix_spawn in the glibc manual.
// Thread safety: for single-threaded processes, because the child runs on our memory.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <vector>

namespace starling::launch {

/// What the launcher changed for itself and a rank shall find as it was.
struct Inherited {
  sigset_t signals{};
  rlimit files{};
};

struct ChildPlan {
  const char* path = nullptr;
  char* const* arguments = nullptr;    ///< ends with null
  char* const* environment = nullptr;  ///< ends with null
  const char* folder = nullptr;        ///< null: here
  int standard[3] = {0, 1, 2};         ///< what becomes standard input, output and error
  std::vector<int> passed;             ///< descriptors that stay open under their numbers
  std::vector<unsigned> threads;       ///< hardware threads to run on; empty: any
  pid_t group = 0;                     ///< process group to join; 0: one of its own
  bool own_session = false;            ///< ... and a session of its own, without a terminal
  Inherited inherited;
};

struct Child {
  pid_t pid = -1;
  int error = 0;          ///< 0: the program runs; else errno of what failed
  int unbound = 0;        ///< errno of what keeps it from being bound to its hardware threads; it runs all the same
  const char* step = "";  ///< what failed: "chdir", "execve", ...
};

/// The child dies by SIGKILL when the calling thread's process ends.
[[nodiscard]] Child spawn(const ChildPlan& plan);

}  // namespace starling::launch
