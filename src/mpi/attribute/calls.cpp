// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators, datatypes and windows, and the predefined ones of MPI_COMM_WORLD and of windows.
// Source: MPI-5.0, chapters 7.7, 9.1.2 and 12.2.6.
#include "api/calls.hpp"

#include <mpi-ext.h>

#include <cstring>

#include "mpi/boundary/entry.hpp"

namespace starling::mpi {
namespace {

Status read_only() {
  return Status::error(ErrorClass::kKeyval, "the key is predefined; its attribute can be read but not changed");
}

Status callback_failed(int code) {
  return Status::error(static_cast<ErrorClass>(code), "the delete function of the attribute failed");
}

/// Where the value of a predefined attribute lives; null for one without a value.
const int* predefined_value(Context& context, int keyval) {
  Context::PredefinedAttributes& values = context.predefined_attributes;
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

/// Through memcpy: attribute_val points to the user's pointer, whatever its type.
void store_pointer(void* attribute_val, const void* value) { std::memcpy(attribute_val, &value, sizeof value); }

int get(AttributeSet& attributes, const Keyval& keyval, void* attribute_val, int* flag) {
  const Attribute* attribute = attributes.find(keyval);
  *flag = attribute != nullptr ? 1 : 0;
  if (attribute != nullptr) store_pointer(attribute_val, attribute->value);
  return MPI_SUCCESS;
}

template <typename Handle>
int set(AttributeSet& attributes, KeyvalKind kind, Handle object, int number, void* value) {
  Keyval* keyval = current()->keyvals.find(number, kind);
  if (keyval == nullptr) return fail(read_only());
  const int code = attributes.set(object, *keyval, value);
  return code == MPI_SUCCESS ? code : fail(callback_failed(code));
}

template <typename Handle>
int remove(AttributeSet& attributes, KeyvalKind kind, Handle object, int number) {
  const Keyval* keyval = current()->keyvals.find(number, kind);
  if (keyval == nullptr) return fail(read_only());
  const int code = attributes.remove(object, *keyval);
  return code == MPI_SUCCESS ? code : fail(callback_failed(code));
}

template <typename CopyFunction, typename DeleteFunction>
int create(KeyvalKind kind, CopyFunction* copy, DeleteFunction* remove, int* keyval, void* extra_state) {
  *keyval = current()->keyvals.create(kind, reinterpret_cast<void (*)()>(copy), reinterpret_cast<void (*)()>(remove),
                                      extra_state);
  return MPI_SUCCESS;
}

int free_keyval(KeyvalKind kind, int* keyval) {
  Keyval* freed = current()->keyvals.find(*keyval, kind);
  if (freed == nullptr) return fail(read_only());
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
  if (const Keyval* keyval = context.keyvals.find(comm_keyval, KeyvalKind::kComm)) {
    return get(context.comm(comm)->attributes, *keyval, attribute_val, flag);
  }
  const int* value = predefined_value(context, comm_keyval);
  *flag = value != nullptr ? 1 : 0;
  if (value != nullptr) store_pointer(attribute_val, value);
  return MPI_SUCCESS;
}

int comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return set(current()->comm(comm)->attributes, KeyvalKind::kComm, comm, comm_keyval, attribute_val);
}

int comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return remove(current()->comm(comm)->attributes, KeyvalKind::kComm, comm, comm_keyval);
}

int type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                       MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
  return create(KeyvalKind::kDatatype, type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
}

int type_free_keyval(int* type_keyval) { return free_keyval(KeyvalKind::kDatatype, type_keyval); }

int type_get_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
  Context& context = *current();
  const Keyval& keyval = *context.keyvals.find(type_keyval, KeyvalKind::kDatatype);
  return get(context.type_object(datatype).attributes, keyval, attribute_val, flag);
}

int type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  return set(current()->type_object(datatype).attributes, KeyvalKind::kDatatype, datatype, type_keyval, attribute_val);
}

int type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  return remove(current()->type_object(datatype).attributes, KeyvalKind::kDatatype, datatype, type_keyval);
}

namespace {

/// What the pointer of a predefined attribute of a window is.
const void* predefined_win_value(const WinObject& win, int keyval) {
  switch (keyval) {
    case MPI_WIN_BASE: return win.window->base();
    case MPI_WIN_SIZE: return &win.size;
    case MPI_WIN_DISP_UNIT: return &win.disp_unit;
    case MPI_WIN_CREATE_FLAVOR: return &win.flavor;
    default: return &win.model;
  }
}

}  // namespace

int win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn, MPI_Win_delete_attr_function* win_delete_attr_fn,
                      int* win_keyval, void* extra_state) {
  return create(KeyvalKind::kWin, win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
}

int win_free_keyval(int* win_keyval) { return free_keyval(KeyvalKind::kWin, win_keyval); }

int win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  Context& context = *current();
  WinObject& object = *context.win(win);
  if (const Keyval* keyval = context.keyvals.find(win_keyval, KeyvalKind::kWin)) {
    return get(object.attributes, *keyval, attribute_val, flag);
  }
  *flag = 1;
  store_pointer(attribute_val, predefined_win_value(object, win_keyval));
  return MPI_SUCCESS;
}

int win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  return set(current()->win(win)->attributes, KeyvalKind::kWin, win, win_keyval, attribute_val);
}

int win_delete_attr(MPI_Win win, int win_keyval) {
  return remove(current()->win(win)->attributes, KeyvalKind::kWin, win, win_keyval);
}

}  // namespace starling::mpi
