// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How many entries of a typemap the first bytes of its data are (MPI_Get_elements). Source: MPI-5.0, chapter 5.1.11.
#include "datatype/types/datatype.hpp"
#include "datatype/types/parts.hpp"

namespace starling::datatype {
namespace {

// Entries of the first `bytes` bytes of one element, 0 <= bytes < size.
std::int64_t elements_in_part_of(const Datatype& type, std::int64_t bytes) noexcept {
  if (bytes == 0) return 0;
  if (type.is_predefined()) {
    const Basic second = type.basic() == Basic::k2DoublePrecision ? Basic::kDoublePrecision : Basic::kInt;
    return type.element_count() == 2 && bytes + info(second).size == type.size() ? 1 : -1;
  }
  std::int64_t elements = 0;
  const Arguments arguments(type.contents());
  for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
    const TypePart part = arguments.part(i);
    const std::int64_t items = part.count * part.block_length;
    const std::int64_t part_bytes = items * part.type->size();
    if (bytes < part_bytes) {
      const std::int64_t rest = part.type->elements_in(bytes);
      return rest < 0 ? rest : elements + rest;
    }
    elements += items * part.type->element_count();
    bytes -= part_bytes;
  }
  return elements;
}

}  // namespace

std::int64_t Datatype::elements_in(std::int64_t bytes) const noexcept {
  if (size() == 0) return 0;
  const std::int64_t whole = bytes / size() * element_count();
  const std::int64_t rest = elements_in_part_of(*this, bytes % size());
  return rest < 0 ? rest : whole + rest;
}

}  // namespace starling::datatype
