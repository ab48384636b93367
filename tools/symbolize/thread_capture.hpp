// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Stops the threads of processes for a moment each, and copies what their stacks are found by afterwards: registers,
// the memory of the stack, and the frames of Python.
//
// All threads are asked to stop; each is let go as soon as it has been copied, so that a busy machine delays no other
// one. A few are asked at a time.
// Thread safety: none. Source: ptrace(2): PTRACE_SEIZE and PTRACE_INTERRUPT send the thread no signal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory_map.hpp"
#include "python_frames.hpp"
#include "unwind.hpp"

namespace starling::symbolize {

struct ThreadCapture {
  pid_t thread = 0;
  pid_t own_number = 0;  ///< as the process itself knows it
  bool is_main = false;
  char state = '?';  ///< as in proc(5), before it was stopped
  std::string name;
  std::string problem;  ///< why there is no stack; empty: there is one
  Registers registers;
  StackCopy stack;
  std::vector<PythonFrame> python;
};

struct ProcessCapture {
  explicit ProcessCapture(pid_t number) : process(number), map(number) {}

  pid_t process;
  MemoryMap map;
  std::optional<Python> python;
  std::string problem;
  std::int64_t stopped_ns = 0;         ///< the longest of its threads
  std::vector<ThreadCapture> threads;  ///< the main one first
};

enum class WhichThreads { kMain, kAll };

/// Finds the threads of the processes and copies them. Each problem is a sentence about the process, "it has ended".
void capture_threads(std::vector<ProcessCapture>& processes, WhichThreads which, std::int64_t patience_ns);

}  // namespace starling::symbolize
