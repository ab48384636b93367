// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Attribute keys; attributes of communicators and datatypes, and the predefined ones of MPI_COMM_WORLD. Those of
// windows stand in rma/attributes.cpp. Source: MPI-5.0, chapters 7.7 and 9.1.2.
#include "api/calls.hpp"

#include <mpi-ext.h>

#include <limits>

#include "mpi/attribute/attributes.hpp"
#include "mpi/attribute/operations.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "resilience/fault_tolerance.hpp"

namespace starling::mpi {

/// What the predefined attributes of communicators point to.
struct PredefinedAttributes {
  explicit PredefinedAttributes(const Context& context);

  int tag_ub = std::numeric_limits<int>::max();
  int wtime_is_global;
  int universe_size;
  int app_number;
  int last_used_code = 0;
  int io = MPI_ANY_SOURCE;
  int host = MPI_PROC_NULL;
  int fault_tolerance;
};

PredefinedAttributes::PredefinedAttributes(const Context& context)
    // Each node has a clock of its own.
    : wtime_is_global(context.world->placement().nodes() == 1 ? 1 : 0),
      // Starting processes is never refused: as many more as there are cores for can be of use.
      universe_size(context.world->size() + context.world->placement().usable_cores()),
      app_number(context.world->app_number(context.world->rank())),
      fault_tolerance(context.resilience->survives() ? 1 : 0) {}

namespace {

/// Where the value of a predefined attribute lives; null for one without a value.
const int* predefined_value(Context& context, int keyval) {
  if (!context.predefined_attributes) context.predefined_attributes.make(context);
  PredefinedAttributes& values = *context.predefined_attributes.get();
  switch (keyval) {
    case MPI_TAG_UB: return &values.tag_ub;
    case MPI_IO: return &values.io;
    case MPI_HOST: return &values.host;
    case MPIX_FT: return &values.fault_tolerance;
    case MPI_WTIME_IS_GLOBAL: return &values.wtime_is_global;
    case MPI_APPNUM: return &values.app_number;
    case MPI_UNIVERSE_SIZE: return &values.universe_size;
    case MPI_LASTUSEDCODE: values.last_used_code = context.errors.last_used(); return &values.last_used_code;
    default: return nullptr;
  }
}

template <typename CopyFunction, typename DeleteFunction>
int create(KeyvalKind kind, CopyFunction* copy, DeleteFunction* remove, int* keyval, void* extra_state) {
  *keyval = current()->keyvals->create(kind, reinterpret_cast<void (*)()>(copy), reinterpret_cast<void (*)()>(remove),
                                       extra_state);
  return MPI_SUCCESS;
}

int free_keyval(KeyvalKind kind, int* keyval) {
  Keyval* freed = current()->keyvals->find(*keyval, kind);
  if (freed == nullptr) return fail(read_only_keyval());
  freed->freed = true;
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

}  // namespace

int comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                       MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  return create(KeyvalKind::kComm, comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
}

int comm_free_keyval(int* comm_keyval) { return free_keyval(KeyvalKind::kComm, comm_keyval); }

int comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  Context& context = *current();
  if (const Keyval* keyval = context.keyvals->find(comm_keyval, KeyvalKind::kComm)) {
    return get_attribute(*context.comm(comm)->attributes, *keyval, attribute_val, flag);
  }
  const int* value = predefined_value(context, comm_keyval);
  *flag = value != nullptr ? 1 : 0;
  if (value != nullptr) store_pointer(attribute_val, value);
  return MPI_SUCCESS;
}

int comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return set_attribute(*current()->comm(comm)->attributes, KeyvalKind::kComm, comm, comm_keyval, attribute_val);
}

int comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return delete_attribute(*current()->comm(comm)->attributes, KeyvalKind::kComm, comm, comm_keyval);
}

int type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                       MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
  return create(KeyvalKind::kDatatype, type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
}

int type_free_keyval(int* type_keyval) { return free_keyval(KeyvalKind::kDatatype, type_keyval); }

int type_get_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
  Context& context = *current();
  const Keyval& keyval = *context.keyvals->find(type_keyval, KeyvalKind::kDatatype);
  return get_attribute(*context.type_object(datatype).attributes, keyval, attribute_val, flag);
}

int type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  return set_attribute(*current()->type_object(datatype).attributes, KeyvalKind::kDatatype, datatype, type_keyval,
                       attribute_val);
}

int type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  return delete_attribute(*current()->type_object(datatype).attributes, KeyvalKind::kDatatype, datatype, type_keyval);
}

int win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn, MPI_Win_delete_attr_function* win_delete_attr_fn,
                      int* win_keyval, void* extra_state) {
  return create(KeyvalKind::kWin, win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
}

int win_free_keyval(int* win_keyval) { return free_keyval(KeyvalKind::kWin, win_keyval); }

}  // namespace starling::mpi
