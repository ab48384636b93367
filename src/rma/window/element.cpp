// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/window/element.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace starling::rma {
namespace {

using datatype::Arithmetic;
using datatype::Basic;
using datatype::PredefinedOp;

/// Through memcpy: a displacement need not be a multiple of the element's size.
template <typename T, typename Operation>
void combine(const void* origin, void* at, void* result) noexcept {
  T old;
  std::memcpy(&old, at, sizeof old);
  std::memcpy(result, &old, sizeof old);
  if constexpr (Operation::kStores) {
    T operand;
    std::memcpy(&operand, origin, sizeof operand);
    const T made = Operation::of(operand, old);
    std::memcpy(at, &made, sizeof made);
  }
}

struct Sum {
  static constexpr bool kStores = true;
  template <typename T>
  static T of(T operand, T old) noexcept {
    return static_cast<T>(operand + old);
  }
};
struct Replace {
  static constexpr bool kStores = true;
  template <typename T>
  static T of(T operand, T /*old*/) noexcept {
    return operand;
  }
};
struct Or {
  static constexpr bool kStores = true;
  template <typename T>
  static T of(T operand, T old) noexcept {
    return operand | old;
  }
};
struct Nothing {
  static constexpr bool kStores = false;
};

template <typename Operation>
Combine moves(std::uint8_t size) noexcept {
  return size == 8 ? combine<std::uint64_t, Operation> : size == 4 ? combine<std::uint32_t, Operation> : nullptr;
}

// Sums of signed integers wrap around, as those of unsigned ones do.
Combine sums(Arithmetic arithmetic) noexcept {
  switch (arithmetic) {
    case Arithmetic::kInt64:
    case Arithmetic::kUint64: return combine<std::uint64_t, Sum>;
    case Arithmetic::kInt32:
    case Arithmetic::kUint32: return combine<std::uint32_t, Sum>;
    case Arithmetic::kFloat64: return combine<double, Sum>;
    case Arithmetic::kFloat32: return combine<float, Sum>;
    default: return nullptr;
  }
}

bool is_integer(const datatype::BasicInfo& info) noexcept {
  return info.group == datatype::Group::kCInteger || info.group == datatype::Group::kFortranInteger ||
         info.group == datatype::Group::kMultiLanguage;
}

Combine make(PredefinedOp op, Basic type) noexcept {
  const datatype::BasicInfo& info = datatype::info(type);
  if (has_gaps(info) || info.size != info.true_extent) return nullptr;
  const bool numeric = is_integer(info) || info.group == datatype::Group::kFloatingPoint;
  switch (op) {
    case PredefinedOp::kReplace: return moves<Replace>(info.size);
    case PredefinedOp::kNoOp: return moves<Nothing>(info.size);
    case PredefinedOp::kSum: return numeric ? sums(info.arithmetic) : nullptr;
    case PredefinedOp::kBor: return is_integer(info) ? moves<Or>(info.size) : nullptr;
    default: return nullptr;
  }
}

using Table = std::array<std::array<Combine, datatype::kBasicCount>, datatype::kPredefinedOpCount>;

Table make_table() noexcept {
  Table table{};
  for (std::size_t op = 0; op < table.size(); ++op) {
    for (std::size_t type = 0; type < table[op].size(); ++type) {
      table[op][type] = make(static_cast<PredefinedOp>(op), static_cast<Basic>(type));
    }
  }
  return table;
}

const Table kTable = make_table();

}  // namespace

Combine find_combine(PredefinedOp op, Basic type) noexcept {
  if (op == PredefinedOp::kNone || type == Basic::kNone) return nullptr;
  return kTable[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)];
}

}  // namespace starling::rma
