// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a derived datatype was made: what MPI_Type_get_envelope and MPI_Type_get_contents give back.
// Thread safety: immutable once the datatype exists. Values are those of the ABI. Source: MPI-5.0 chapter 5.1.13.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ref.hpp"

namespace starling::datatype {

class Datatype;

enum class Combiner : int {
  kNamed = 101,
  kDup = 102,
  kContiguous = 103,
  kVector = 104,
  kHvector = 105,
  kIndexed = 106,
  kHindexed = 107,
  kIndexedBlock = 108,
  kHindexedBlock = 109,
  kStruct = 110,
  kSubarray = 111,
  kDarray = 112,
  kF90Real = 113,
  kF90Complex = 114,
  kF90Integer = 115,
  kResized = 116,
};

/// Order of array dimensions in memory.
enum class Order : int { kC = 12, kFortran = 15 };

/// How MPI_Type_create_darray deals one dimension to the processes.
enum class Distribution : int { kNone = 16, kBlock = 17, kCyclic = 18 };
inline constexpr std::int64_t kDefaultDistributionArgument = 19;

/// Which family of constructors the user called; the large-count one reports counts and displacements as large counts.
enum class CountWidth : std::uint8_t { kInt, kLarge };

/// The arguments of the constructor in the order and the arrays that the standard prescribes.
struct Contents {
  Combiner combiner = Combiner::kNamed;
  std::vector<std::int64_t> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large_counts;
  std::vector<Ref<const Datatype>> types;
  /// Not reported: the same layout in simpler constructors (subarray and darray).
  Ref<const Datatype> expansion;
};

}  // namespace starling::datatype
