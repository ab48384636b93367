// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where CPython keeps the frames of its functions, by version.
// Thread safety: pure functions. Source: the headers of CPython 3.11, 3.12 and 3.13 on 64-bit Linux
// (internal/pycore_frame.h, cpython/pystate.h, cpython/code.h); since 3.13 _PyRuntime begins with its own layout,
// which is preferred (internal/pycore_runtime.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starling::symbolize {

/// Offsets in bytes.
struct PythonLayout {
  int minor = 0;                        ///< of version 3
  std::uint32_t first_interpreter = 0;  ///< in _PyRuntime
  std::uint32_t next_interpreter = 0;   ///< in an interpreter
  std::uint32_t first_thread = 0;
  std::uint32_t next_thread = 0;  ///< in a thread
  std::uint32_t native_thread = 0;
  std::uint32_t frame = 0;            ///< the innermost one; in 3.11 and 3.12 a pointer to what points to it
  std::uint32_t frame_of_cframe = 0;  ///< there
  bool has_cframe = false;
  std::uint32_t previous = 0;  ///< in a frame
  std::uint32_t code = 0;
  std::uint32_t instruction = 0;
  std::uint32_t owner = 0;
  std::uint32_t is_entry = 0;    ///< 3.11: whether the C function that runs it was called for it; 0: owner says it
  std::uint32_t first_line = 0;  ///< in a code object
  std::uint32_t filename = 0;
  std::uint32_t qualified_name = 0;
  std::uint32_t line_table = 0;
  std::uint32_t instructions = 0;
  std::uint32_t ascii_text = 0;  ///< in a string
  std::uint32_t other_text = 0;
};

inline constexpr const char* kKnownPythons = "3.11, 3.12 and 3.13";

/// Nothing: this version is not known.
[[nodiscard]] std::optional<PythonLayout> python_layout(int minor);

/// Since 3.13 _PyRuntime begins with words that say where things are; they hold. False: these words are not as in that
/// version, or nothing is known of this build.
[[nodiscard]] bool take_own_layout(PythonLayout& layout, const std::uint64_t* words, std::size_t count);

}  // namespace starling::symbolize
