// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/section.hpp"

#include <array>
#include <cstdio>
#include <cstring>

namespace starling::fortran {
namespace {

/// Calls visit with the address of each element, in Fortran's order.
template <typename Visit>
void each_element(const CFI_cdesc_t* array, Visit visit) {
  std::array<CFI_index_t, CFI_MAX_RANK> at{};
  auto* address = static_cast<std::byte*>(array->base_addr);
  while (true) {
    visit(address);
    int i = 0;
    for (; i < array->rank; ++i) {
      address += array->dim[i].sm;
      if (++at[i] < array->dim[i].extent) break;
      address -= array->dim[i].sm * array->dim[i].extent;
      at[i] = 0;
    }
    if (i == array->rank) return;
  }
}

std::size_t bytes_of(const CFI_cdesc_t* array) {
  std::size_t bytes = array->elem_len;
  for (int i = 0; i < array->rank; ++i) bytes *= static_cast<std::size_t>(array->dim[i].extent);
  return bytes;
}

}  // namespace

Section::Section(const CFI_cdesc_t* array, Use use, Moves moves, Done done, MPI_Count count, int datatype)
    : array_(array), address_(buffer_or_in_place(array->base_addr)) {
  if (use == Use::kNone || !has_gaps(array) || bytes_of(array) == 0) return;
  if (use != Use::kAsItIs && datatype != 0) {
    const SectionType described = section_type(array, use, count, datatype);
    if (described.type != nullptr) {
      type_ = described.type;
      whole_ = described.whole;
      return;
    }
  }
  good_ = done == Done::kNow;
  if (!good_) return;
  copy_.resize(bytes_of(array));
  gives_back_ = moves == Moves::kWritten;
  std::byte* next = copy_.data();
  each_element(array, [&](const std::byte* element) {
    std::memcpy(next, element, array->elem_len);
    next += array->elem_len;
  });
}

Section::~Section() {
  if (!gives_back_) return;
  const std::byte* next = copy_.data();
  each_element(array_, [&](std::byte* element) {
    std::memcpy(element, next, array_->elem_len);
    next += array_->elem_len;
  });
}

int refuse_section(const char* routine) {
  std::fprintf(
      stderr,
      "%s: the buffer is an array section with gaps that no datatype describes, and the call goes on after it has "
      "returned; give it an array without gaps\n",
      routine);
  PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_BUFFER);
  return MPI_ERR_BUFFER;
}

}  // namespace starling::fortran
