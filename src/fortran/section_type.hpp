// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The datatype of an array section, from a table of those that this thread has used last. Thread safety: see
// section.hpp.
#pragma once

#include <ISO_Fortran_binding.h>
#include <mpi.h>

namespace starling::fortran {

enum class Use {
  kMessage,  ///< one message of so many elements of one datatype
  kBlocks,   ///< blocks, of which each begins a whole number of elements behind the first
  kAsItIs,   ///< anything else
  kNone      ///< not looked at on this process
};
struct SectionType {
  MPI_Datatype type = nullptr;  ///< null: no datatype says it
  bool whole = false;           ///< it holds all elements; else it is one element, as far apart as they are
};
SectionType section_type(const CFI_cdesc_t* array, Use use, MPI_Count count, int datatype);

/// Gives back what this thread's table holds, before the library ends.
void forget_section_types();

}  // namespace starling::fortran
