// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Predefined datatypes that are asked for by what they can hold: Fortran kinds by precision and range, and pairs of a
// value and an index. Source: MPI-5.0, chapters 6.9.4 and 19.1.9.
#include <algorithm>
#include <array>
#include <cfloat>
#include <iterator>
#include <map>
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"

namespace starling::mpi {

/// Types without names that a Fortran kind asked for, by combiner, precision and range: made once, never freed.
struct FortranTypes {
  std::map<std::array<int, 3>, MPI_Datatype> made;
};

namespace {

using datatype::Basic;
using datatype::Combiner;

/// A kind of real: the decimal digits and the decimal exponent range that Fortran's intrinsics report.
struct RealKind {
  int precision;
  int range;
  Basic real;
  Basic complex;
};

// The kinds that Fortran compilers on this machine choose from, the smallest first. Where long double is the 80-bit
// format they have it as kind 10.
constexpr RealKind kRealKinds[] = {
    {FLT_DIG, 37, Basic::kReal4, Basic::kComplex8},
    {DBL_DIG, 307, Basic::kReal8, Basic::kComplex16},
#if LDBL_DIG == 18
    {LDBL_DIG, 4931, Basic::kLongDouble, Basic::kCLongDoubleComplex},
#endif
    {33, 4931, Basic::kReal16, Basic::kComplex32},
};

struct IntegerKind {
  int range;
  Basic type;
};
constexpr IntegerKind kIntegerKinds[] = {{2, Basic::kInteger1},
                                         {4, Basic::kInteger2},
                                         {9, Basic::kInteger4},
                                         {18, Basic::kInteger8},
                                         {38, Basic::kInteger16}};

/// The same question gets the same handle, so that a program may ask in a loop.
int give_once(Combiner combiner, int first, int second, Basic type, MPI_Datatype* newtype) {
  Context& context = *current();
  MPI_Datatype& known = context.fortran_types->made[{static_cast<int>(combiner), first, second}];
  if (known == nullptr) {
    const std::int64_t parameters[] = {first, second};
    const std::size_t count = combiner == Combiner::kF90Integer ? 1 : 2;
    datatype::Datatype::Made made = datatype::Datatype::f90(combiner, {parameters, count}, type);
    if (!made.ok()) return fail(std::move(made).status());
    Result<MPI_Datatype> handle = context.add_type(std::move(made).value());
    if (!handle.ok()) return fail(std::move(handle).status());
    known = handle.value();
  }
  *newtype = known;
  return MPI_SUCCESS;
}

Status no_kind(const std::string& asked) {
  return Status::error(ErrorClass::kArg, formatted("no Fortran kind of this machine has {}; ask for less", asked));
}

int give_real(Combiner combiner, int p, int r, MPI_Datatype* newtype) {
  if (p == MPI_UNDEFINED && r == MPI_UNDEFINED) {
    return fail(Status::error(ErrorClass::kArg, "p and r are both MPI_UNDEFINED; give at least one of them"));
  }
  const auto holds = [&](const RealKind& kind) {
    return (p == MPI_UNDEFINED || p <= kind.precision) && (r == MPI_UNDEFINED || r <= kind.range);
  };
  const auto* found = std::find_if(std::begin(kRealKinds), std::end(kRealKinds), holds);
  if (found == std::end(kRealKinds)) {
    return fail(no_kind(formatted("a precision of {} digits and an exponent range of {}", p, r)));
  }
  return give_once(combiner, p, r, combiner == Combiner::kF90Real ? found->real : found->complex, newtype);
}

struct NamedPair {
  MPI_Datatype value;
  MPI_Datatype index;
  MPI_Datatype pair;
};

}  // namespace

int type_create_f90_real(int p, int r, MPI_Datatype* newtype) { return give_real(Combiner::kF90Real, p, r, newtype); }

int type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  return give_real(Combiner::kF90Complex, p, r, newtype);
}

int type_create_f90_integer(int r, MPI_Datatype* newtype) {
  const auto* found = std::find_if(std::begin(kIntegerKinds), std::end(kIntegerKinds),
                                   [&](const IntegerKind& kind) { return r <= kind.range; });
  if (found == std::end(kIntegerKinds)) return fail(no_kind(formatted("an integer of {} digits", r)));
  return give_once(Combiner::kF90Integer, r, 0, found->type, newtype);
}

int type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  const NamedPair pairs[] = {
      {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},     {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
      {MPI_LONG, MPI_INT, MPI_LONG_INT},       {MPI_INT, MPI_INT, MPI_2INT},
      {MPI_SHORT, MPI_INT, MPI_SHORT_INT},     {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
      {MPI_REAL, MPI_REAL, MPI_2REAL},         {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};
  const auto* found = std::find_if(std::begin(pairs), std::end(pairs), [&](const NamedPair& pair) {
    return pair.value == value_type && pair.index == index_type;
  });
  *pair_type = found != std::end(pairs) ? found->pair : MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
