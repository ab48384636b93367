// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction operators, predefined and the user's.
//
// Owned by Ref; operations in flight hold one, so an operator lives on after MPI_Op_free. Predefined ones are
// constants. Thread safety: immutable. A user's function runs on the thread that applies the operator. Source: MPI-5.0
// chapter 6.9 (6.9.2 which operator takes which type, 6.9.4 minloc and maxloc, 6.9.5 user functions).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "datatype/op/predefined_op.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::datatype {

namespace internal {
/// By operator and type, for the processor that the library was loaded on.
struct KernelsHere {
  Kernel entries[kPredefinedOpCount + 1][kBasicCount + 1];
};
extern const KernelsHere kKernelsHere;
}  // namespace internal

/// The kernel for a predefined operator on a predefined type, or null: the standard does not define the pair, or the
/// operator only copies (replace, no_op), or is the user's.
[[nodiscard]] inline Kernel find_kernel(PredefinedOp op, Basic type) noexcept {
  return internal::kKernelsHere.entries[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)];
}

enum class Commutes : std::uint8_t { kNo, kYes };

class Op : public RefCounted<Op> {
 public:
  /// MPI_User_function and MPI_User_function_c as plain C: the last argument is the address of the datatype's handle.
  using Function = void (*)(void* in, void* inout, int* count, void* datatype_handle_address);
  using LargeFunction = void (*)(void* in, void* inout, std::int64_t* count, void* datatype_handle_address);

  static Result<Ref<Op>> user(Function function, Commutes commutes);
  static Result<Ref<Op>> user_large(LargeFunction function, Commutes commutes);

  constexpr Op(ImmortalTag tag, PredefinedOp op) noexcept
      : RefCounted(tag), predefined_(op), commutes_(Commutes::kYes) {
    if (op == PredefinedOp::kReplace) commutes_ = Commutes::kNo;
  }

  [[nodiscard]] bool is_predefined() const noexcept { return predefined_ != PredefinedOp::kNone; }
  [[nodiscard]] PredefinedOp predefined_op() const noexcept { return predefined_; }
  [[nodiscard]] bool commutative() const noexcept { return commutes_ == Commutes::kYes; }
  /// Replace and no_op: not an operator for reductions.
  [[nodiscard]] bool is_for_rma_only() const noexcept {
    return predefined_ == PredefinedOp::kReplace || predefined_ == PredefinedOp::kNoOp;
  }
  [[nodiscard]] const char* name() const noexcept { return datatype::name(predefined_); }

  /// inout = in OP inout, element by element. ErrorClass::kOp when the operator does not take the type.
  Status apply(const void* in, void* inout, std::int64_t count, const Datatype& type) const {
    if (const Kernel kernel = type.is_predefined() ? find_kernel(predefined_, type.basic()) : nullptr;
        kernel != nullptr && count > 0) [[likely]] {
      kernel(in, inout, count);
      return {};
    }
    return apply_otherwise(in, inout, count, type);
  }

 private:
  friend class RefCounted<Op>;
  Op(Function function, LargeFunction large_function, Commutes commutes) noexcept
      : commutes_(commutes), function_(function), large_function_(large_function) {}

  /// Where there is no kernel, or nothing to do.
  Status apply_otherwise(const void* in, void* inout, std::int64_t count, const Datatype& type) const;
  void apply_user(const void* in, void* inout, std::int64_t count, const Datatype& type) const;

  PredefinedOp predefined_ = PredefinedOp::kNone;
  Commutes commutes_ = Commutes::kNo;
  Function function_ = nullptr;
  LargeFunction large_function_ = nullptr;
};

/// The constant object of a predefined operator.
[[nodiscard]] const Op& predefined(PredefinedOp op) noexcept;

/// Whether the operator takes elements of this type.
[[nodiscard]] inline bool valid(const Op& op, const Datatype& type) noexcept {
  if (type.is_predefined() && find_kernel(op.predefined_op(), type.basic()) != nullptr) [[likely]]
    return true;
  return !op.is_predefined() || op.is_for_rma_only();
}

/// Ok, or ErrorClass::kOp with a message that names both.
Status check(const Op& op, const Datatype& type);

}  // namespace starling::datatype
