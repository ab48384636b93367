// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Keyvals whose functions are Fortran procedures: what C is given as extra state holds the procedures and Fortran's own
// state. It is never given back, as attributes outlive their keyval, but equal ones are one. Thread safety: a lock.
// Source: MPI-5.0, 7.7.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <tuple>

#include "fortran/handles.hpp"

namespace starling::fortran {

/// C gets a pointer to what Fortran has set, so each value has memory of its own, which goes with the attribute where
/// its keyval is Fortran's. Fortran gets the value of such a pointer, and any other pointer as an address.
void* boxed(MPI_Aint value);
MPI_Aint unboxed(void* stored);
void drop_box(void* stored);

/// Value: MPI_Aint, or int for those of MPI-1.
template <typename Value>
using CopyProcedure = void(const int* object, const int* keyval, Value* state, Value* in, Value* out, int* flag,
                           int* ierror);
template <typename Value>
using DeleteProcedure = void(const int* object, const int* keyval, Value* in, Value* state, int* ierror);

template <typename Handle, typename Value>
struct Keyval {
  CopyProcedure<Value>* copy;
  DeleteProcedure<Value>* erase;
  Value state;

  static int call_copy(Handle object, int keyval, void* self, void* in, void* out, int* flag) {
    const auto& made = *static_cast<const Keyval*>(self);
    const int number = to(object);
    Value state = made.state;
    auto given = static_cast<Value>(unboxed(in));
    Value copied = given;
    int code = MPI_SUCCESS;
    made.copy(&number, &keyval, &state, &given, &copied, flag, &code);
    if (code == MPI_SUCCESS && *flag != 0) *static_cast<void**>(out) = boxed(copied);
    return code;
  }
  static int call_delete(Handle object, int keyval, void* value, void* self) {
    const auto& made = *static_cast<const Keyval*>(self);
    const int number = to(object);
    Value state = made.state;
    auto given = static_cast<Value>(unboxed(value));
    int code = MPI_SUCCESS;
    made.erase(&number, &keyval, &given, &state, &code);
    if (code == MPI_SUCCESS) drop_box(value);
    return code;
  }
  bool operator<(const Keyval& other) const {
    return std::make_tuple(reinterpret_cast<std::intptr_t>(copy), reinterpret_cast<std::intptr_t>(erase), state) <
           std::make_tuple(reinterpret_cast<std::intptr_t>(other.copy), reinterpret_cast<std::intptr_t>(other.erase),
                           other.state);
  }
};

template <typename Handle, typename Value, typename Create>
int create_keyval(CopyProcedure<Value>* copy, DeleteProcedure<Value>* erase, Value state, int* keyval, Create create) {
  static std::mutex lock;
  static std::set<Keyval<Handle, Value>> all;
  const std::lock_guard guard(lock);
  const auto& made = *all.insert({copy, erase, state}).first;
  return create(&made.call_copy, &made.call_delete, keyval, const_cast<Keyval<Handle, Value>*>(&made));
}

}  // namespace starling::fortran
