// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing statuses. Source: MPI-5.0, chapters 3.2.5, 3.8.4, 5.1.11 and 13.3.
#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/status.hpp"

namespace starling::mpi {
namespace {

constexpr MPI_Count kUndefined = MPI_UNDEFINED;

/// Bytes of the first entries of one element; fewer entries than the element has.
std::int64_t leading_bytes(const datatype::Datatype& type, std::int64_t entries) {
  const std::int64_t even = entries * (type.size() / type.element_count());
  if (type.elements_in(even) == entries) return even;
  std::int64_t bytes = 0;
  while (type.elements_in(bytes) != entries) ++bytes;
  return bytes;
}

}  // namespace

int get_count(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  const std::int64_t size = current()->datatype(datatype)->size();
  const std::int64_t bytes = bytes_of(*status);
  if (size == 0) {
    *count = bytes == 0 ? 0 : kUndefined;
  } else {
    *count = bytes % size == 0 ? bytes / size : kUndefined;
  }
  return MPI_SUCCESS;
}

int get_elements(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  const std::int64_t elements = current()->datatype(datatype)->elements_in(bytes_of(*status));
  *count = elements >= 0 ? elements : kUndefined;
  return MPI_SUCCESS;
}

int status_set_elements(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  const datatype::Datatype& type = *current()->datatype(datatype);
  // `count` entries of the typemap: whole elements, then the bytes of the entries that begin the next one.
  const std::int64_t each = type.element_count();
  std::int64_t bytes = 0;
  if (each > 0) bytes = count / each * type.size() + leading_bytes(type, count % each);
  set_bytes(*status, bytes);
  return MPI_SUCCESS;
}

int status_set_cancelled(MPI_Status* status, int flag) {
  set_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}

int test_cancelled(const MPI_Status* status, int* flag) {
  *flag = is_cancelled(*status) ? 1 : 0;
  return MPI_SUCCESS;
}

int status_get_source(const MPI_Status* status, int* source) {
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
}
int status_get_tag(const MPI_Status* status, int* tag) {
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
}
int status_get_error(const MPI_Status* status, int* error) {
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
}
int status_set_source(MPI_Status* status, int source) {
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
}
int status_set_tag(MPI_Status* status, int tag) {
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
}
int status_set_error(MPI_Status* status, int error) {
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
