// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "python_frames.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/format.hpp"
#include "names.hpp"

namespace starling::symbolize {
namespace {

constexpr std::uint8_t kOwnedByCStack = 3;  // since 3.12: a frame that only stands for a call of the C function

/// 11 of "python3.11", "libpython3.11.so.1.0"; 0: it is no interpreter.
int python_minor(const std::string& path) {
  const std::string name = last_part(path);
  for (const std::string_view start : {"python3.", "libpython3."}) {
    if (name.starts_with(start)) return std::atoi(name.c_str() + start.size());
  }
  return 0;
}

/// UTF-8 of characters of 1, 2 or 4 bytes.
std::string utf8(const std::string& bytes, std::size_t width) {
  std::string text;
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    std::uint32_t code = 0;
    std::memcpy(&code, bytes.data() + at, width);
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    } else if (code < 0x10000) {
      text += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
               static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      text += {static_cast<char>(0xf0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3f)),
               static_cast<char>(0x80 | (code >> 6 & 0x3f)), static_cast<char>(0x80 | (code & 0x3f))};
    }
  }
  return text;
}

}  // namespace

std::optional<Python> Python::find(const MemoryMap& map, ProgramFiles& files, std::string* problem) {
  int minor = 0;
  std::string problem_here;
  for (const Mapping& mapping : map.mappings()) {
    minor = mapping.inode != 0 && mapping.offset == 0 ? python_minor(mapping.path) : 0;
    ProgramFile* const file = minor > 0 ? files.of(map.process(), mapping) : nullptr;
    const auto runtime = file != nullptr ? file->address_of("_PyRuntime") : std::nullopt;
    const auto start = runtime ? file->address_of(std::uint64_t{0}) : std::nullopt;
    if (!start) continue;
    std::optional<PythonLayout> layout = python_layout(minor);
    const std::uint64_t address = mapping.start + *runtime - *start;
    std::uint64_t words[64] = {};
    const std::size_t count = read_memory(map.process(), address, words, sizeof words) / sizeof *words;
    if (layout && take_own_layout(*layout, words, count)) return Python(map.process(), address, *layout);
    *problem = formatted("its Python functions are not shown: the layouts of Python {} are known, and it runs {} 3.{}",
                         kKnownPythons, layout ? "another build of" : "version", minor);
    return std::nullopt;
  }
  return std::nullopt;
}

std::uint64_t Python::pointer_at(std::uint64_t address) const {
  return read_value<std::uint64_t>(process_, address).value_or(0);
}

std::uint64_t Python::find_thread(pid_t thread, bool is_main) const {
  constexpr int kMost = 10'000;  // a list that changes meanwhile may seem to have no end
  int seen = 0;
  std::uint64_t oldest = 0;
  std::uint64_t interpreter = pointer_at(runtime_ + layout_.first_interpreter);
  for (; interpreter != 0 && seen < kMost; interpreter = pointer_at(interpreter + layout_.next_interpreter)) {
    std::uint64_t state = pointer_at(interpreter + layout_.first_thread);
    for (; state != 0 && seen < kMost; state = pointer_at(state + layout_.next_thread), ++seen) {
      if (pointer_at(state + layout_.native_thread) == static_cast<std::uint64_t>(thread)) return state;
      oldest = state;
    }
  }
  // After a fork the number may be that of the parent.
  return is_main ? oldest : 0;
}

std::vector<PythonFrame> Python::frames_of(pid_t thread, bool is_main) const {
  constexpr std::size_t kMostFrames = 1000;
  std::vector<PythonFrame> frames;
  const std::uint64_t state = find_thread(thread, is_main);
  if (state == 0) return frames;
  std::uint64_t frame = pointer_at(state + layout_.frame);
  if (layout_.has_cframe && frame != 0) frame = pointer_at(frame + layout_.frame_of_cframe);
  for (; frame != 0 && frames.size() < kMostFrames; frame = pointer_at(frame + layout_.previous)) {
    const auto owner = read_value<std::uint8_t>(process_, frame + layout_.owner);
    if (!owner) break;
    if (layout_.is_entry == 0 && *owner == kOwnedByCStack) {
      if (!frames.empty()) frames.back().ends_call = true;
      continue;
    }
    const std::uint64_t code = pointer_at(frame + layout_.code);
    PythonFrame found;
    found.function = text_at(pointer_at(code + layout_.qualified_name));
    found.file = text_at(pointer_at(code + layout_.filename));
    found.line = line_of(code, pointer_at(frame + layout_.instruction));
    if (layout_.is_entry != 0) {
      found.ends_call = read_value<std::uint8_t>(process_, frame + layout_.is_entry).value_or(1) != 0;
    }
    frames.push_back(std::move(found));
  }
  return frames;
}

std::string Python::text_at(std::uint64_t object) const {
  constexpr std::uint64_t kLongest = 4096;
  constexpr std::uint64_t kLength = 16;  // PyASCIIObject
  constexpr std::uint64_t kState = 32;
  const std::uint64_t length = std::min(pointer_at(object + kLength), kLongest);
  const auto state = read_value<std::uint32_t>(process_, object + kState);
  if (object == 0 || !state) return {};
  const std::uint32_t width = *state >> 2 & 7;
  const bool is_ascii = (*state >> 6 & 1) != 0;
  if (width != 1 && width != 2 && width != 4) return {};
  std::string bytes(length * width, '\0');
  const std::uint64_t at = object + (is_ascii ? layout_.ascii_text : layout_.other_text);
  bytes.resize(read_memory(process_, at, bytes.data(), bytes.size()));
  return utf8(bytes, width);
}

int Python::line_of(std::uint64_t code, std::uint64_t instruction) const {
  constexpr std::uint64_t kLongest = 1 << 20;
  constexpr std::uint64_t kSize = 16;  // PyBytesObject
  constexpr std::uint64_t kBytes = 32;
  constexpr std::int64_t kInstruction = 2;
  const int first_line = read_value<int>(process_, code + layout_.first_line).value_or(0);
  const std::uint64_t object = pointer_at(code + layout_.line_table);
  std::string table(std::min(pointer_at(object + kSize), kLongest), '\0');
  table.resize(read_memory(process_, object + kBytes, table.data(), table.size()));
  const auto offset = static_cast<std::int64_t>(instruction - (code + layout_.instructions));
  return line_in_table(table, first_line, offset / kInstruction);
}

int line_in_table(const std::string& table, int first_line, std::int64_t instruction) {
  constexpr unsigned kStart = 0x80;
  constexpr unsigned kNone = 15;
  constexpr unsigned kLong = 14;
  constexpr unsigned kNoColumns = 13;
  constexpr unsigned kOneLine = 10;
  int line = first_line;
  int answer = first_line;
  std::int64_t at_instruction = 0;
  for (std::size_t at = 0; at < table.size();) {
    const unsigned head = static_cast<unsigned char>(table[at]);
    const unsigned code = head >> 3 & 15;
    if (code == kLong || code == kNoColumns) {
      unsigned value = 0;
      unsigned shift = 0;
      for (std::size_t digit = at + 1; digit < table.size(); ++digit, shift += 6) {
        value |= (static_cast<unsigned>(table[digit]) & 63u) << shift;
        if ((static_cast<unsigned>(table[digit]) & 64u) == 0 || shift > 24) break;
      }
      line += (value & 1) != 0 ? -static_cast<int>(value >> 1) : static_cast<int>(value >> 1);
    } else if (code >= kOneLine && code < kNoColumns) {
      line += static_cast<int>(code - kOneLine);
    }
    if (code != kNone) answer = line;
    at_instruction += (head & 7) + 1;
    if (at_instruction > instruction) return answer;
    for (++at; at < table.size() && (static_cast<unsigned char>(table[at]) & kStart) == 0;) ++at;
  }
  return answer;
}

}  // namespace starling::symbolize
