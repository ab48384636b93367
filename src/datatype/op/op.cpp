// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/op/op.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.hpp"
#include "datatype/op/kernels.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::datatype {
namespace {

constexpr unsigned bit(Group group) { return 1U << static_cast<unsigned>(group); }

constexpr unsigned kOrdered =
    bit(Group::kCInteger) | bit(Group::kFortranInteger) | bit(Group::kFloatingPoint) | bit(Group::kMultiLanguage);
constexpr unsigned kAdditive = kOrdered | bit(Group::kComplex);
constexpr unsigned kBitwise =
    bit(Group::kCInteger) | bit(Group::kFortranInteger) | bit(Group::kByte) | bit(Group::kMultiLanguage);
constexpr unsigned kTruth = bit(Group::kCInteger) | bit(Group::kLogical) | bit(Group::kMultiLanguage);
constexpr unsigned kLocated = bit(Group::kPair);

struct OpInfo {
  const char* name;
  unsigned groups;    // the types that the standard allows
  const char* takes;  // the same in words
};

constexpr std::array<OpInfo, kPredefinedOpCount + 1> kOps = {{
    {"MPI_SUM", kAdditive, "integer, floating-point and complex types"},
    {"MPI_MIN", kOrdered, "integer and floating-point types"},
    {"MPI_MAX", kOrdered, "integer and floating-point types"},
    {"MPI_PROD", kAdditive, "integer, floating-point and complex types"},
    {"MPI_BAND", kBitwise, "integer types and MPI_BYTE"},
    {"MPI_BOR", kBitwise, "integer types and MPI_BYTE"},
    {"MPI_BXOR", kBitwise, "integer types and MPI_BYTE"},
    {"MPI_LAND", kTruth, "C integer and logical types"},
    {"MPI_LOR", kTruth, "C integer and logical types"},
    {"MPI_LXOR", kTruth, "C integer and logical types"},
    {"MPI_MINLOC", kLocated, "pair types such as MPI_DOUBLE_INT"},
    {"MPI_MAXLOC", kLocated, "pair types such as MPI_DOUBLE_INT"},
    {"MPI_REPLACE", ~0U, "all types"},
    {"MPI_NO_OP", ~0U, "all types"},
    {"user-defined", ~0U, "all types"},
}};

const OpInfo& facts(PredefinedOp op) { return kOps[static_cast<std::size_t>(op)]; }

/// What each operator computes each type with; Arithmetic::kNone where the standard does not define the pair.
struct Pairs {
  std::array<std::array<Arithmetic, kBasicCount + 1>, kKernelOpCount> arithmetic;
};
constexpr Pairs kPairs = [] {
  constexpr Group kGroups[] = {
#define STARLING_GROUP(id, code, text, group, arithmetic) Group::group,
      STARLING_BASIC_TYPES(STARLING_GROUP)
#undef STARLING_GROUP
  };
  constexpr Arithmetic kArithmetics[] = {
#define STARLING_ARITHMETIC(id, code, text, group, arithmetic) Arithmetic::arithmetic,
      STARLING_BASIC_TYPES(STARLING_ARITHMETIC)
#undef STARLING_ARITHMETIC
  };
  Pairs pairs{};
  for (std::size_t op = 0; op < kKernelOpCount; ++op) {
    pairs.arithmetic[op][kBasicCount] = Arithmetic::kNone;
    for (std::size_t type = 0; type < kBasicCount; ++type) {
      const bool defined = (kOps[op].groups & bit(kGroups[type])) != 0;
      pairs.arithmetic[op][type] = defined ? kArithmetics[type] : Arithmetic::kNone;
    }
  }
  return pairs;
}();

constexpr Op kPredefinedOps[] = {
    Op(ImmortalTag{}, PredefinedOp::kSum),     Op(ImmortalTag{}, PredefinedOp::kMin),
    Op(ImmortalTag{}, PredefinedOp::kMax),     Op(ImmortalTag{}, PredefinedOp::kProd),
    Op(ImmortalTag{}, PredefinedOp::kBand),    Op(ImmortalTag{}, PredefinedOp::kBor),
    Op(ImmortalTag{}, PredefinedOp::kBxor),    Op(ImmortalTag{}, PredefinedOp::kLand),
    Op(ImmortalTag{}, PredefinedOp::kLor),     Op(ImmortalTag{}, PredefinedOp::kLxor),
    Op(ImmortalTag{}, PredefinedOp::kMinloc),  Op(ImmortalTag{}, PredefinedOp::kMaxloc),
    Op(ImmortalTag{}, PredefinedOp::kReplace), Op(ImmortalTag{}, PredefinedOp::kNoOp),
};

}  // namespace

const char* name(PredefinedOp op) noexcept { return facts(op).name; }

const Op& predefined(PredefinedOp op) noexcept { return kPredefinedOps[static_cast<std::size_t>(op)]; }

namespace internal {
const KernelsHere kKernelsHere = [] {
  const KernelTable& kernels = kernels_of_processor();
  KernelsHere here{};
  for (std::size_t op = 0; op < kKernelOpCount; ++op) {
    for (std::size_t type = 0; type <= kBasicCount; ++type) {
      here.entries[op][type] = kernels.entries[op][static_cast<std::size_t>(kPairs.arithmetic[op][type])];
    }
  }
  return here;
}();
}  // namespace internal

Status check(const Op& op, const Datatype& type) {
  if (valid(op, type)) return {};
  if (type.is_predefined()) {
    return Status::error(ErrorClass::kOp, formatted("{} does not take {}; it is defined for {}", op.name(), type.name(),
                                                    facts(op.predefined_op()).takes));
  }
  return Status::error(ErrorClass::kOp,
                       formatted("{} does not take derived datatypes; predefined operators take predefined types only, "
                                 "so make one with MPI_Op_create",
                                 op.name()));
}

Result<Ref<Op>> Op::user(Function function, Commutes commutes) {
  if (!function) return Status::error(ErrorClass::kArg, "the function of a reduction operator is null");
  return Ref<Op>::adopt(new Op(function, nullptr, commutes));
}

Result<Ref<Op>> Op::user_large(LargeFunction function, Commutes commutes) {
  if (!function) return Status::error(ErrorClass::kArg, "the function of a reduction operator is null");
  return Ref<Op>::adopt(new Op(nullptr, function, commutes));
}

Status Op::apply_otherwise(const void* in, void* inout, std::int64_t count, const Datatype& type) const {
  if (count == 0) return {};
  if (count < 0) return Status::error(ErrorClass::kCount, formatted("count is {}, but must not be negative", count));
  switch (predefined_) {
    case PredefinedOp::kNone: apply_user(in, inout, count, type); return {};
    case PredefinedOp::kNoOp: return {};
    case PredefinedOp::kReplace: return std::move(copy(in, count, type, inout, count, type)).status();
    default: return check(*this, type);
  }
}

void Op::apply_user(const void* in, void* inout, std::int64_t count, const Datatype& type) const {
  void* handle = type.user_handle();
  // The standard gives the first vector to the function as not const.
  auto* from = static_cast<char*>(const_cast<void*>(in));
  auto* to = static_cast<char*>(inout);
  if (large_function_) {
    large_function_(from, to, &count, &handle);
    return;
  }
  while (count > 0) {
    int slice = static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
    const std::int64_t elements = slice;
    function_(from, to, &slice, &handle);
    count -= elements;
    if (count > 0) {
      from += elements * type.extent();
      to += elements * type.extent();
    }
  }
}

}  // namespace starling::datatype
