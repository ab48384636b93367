// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reading, setting and deleting an attribute of an object, whatever the object is.
// Thread safety: the holder of the world's lock; the callbacks of attributes may call MPI.
// Source: MPI-5.0, chapter 7.7.
#pragma once

#include <mpi.h>

#include <cstring>

#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"

namespace starling::mpi {

[[nodiscard]] inline Status delete_function_failed(int code) {
  return Status::error(static_cast<ErrorClass>(code),
                       "the delete function of the attribute failed, so the attribute stays");
}
[[nodiscard]] inline Status read_only_keyval() {
  return Status::error(ErrorClass::kKeyval, "the key is predefined; its attribute can be read but not changed");
}

/// Through memcpy: attribute_val points to the user's pointer, whatever its type.
inline void store_pointer(void* attribute_val, const void* value) { std::memcpy(attribute_val, &value, sizeof value); }

inline int get_attribute(AttributeSet& attributes, const Keyval& keyval, void* attribute_val, int* flag) {
  const Attribute* attribute = attributes.find(keyval);
  *flag = attribute != nullptr ? 1 : 0;
  if (attribute != nullptr) store_pointer(attribute_val, attribute->value);
  return MPI_SUCCESS;
}

template <typename Handle>
int set_attribute(AttributeSet& attributes, KeyvalKind kind, Handle object, int number, void* value) {
  Keyval* keyval = current()->keyvals->find(number, kind);
  if (keyval == nullptr) return fail(read_only_keyval());
  const int code = attributes.set(object, *keyval, value);
  return code == MPI_SUCCESS ? code : fail(delete_function_failed(code));
}

template <typename Handle>
int delete_attribute(AttributeSet& attributes, KeyvalKind kind, Handle object, int number) {
  const Keyval* keyval = current()->keyvals->find(number, kind);
  if (keyval == nullptr) return fail(read_only_keyval());
  const int code = attributes.remove(object, *keyval);
  return code == MPI_SUCCESS ? code : fail(delete_function_failed(code));
}

}  // namespace starling::mpi
