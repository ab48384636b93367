// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/section_type.hpp"

#include <algorithm>
#include <array>

#include "fortran/handles.hpp"

namespace starling::fortran {
namespace {

/// An array section without what does not matter: dimensions that continue each other are one.
struct Shape {
  int rank = 0;
  std::size_t element = 0;  ///< bytes
  std::array<CFI_index_t, CFI_MAX_RANK> extent;
  std::array<CFI_index_t, CFI_MAX_RANK> stride;  ///< in bytes

  bool operator==(const Shape& other) const {
    return rank == other.rank && element == other.element &&
           std::equal(&extent[0], &extent[0] + rank, &other.extent[0]) &&
           std::equal(&stride[0], &stride[0] + rank, &other.stride[0]);
  }
};

Shape shape_of(const CFI_cdesc_t* array) {
  Shape shape;
  shape.element = array->elem_len;
  for (int i = 0; i < array->rank; ++i) {
    const CFI_dim_t& dim = array->dim[i];
    if (dim.extent == 1) continue;
    const int last = shape.rank - 1;
    if (last >= 0 && dim.sm == shape.stride[last] * shape.extent[last]) {
      shape.extent[last] *= dim.extent;
      continue;
    }
    shape.extent[shape.rank] = dim.extent;
    shape.stride[shape.rank] = dim.sm;
    ++shape.rank;
  }
  return shape;
}

struct Known {
  int datatype = 0;  ///< 0 for what must not be found again
  MPI_Count count = 0;
  Shape shape;
  MPI_Datatype type = nullptr;
};

/// A datatype that is in use when it falls out of here lives on in the library until its operations are complete.
class Table {
 public:
  ~Table() {
    int ended = 0;
    if (PMPI_Finalized(&ended) == MPI_SUCCESS && ended == 0) clear();
  }
  void clear() {
    for (Known& known : known_) forget(known);
  }
  /// Mostly it is the one that was looked for last.
  MPI_Datatype find(int datatype, MPI_Count count, const Shape& shape) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const Known& known = known_[(found_ + i) % known_.size()];
      if (known.datatype == datatype && known.count == count && known.shape == shape) {
        found_ = (found_ + i) % known_.size();
        return known.type;
      }
    }
    return nullptr;
  }
  /// Only predefined datatypes are the same when their number is.
  void keep(int datatype, MPI_Count count, const Shape& shape, MPI_Datatype type) {
    Known& oldest = known_[next_++ % known_.size()];
    forget(oldest);
    oldest = {static_cast<unsigned>(datatype) < kPredefined ? datatype : 0, count, shape, type};
  }

 private:
  static void forget(Known& known) {
    if (known.type != nullptr) PMPI_Type_free(&known.type);
    known = {};
  }
  std::array<Known, 16> known_;
  std::size_t next_ = 0;
  std::size_t found_ = 0;
};

thread_local Table table;

/// count elements of the dimensions up to this one; null if the library refuses.
MPI_Datatype nested(const Shape& shape, int dimension, MPI_Count count, MPI_Datatype element) {
  MPI_Datatype all = nullptr;
  if (dimension < 0) {
    PMPI_Type_dup(element, &all);
    return all;
  }
  MPI_Count below = 1;
  for (int i = 0; i < dimension; ++i) below *= shape.extent[i];
  MPI_Datatype inner = nested(shape, dimension - 1, below, element);
  PMPI_Type_create_hvector_c(count / below, 1, shape.stride[dimension], inner, &all);
  PMPI_Type_free(&inner);
  if (count % below != 0) {
    const std::array<MPI_Count, 2> once = {1, 1};
    const std::array<MPI_Count, 2> where = {0, count / below * shape.stride[dimension]};
    std::array<MPI_Datatype, 2> parts = {all, nested(shape, dimension - 1, count % below, element)};
    PMPI_Type_create_struct_c(2, once.data(), where.data(), parts.data(), &all);
    for (MPI_Datatype& part : parts) PMPI_Type_free(&part);
  }
  return all;
}

/// Whether one element of the datatype is one of the array.
bool is_element(MPI_Datatype datatype, std::size_t bytes) {
  MPI_Count size = 0;
  MPI_Count begin = 0;
  MPI_Count extent = 0;
  return PMPI_Type_size_c(datatype, &size) == MPI_SUCCESS &&
         PMPI_Type_get_extent_c(datatype, &begin, &extent) == MPI_SUCCESS && begin == 0 && size == extent &&
         size == static_cast<MPI_Count>(bytes);
}

}  // namespace

SectionType section_type(const CFI_cdesc_t* array, Use use, MPI_Count count, int datatype) {
  Shape shape = shape_of(array);
  const bool whole = shape.rank > 1 || shape.stride[0] < 0;
  if (whole && (use != Use::kMessage || count < 0)) return {};
  const MPI_Count counted = whole ? count : 0;
  // What differs in the lengths of a single dimension only is one datatype.
  if (!whole) shape.extent[0] = 0;
  if (const MPI_Datatype known = table.find(datatype, counted, shape); known != nullptr) return {known, whole};
  const auto element = from<MPI_Datatype>(datatype);
  if (!is_element(element, array->elem_len)) return {};
  MPI_Datatype made = nullptr;
  if (whole) {
    made = nested(shape, shape.rank - 1, count, element);
  } else {
    PMPI_Type_create_resized_c(element, 0, shape.stride[0], &made);
  }
  PMPI_Type_commit(&made);
  table.keep(datatype, counted, shape, made);
  return {made, whole};
}

void forget_section_types() { table.clear(); }

}  // namespace starling::fortran
