// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The frames of a Python program, read out of its interpreter's memory.
// Thread safety: none; the thread whose frames are read must be stopped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory_map.hpp"
#include "program_file.hpp"
#include "python_layout.hpp"

namespace starling::symbolize {

struct PythonFrame {
  std::string function;
  std::string file;
  int line = 0;
  /// It is the outermost that one call of the interpreter's C function runs.
  bool ends_call = false;
};

/// The interpreter in a process.
class Python {
 public:
  /// Nothing: the process has no interpreter, or, with a sentence in problem, one that is not known.
  [[nodiscard]] static std::optional<Python> find(const MemoryMap& map, ProgramFiles& files, std::string* problem);

  /// The innermost first. thread: its number as the process itself knows it.
  [[nodiscard]] std::vector<PythonFrame> frames_of(pid_t thread, bool is_main) const;

 private:
  Python(pid_t process, std::uint64_t runtime, const PythonLayout& layout)
      : process_(process), runtime_(runtime), layout_(layout) {}

  [[nodiscard]] std::uint64_t pointer_at(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t find_thread(pid_t thread, bool is_main) const;
  [[nodiscard]] std::string text_at(std::uint64_t object) const;
  [[nodiscard]] int line_of(std::uint64_t code, std::uint64_t instruction) const;

  pid_t process_;
  std::uint64_t runtime_;
  PythonLayout layout_;
};

/// The line of an instruction by the table of a code object. Source: CPython, Objects/locations.md (PEP 626).
[[nodiscard]] int line_in_table(const std::string& table, int first_line, std::int64_t instruction);

}  // namespace starling::symbolize
