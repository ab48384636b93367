// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "unwind.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "frame_expression.hpp"

namespace starling::symbolize {
namespace {

using FreeFrame = std::unique_ptr<Dwarf_Frame, void (*)(void*)>;

class Unwinder {
 public:
  Unwinder(const MemoryMap& map, ProgramFiles& files, const StackCopy& stack)
      : map_(map), files_(files), stack_(stack), read_([this](std::uint64_t address) { return word(address); }) {}

  /// The registers in the caller of a frame. interrupted: the address is that of the next instruction, not behind a
  /// call; afterwards, whether that holds for the caller, which a signal may have interrupted.
  [[nodiscard]] std::optional<Registers> caller(const Registers& registers, bool* interrupted) const {
    const FreeFrame frame = find_frame(*interrupted ? registers.pc : registers.pc - 1);
    if (frame != nullptr) return by_table(frame.get(), registers, interrupted);
    *interrupted = false;
    return by_frame_pointer(registers);
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address) const {
    std::uint64_t value = 0;
    const std::uint64_t offset = address - stack_.start;
    if (address >= stack_.start && offset + sizeof value <= stack_.bytes.size()) {
      std::memcpy(&value, stack_.bytes.data() + offset, sizeof value);
      return value;
    }
    return read_value<std::uint64_t>(map_.process(), address);
  }

  [[nodiscard]] FreeFrame find_frame(std::uint64_t address) const {
    Dwarf_Frame* frame = nullptr;
    const Mapping* const mapping = map_.find(address);
    ProgramFile* const file = mapping != nullptr ? files_.of(map_.process(), *mapping) : nullptr;
    const auto in_file = file ? file->address_of(address - mapping->start + mapping->offset) : std::nullopt;
    for (const bool of_debug_information : {false, true}) {
      if (!in_file || frame != nullptr) break;
      Dwarf_CFI* const table = file->unwind_table(of_debug_information);
      if (table != nullptr && dwarf_cfi_addrframe(table, *in_file, &frame) != 0) frame = nullptr;
    }
    return {frame, std::free};
  }

  [[nodiscard]] std::optional<Registers> by_table(Dwarf_Frame* frame, const Registers& registers,
                                                  bool* interrupted) const {
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_cfa(frame, &operations, &count) != 0) return std::nullopt;
    const auto frame_address = evaluate(operations, count, registers, 0, read_);
    const int return_register = dwarf_frame_info(frame, nullptr, nullptr, interrupted);
    if (!frame_address || return_register < 0 || return_register >= static_cast<int>(kRegisters)) return std::nullopt;
    Registers found;
    for (std::size_t i = 0; i < kRegisters; ++i) {
      const std::optional<std::uint64_t> value = saved(frame, i, registers, frame_address->value);
      found.known[i] = value.has_value();
      found.values[i] = value.value_or(0);
    }
    if (!found.known[kStackPointer]) found.values[kStackPointer] = frame_address->value;
    found.known[kStackPointer] = true;
    const auto column = static_cast<std::size_t>(return_register);
    if (!found.known[column]) return std::nullopt;
    found.pc = found.values[column];
    return found;
  }

  /// The caller's value of a register.
  [[nodiscard]] std::optional<std::uint64_t> saved(Dwarf_Frame* frame, std::size_t number, const Registers& registers,
                                                   std::uint64_t frame_address) const {
    Dwarf_Op memory[3];
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(frame, static_cast<int>(number), memory, &operations, &count) != 0) return std::nullopt;
    if (count == 0) {
      const bool is_same = operations == nullptr && registers.known[number];
      return is_same ? std::optional(registers.values[number]) : std::nullopt;
    }
    const auto result = evaluate(operations, count, registers, frame_address, read_);
    if (!result) return std::nullopt;
    return result->is_address ? word(result->value) : result->value;
  }

  /// Where there is no table: as programs do that keep a frame pointer.
  [[nodiscard]] std::optional<Registers> by_frame_pointer(const Registers& registers) const {
    const std::uint64_t frame = registers.values[kFramePointer];
    if (!registers.known[kFramePointer] || frame < registers.stack_pointer() || frame % sizeof frame != 0)
      return std::nullopt;
    const auto outer = word(frame);
    const auto back = word(frame + sizeof frame);
    if (!outer || !back || map_.find(*back) == nullptr) return std::nullopt;
    Registers found;
    found.pc = *back;
    found.values[kFramePointer] = *outer;
    found.values[kStackPointer] = frame + 2 * sizeof frame;
    found.known[kFramePointer] = found.known[kStackPointer] = true;
    return found;
  }

  const MemoryMap& map_;
  ProgramFiles& files_;
  const StackCopy& stack_;
  ReadWord read_;
};

}  // namespace

std::vector<FrameAddress> unwind(const MemoryMap& map, ProgramFiles& files, const Registers& registers,
                                 const StackCopy& stack) {
  constexpr std::size_t kMostFrames = 1000;
  const Unwinder unwinder(map, files, stack);
  std::vector<FrameAddress> frames;
  std::optional<Registers> at = registers;
  bool interrupted = true;
  while (at && at->pc != 0 && frames.size() < kMostFrames) {
    frames.push_back({interrupted ? at->pc : at->pc - 1, at->stack_pointer()});
    const std::uint64_t before = at->stack_pointer();
    at = unwinder.caller(*at, &interrupted);
    const bool is_first = frames.size() == 1;
    if (at && (at->stack_pointer() < before || (at->stack_pointer() == before && !is_first))) break;  // damaged
  }
  return frames;
}

}  // namespace starling::symbolize
