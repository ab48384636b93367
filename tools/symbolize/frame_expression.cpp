// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "frame_expression.hpp"

#include <dwarf.h>

#include <vector>

namespace starling::symbolize {
namespace {

class Evaluation {
 public:
  Evaluation(const Registers& registers, std::uint64_t frame_address, const ReadWord& read)
      : registers_(registers), frame_address_(frame_address), read_(read) {}

  [[nodiscard]] bool run(const Dwarf_Op& operation) {
    const unsigned code = operation.atom;
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31) return push(code - DW_OP_lit0);
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31) return push_register(code - DW_OP_breg0, operation.number);
    if (code >= DW_OP_reg0 && code <= DW_OP_reg31) return is_address_ = false, push_register(code - DW_OP_reg0, 0);
    switch (code) {
      case DW_OP_bregx: return push_register(operation.number, operation.number2);
      case DW_OP_regx: return is_address_ = false, push_register(operation.number, 0);
      case DW_OP_call_frame_cfa: return push(frame_address_);
      case DW_OP_addr:
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts: return push(operation.number);
      case DW_OP_stack_value: is_address_ = false; return !stack_.empty();
      case DW_OP_plus_uconst: return !stack_.empty() && (stack_.back() += operation.number, true);
      case DW_OP_deref: return dereference();
      default: return combine(code);
    }
  }

  [[nodiscard]] std::optional<ExpressionValue> result() const {
    if (stack_.empty()) return std::nullopt;
    return ExpressionValue{stack_.back(), is_address_};
  }

 private:
  bool push(std::uint64_t value) {
    stack_.push_back(value);
    return true;
  }
  bool push_register(std::uint64_t number, std::uint64_t offset) {
    if (number >= kRegisters || !registers_.known[number]) return false;
    return push(registers_.values[number] + offset);
  }
  bool dereference() {
    const std::optional<std::uint64_t> word = stack_.empty() ? std::nullopt : read_(stack_.back());
    if (word) stack_.back() = *word;
    return word.has_value();
  }
  bool combine(unsigned code) {
    if (stack_.size() < 2) return false;
    const std::uint64_t second = stack_.back();
    stack_.pop_back();
    std::uint64_t& first = stack_.back();
    constexpr std::uint64_t kBits = 64;
    switch (code) {
      case DW_OP_plus: first += second; return true;
      case DW_OP_minus: first -= second; return true;
      case DW_OP_mul: first *= second; return true;
      case DW_OP_and: first &= second; return true;
      case DW_OP_or: first |= second; return true;
      case DW_OP_shl: first = second < kBits ? first << second : 0; return true;
      case DW_OP_shr: first = second < kBits ? first >> second : 0; return true;
      case DW_OP_ge: first = static_cast<std::int64_t>(first) >= static_cast<std::int64_t>(second); return true;
      case DW_OP_gt: first = static_cast<std::int64_t>(first) > static_cast<std::int64_t>(second); return true;
      case DW_OP_le: first = static_cast<std::int64_t>(first) <= static_cast<std::int64_t>(second); return true;
      case DW_OP_lt: first = static_cast<std::int64_t>(first) < static_cast<std::int64_t>(second); return true;
      case DW_OP_eq: first = first == second; return true;
      case DW_OP_ne: first = first != second; return true;
      default: return false;
    }
  }

  const Registers& registers_;
  std::uint64_t frame_address_;
  const ReadWord& read_;
  std::vector<std::uint64_t> stack_;
  bool is_address_ = true;
};

}  // namespace

std::optional<ExpressionValue> evaluate(const Dwarf_Op* operations, std::size_t count, const Registers& registers,
                                        std::uint64_t frame_address, const ReadWord& read) {
  Evaluation evaluation(registers, frame_address, read);
  for (std::size_t i = 0; i < count; ++i) {
    if (!evaluation.run(operations[i])) return std::nullopt;
  }
  return evaluation.result();
}

}  // namespace starling::symbolize
