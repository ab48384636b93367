// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "python_layout.hpp"

#include <cstring>

namespace starling::symbolize {
namespace {

constexpr PythonLayout kPython311 = {
    .minor = 11,
    .first_interpreter = 40,
    .next_interpreter = 0,
    .first_thread = 16,
    .next_thread = 8,
    .native_thread = 160,
    .frame = 56,
    .frame_of_cframe = 8,
    .has_cframe = true,
    .previous = 48,
    .code = 32,
    .instruction = 56,
    .owner = 69,
    .is_entry = 68,
    .first_line = 72,
    .filename = 112,
    .qualified_name = 128,
    .line_table = 136,
    .instructions = 184,
    .ascii_text = 48,
    .other_text = 72,
};

constexpr PythonLayout kPython312 = {
    .minor = 12,
    .first_interpreter = 40,
    .next_interpreter = 0,
    .first_thread = 72,
    .next_thread = 8,
    .native_thread = 144,
    .frame = 56,
    .frame_of_cframe = 0,
    .has_cframe = true,
    .previous = 8,
    .code = 0,
    .instruction = 56,
    .owner = 70,
    .is_entry = 0,
    .first_line = 68,
    .filename = 112,
    .qualified_name = 128,
    .line_table = 136,
    .instructions = 192,
    .ascii_text = 40,
    .other_text = 56,
};

constexpr PythonLayout kPython313 = {
    .minor = 13,
    .first_interpreter = 632,
    .next_interpreter = 7264,
    .first_thread = 7344,
    .next_thread = 8,
    .native_thread = 160,
    .frame = 72,
    .frame_of_cframe = 0,
    .has_cframe = false,
    .previous = 8,
    .code = 0,
    .instruction = 56,
    .owner = 70,
    .is_entry = 0,
    .first_line = 68,
    .filename = 112,
    .qualified_name = 128,
    .line_table = 136,
    .instructions = 200,
    .ascii_text = 40,
    .other_text = 56,
};

}  // namespace

std::optional<PythonLayout> python_layout(int minor) {
  for (const PythonLayout& layout : {kPython311, kPython312, kPython313}) {
    if (layout.minor == minor) return layout;
  }
  return std::nullopt;
}

bool take_own_layout(PythonLayout& layout, const std::uint64_t* words, std::size_t count) {
  constexpr int kFirstWithWords = 13;
  constexpr std::size_t kNeeded = 42;
  if (layout.minor < kFirstWithWords) return true;
  // Objects are larger in a build without the global lock, which the third word tells.
  if (count < kNeeded || std::memcmp(words, "xdebugpy", sizeof *words) != 0 || words[2] != 0) return false;
  const auto take = [&](std::uint32_t& offset, std::size_t word) { offset = static_cast<std::uint32_t>(words[word]); };
  take(layout.first_interpreter, 5);
  take(layout.next_interpreter, 8);
  take(layout.first_thread, 9);
  take(layout.next_thread, 21);
  take(layout.frame, 23);
  take(layout.native_thread, 25);
  take(layout.previous, 29);
  take(layout.code, 30);
  take(layout.instruction, 31);
  take(layout.owner, 33);
  take(layout.filename, 35);
  take(layout.qualified_name, 37);
  take(layout.line_table, 38);
  take(layout.first_line, 39);
  return true;
}

}  // namespace starling::symbolize
