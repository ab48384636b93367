// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Attributes, whose values are integers in Fortran, and keyvals whose functions are Fortran procedures. What the
// library sets itself is read through the pointer that C gets. Source: MPI-5.0, 7.7 and 19.3.7.
#include "fortran/attributes.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "fortran/entry.hpp"

using namespace starling::fortran;

namespace {

/// What C gets a pointer to, by the keyvals of the ABI.
bool is_int_of_library(int keyval) {
  return (keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE) || keyval == MPI_WIN_DISP_UNIT ||
         keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
}

MPI_Aint value_of(int keyval, void* stored) {
  if (is_int_of_library(keyval)) return *static_cast<int*>(stored);
  if (keyval == MPI_WIN_SIZE) return *static_cast<MPI_Aint*>(stored);
  return unboxed(stored);
}

template <typename Value, typename Handle, typename Get>
void get(Handle object, int keyval, Value* value, int* flag, int* ierror, Get call) {
  void* stored = nullptr;
  const int code = call(object, keyval, &stored, flag);
  if (code == MPI_SUCCESS && *flag != 0) *value = static_cast<Value>(value_of(keyval, stored));
  give(ierror, code);
}

/// The values that Fortran has set, by their place.
std::mutex boxes_lock;
std::map<void*, std::unique_ptr<MPI_Aint>> boxes;

}  // namespace

namespace starling::fortran {

void* boxed(MPI_Aint value) {
  auto made = std::make_unique<MPI_Aint>(value);
  void* place = made.get();
  const std::lock_guard guard(boxes_lock);
  boxes[place] = std::move(made);
  return place;
}

MPI_Aint unboxed(void* stored) {
  const std::lock_guard guard(boxes_lock);
  const auto found = boxes.find(stored);
  return found == boxes.end() ? reinterpret_cast<MPI_Aint>(stored) : *found->second;
}

void drop_box(void* stored) {
  const std::lock_guard guard(boxes_lock);
  boxes.erase(stored);
}

}  // namespace starling::fortran

extern "C" {

#define STARLING_ATTRIBUTES(lower, Type, prefix)                                                                      \
  STARLING_PUBLIC void pmpi_##lower##_get_attr_(const int* object, const int* keyval, MPI_Aint* value, int* flag,     \
                                                int* ierror) {                                                        \
    get(from<Type>(*object), *keyval, value, flag, ierror, prefix##_get_attr);                                        \
  }                                                                                                                   \
  STARLING_SAME(mpi_##lower##_get_attr,                                                                               \
                (const int* object, const int* keyval, MPI_Aint* value, int* flag, int* ierror))                      \
  STARLING_PUBLIC void pmpi_##lower##_set_attr_(const int* object, const int* keyval, const MPI_Aint* value,          \
                                                int* ierror) {                                                        \
    give(ierror, prefix##_set_attr(from<Type>(*object), *keyval, boxed(*value)));                                     \
  }                                                                                                                   \
  STARLING_SAME(mpi_##lower##_set_attr, (const int* object, const int* keyval, const MPI_Aint* value, int* ierror))   \
  STARLING_PUBLIC void pmpi_##lower##_create_keyval_(CopyProcedure<MPI_Aint>* copy, DeleteProcedure<MPI_Aint>* erase, \
                                                     int* keyval, const MPI_Aint* state, int* ierror) {               \
    give(ierror, create_keyval<Type, MPI_Aint>(copy, erase, *state, keyval, prefix##_create_keyval));                 \
  }                                                                                                                   \
  STARLING_SAME(mpi_##lower##_create_keyval, (CopyProcedure<MPI_Aint> * copy, DeleteProcedure<MPI_Aint> * erase,      \
                                              int* keyval, const MPI_Aint* state, int* ierror))
STARLING_ATTRIBUTES(comm, MPI_Comm, MPI_Comm)
STARLING_ATTRIBUTES(type, MPI_Datatype, MPI_Type)
STARLING_ATTRIBUTES(win, MPI_Win, MPI_Win)

// MPI-1's, with integers of the default kind.
STARLING_PUBLIC void pmpi_attr_get_(const int* comm, const int* keyval, int* value, int* flag, int* ierror) {
  get(from<MPI_Comm>(*comm), *keyval, value, flag, ierror, MPI_Comm_get_attr);
}
STARLING_SAME(mpi_attr_get, (const int* comm, const int* keyval, int* value, int* flag, int* ierror))
STARLING_PUBLIC void pmpi_attr_put_(const int* comm, const int* keyval, const int* value, int* ierror) {
  give(ierror, MPI_Comm_set_attr(from<MPI_Comm>(*comm), *keyval, boxed(*value)));
}
STARLING_SAME(mpi_attr_put, (const int* comm, const int* keyval, const int* value, int* ierror))
STARLING_PUBLIC void pmpi_keyval_create_(CopyProcedure<int>* copy, DeleteProcedure<int>* erase, int* keyval,
                                         const int* state, int* ierror) {
  give(ierror, create_keyval<MPI_Comm, int>(copy, erase, *state, keyval, MPI_Comm_create_keyval));
}
STARLING_SAME(mpi_keyval_create,
              (CopyProcedure<int> * copy, DeleteProcedure<int>* erase, int* keyval, const int* state, int* ierror))

}  // extern "C"
