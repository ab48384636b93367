// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a datatype is: size, extent, name and how it was made. Source: MPI-5.0, chapters 5.1.5 to 5.1.14 and 19.1.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/text.hpp"

namespace starling::mpi {
namespace {

using datatype::Basic;
using datatype::Contents;

Status named_type() {
  return Status::error(
      ErrorClass::kType,
      "the datatype is predefined, so it has no contents; ask MPI_Type_get_envelope for its combiner first");
}

Status too_short(const char* which, std::size_t needed, MPI_Count given) {
  return Status::error(
      ErrorClass::kArg,
      formatted("the datatype has {} {}, but there is room for {}; ask MPI_Type_get_envelope for the numbers", needed,
                which, given));
}

Status large_type() {
  return Status::error(ErrorClass::kType,
                       "the datatype was made by a large-count constructor; use MPI_Type_get_envelope_c and "
                       "MPI_Type_get_contents_c");
}

/// A handle of its own for each datatype that a type was made of; predefined ones have one already.
int give_types(Context& context, const Contents& contents, MPI_Datatype* handles) {
  for (std::size_t index = 0; index < contents.types.size(); ++index) {
    const datatype::Datatype& type = *contents.types[index];
    if (type.is_predefined()) {
      handles[index] = static_cast<MPI_Datatype>(type.user_handle());
      continue;
    }
    auto object = std::make_unique<TypeObject>();
    // The type is shared with the one it is a part of; nobody changes it but by committing.
    object->type = Ref<datatype::Datatype>::share(const_cast<datatype::Datatype*>(&type));
    handles[index] = to_handle<MPI_Datatype>(context.types.insert(std::move(object)));
    if (handles[index] == nullptr) {
      return fail(Status::error(ErrorClass::kIntern,
                                "more than four million datatypes are alive; free those that are no longer needed"));
    }
  }
  return MPI_SUCCESS;
}

/// The types of a match_size class in the order of the sizes that they have.
const std::vector<MPI_Datatype>& candidates(int typeclass) {
  static const std::vector<MPI_Datatype> none;
  static const std::vector<MPI_Datatype> integers = {MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_INTEGER16};
  static const std::vector<MPI_Datatype> reals = {MPI_REAL2, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE};
  static const std::vector<MPI_Datatype> complexes = {MPI_COMPLEX4, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
                                                      MPI_C_LONG_DOUBLE_COMPLEX};
  switch (typeclass) {
    case MPI_TYPECLASS_INTEGER: return integers;
    case MPI_TYPECLASS_REAL: return reals;
    case MPI_TYPECLASS_COMPLEX: return complexes;
    default: return none;
  }
}

}  // namespace

int type_size(MPI_Datatype datatype, MPI_Count* size) {
  *size = current()->datatype(datatype)->size();
  return MPI_SUCCESS;
}

int type_get_extent(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  const datatype::Datatype& type = *current()->datatype(datatype);
  *lb = type.lb();
  *extent = type.extent();
  return MPI_SUCCESS;
}

int type_get_true_extent(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  const datatype::Datatype& type = *current()->datatype(datatype);
  *true_lb = type.true_lb();
  *true_extent = type.true_extent();
  return MPI_SUCCESS;
}

int type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  if (datatype == MPI_DATATYPE_NULL) return copy_text("MPI_DATATYPE_NULL", type_name, MPI_MAX_OBJECT_NAME, resultlen);
  return copy_text(current()->type_object(datatype).name, type_name, MPI_MAX_OBJECT_NAME, resultlen);
}

int type_set_name(MPI_Datatype datatype, const char* type_name) {
  current()->type_object(datatype).name = std::string(type_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  return MPI_SUCCESS;
}

int type_get_envelope(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                      MPI_Count* num_datatypes, int* combiner) {
  const Contents& contents = current()->datatype(datatype)->contents();
  if (!contents.large_counts.empty()) return fail(large_type());
  *num_integers = static_cast<MPI_Count>(contents.integers.size());
  *num_addresses = static_cast<MPI_Count>(contents.addresses.size());
  *num_datatypes = static_cast<MPI_Count>(contents.types.size());
  *combiner = static_cast<int>(contents.combiner);
  return MPI_SUCCESS;
}

int type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                        MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  const Contents& contents = current()->datatype(datatype)->contents();
  *num_integers = static_cast<MPI_Count>(contents.integers.size());
  *num_addresses = static_cast<MPI_Count>(contents.addresses.size());
  *num_large_counts = static_cast<MPI_Count>(contents.large_counts.size());
  *num_datatypes = static_cast<MPI_Count>(contents.types.size());
  *combiner = static_cast<int>(contents.combiner);
  return MPI_SUCCESS;
}

int type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                        MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                        MPI_Datatype array_of_datatypes[]) {
  Context& context = *current();
  const Contents& contents = context.datatype(datatype)->contents();
  if (contents.combiner == datatype::Combiner::kNamed) return fail(named_type());
  const struct {
    const char* which;
    std::size_t needed;
    MPI_Count room;
  } arrays[] = {{"integers", contents.integers.size(), max_integers},
                {"addresses", contents.addresses.size(), max_addresses},
                {"large counts", contents.large_counts.size(), max_large_counts},
                {"datatypes", contents.types.size(), max_datatypes}};
  for (const auto& [which, needed, room] : arrays) {
    if (needed > static_cast<std::size_t>(room)) return fail(too_short(which, needed, room));
  }
  std::transform(contents.integers.begin(), contents.integers.end(), array_of_integers,
                 [](std::int64_t value) { return static_cast<int>(value); });
  std::copy(contents.addresses.begin(), contents.addresses.end(), array_of_addresses);
  std::copy(contents.large_counts.begin(), contents.large_counts.end(), array_of_large_counts);
  return give_types(context, contents, array_of_datatypes);
}

int type_get_contents(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_datatypes,
                      int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  if (!current()->datatype(datatype)->contents().large_counts.empty()) return fail(large_type());
  return type_get_contents_c(datatype, max_integers, max_addresses, 0, max_datatypes, array_of_integers,
                             array_of_addresses, nullptr, array_of_datatypes);
}

int type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  if (candidates(typeclass).empty()) {
    return fail(
        Status::error(ErrorClass::kArg,
                      formatted("typeclass is {}; it must be MPI_TYPECLASS_INTEGER, _REAL or _COMPLEX", typeclass)));
  }
  for (MPI_Datatype candidate : candidates(typeclass)) {
    if (current()->datatype(candidate)->size() == size) {
      *datatype = candidate;
      return MPI_SUCCESS;
    }
  }
  return fail(Status::error(ErrorClass::kArg,
                            formatted("no type of this class has {} bytes; give the size of a predefined type", size)));
}

int get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
