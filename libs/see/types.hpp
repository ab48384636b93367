// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The datatypes of the program: what each is called in the last calls, and its size.
//
// **Thread safety**: any thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>

#include "handle_table.hpp"

namespace starling::see {

struct Type {
  std::uint32_t shown = 0;  ///< its handle in the last calls
  std::int64_t size = -1;   ///< of one element in bytes; negative: nobody has asked yet
};

class Types {
 public:
  /// A predefined type, which need not be usable.
  void name(MPI_Datatype type, std::uint32_t shown);
  /// What it is called; that of derived types is kFirstMadeHandle. The type may be one that MPI does not look at.
  [[nodiscard]] std::uint32_t shown(MPI_Datatype type) noexcept;
  /// Of a type that MPI is about to use.
  [[nodiscard]] std::uint64_t size(MPI_Datatype type);
  void forget(MPI_Datatype type);

 private:
  std::mutex lock_;
  HandleTable<Type, 1024> table_;
};

/// Generated: names the predefined types that this MPI has.
void name_predefined_types(Types& types);

}  // namespace starling::see
