// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Array sections with gaps as buffers of mpi_f08. A message's section becomes a datatype, without a copy: its elements
// in Fortran's order, as far as the count goes. Where a datatype cannot say it (reductions, blocks of several
// dimensions), a call that is done when it returns works on a copy; one that goes on is refused. Thread safety: each
// thread has its own table of datatypes. Source: MPI-5.0, 19.1.12; TS 29113.
#pragma once

#include <ISO_Fortran_binding.h>
#include <mpi.h>

#include <cstddef>
#include <vector>

#include "fortran/section_type.hpp"
#include "fortran/sentinels.hpp"

namespace starling::fortran {

inline bool has_gaps(const CFI_cdesc_t* array) {
  auto next = static_cast<CFI_index_t>(array->elem_len);
  for (int i = 0; i < array->rank; ++i) {
    if (array->dim[i].sm != next && array->dim[i].extent > 1) return true;
    next *= array->dim[i].extent;
  }
  return false;
}

enum class Moves { kRead, kWritten };
enum class Done { kNow, kLater };

class Section {
 public:
  /// count and datatype as the program gave them; a datatype of 0: there is none that could be replaced.
  Section(const CFI_cdesc_t* array, Use use, Moves moves, Done done, MPI_Count count, int datatype);
  ~Section();
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] void* address() { return copy_.empty() ? address_ : copy_.data(); }
  template <typename Count>
  [[nodiscard]] Count count(Count given) const {
    return whole_ ? Count{1} : given;
  }
  [[nodiscard]] MPI_Datatype type(MPI_Datatype given) const { return type_ != nullptr ? type_ : given; }

 private:
  const CFI_cdesc_t* array_;
  void* address_;
  bool good_ = true;
  bool whole_ = false;  ///< type_ holds all elements
  bool gives_back_ = false;
  MPI_Datatype type_ = nullptr;
  std::vector<std::byte> copy_;
};

/// Tells the program that a section cannot be used, by the error handler; the error code.
int refuse_section(const char* routine);
}  // namespace starling::fortran
