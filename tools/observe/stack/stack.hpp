// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The stacks of ranks as plain data, and the text in which starling-symbolize hands them on: a line for each process,
// thread and frame, the fields separated by tabs.
// Thread safety: value types and pure functions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace starling::observe {

struct StackFrame {
  bool is_python = false;
  std::string function;  ///< without parameters; empty: its file has no name for it
  std::string file;      ///< the source file; empty: not known
  int line = 0;
  std::string module;        ///< the mapped file that it belongs to; empty: none, or Python
  std::uint64_t offset = 0;  ///< of the address in the module, as nm shows it

  bool operator==(const StackFrame&) const = default;
};

struct ThreadStack {
  pid_t thread = 0;
  bool is_main = false;
  char state = '?';  ///< as in proc(5) before it was stopped: S sleeps
  std::string name;
  std::vector<StackFrame> frames;  ///< the outermost first

  bool operator==(const ThreadStack&) const = default;
};

/// What was read of a rank.
struct RankStacks {
  std::int32_t rank = -1;
  pid_t process = 0;
  std::int64_t stopped_ns = 0;       ///< for how long its threads were stopped, at most
  std::string problem;               ///< why there is less than all; empty: nothing is missing
  std::vector<ThreadStack> threads;  ///< the main one first
  std::vector<std::string> notes;    ///< sentences of its files: "'solver' has been stripped"

  bool operator==(const RankStacks&) const = default;
};

[[nodiscard]] std::string to_text(const std::vector<RankStacks>& stacks);

/// What is no such line is left out.
[[nodiscard]] std::vector<RankStacks> stacks_from_text(const std::string& text);

}  // namespace starling::observe
