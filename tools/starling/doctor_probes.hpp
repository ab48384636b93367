// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What 'starling doctor' tries of this machine, beside what doctor.cpp has itself. Each probe is a function without
// arguments, and may start a process that it ends again.
// Thread safety: for single-threaded processes.
#pragma once

#include <cstdint>
#include <string>

namespace starling::tools {

enum class Verdict : std::uint8_t {
  kGood,
  kSlower,  ///< a job runs, but slower, with fewer ranks, or with less to be seen of it
  kBroken,  ///< no job can run
};

struct Finding {
  Verdict verdict;
  std::string text;
};

// Whether this is a container, and what it restricts (doctor_container.cpp).
Finding probe_container();
Finding probe_process_numbers();  ///< the pid namespace
Finding probe_system_calls();     ///< what older means take the place of, where a sandbox refuses it
Finding probe_memory_limit();
Finding probe_process_limit();

// What one process may do to another (doctor_peers.cpp).
Finding probe_single_copy();
Finding probe_yama();
Finding probe_tracing();

}  // namespace starling::tools
