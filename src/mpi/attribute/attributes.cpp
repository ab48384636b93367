// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/attribute/attributes.hpp"

#include <algorithm>

namespace starling::mpi {
namespace {

template <typename Handle>
using CopyFunction = int (*)(Handle, int, void*, void*, void*, int*);
template <typename Handle>
using DeleteFunction = int (*)(Handle, int, void*, void*);

template <typename Handle>
int run_delete(Handle object, const Attribute& attribute) {
  const Keyval& keyval = *attribute.keyval;
  if (keyval.remove == nullptr) return MPI_SUCCESS;
  return reinterpret_cast<DeleteFunction<Handle>>(keyval.remove)(object, keyval.number, attribute.value,
                                                                 keyval.extra_state);
}

template <typename Handle>
int run_copy(Handle object, const Attribute& attribute, void** value, int* keep) {
  const Keyval& keyval = *attribute.keyval;
  *keep = 0;
  if (keyval.copy == nullptr) return MPI_SUCCESS;
  if (reinterpret_cast<std::uintptr_t>(keyval.copy) == kDuplicate) {
    *value = attribute.value;
    *keep = 1;
    return MPI_SUCCESS;
  }
  return reinterpret_cast<CopyFunction<Handle>>(keyval.copy)(object, keyval.number, keyval.extra_state, attribute.value,
                                                             value, keep);
}

}  // namespace

int KeyvalTable::create(KeyvalKind kind, void (*copy)(), void (*remove)(), void* extra_state) {
  const int number = kFirst + static_cast<int>(keyvals_.size());
  keyvals_.push_back(std::make_unique<Keyval>(Keyval{kind, number, copy, remove, extra_state}));
  return number;
}

Keyval* KeyvalTable::find(int number, KeyvalKind kind) const {
  const auto index = static_cast<std::size_t>(number) - kFirst;
  if (number < kFirst || index >= keyvals_.size()) return nullptr;
  Keyval* keyval = keyvals_[index].get();
  return keyval->kind == kind && keyval->is_live() ? keyval : nullptr;
}

Attribute* AttributeSet::find(const Keyval& keyval) noexcept {
  for (Attribute& attribute : attributes_) {
    if (attribute.keyval == &keyval) return &attribute;
  }
  return nullptr;
}

void AttributeSet::add(Keyval& keyval, void* value) {
  attributes_.push_back({&keyval, value});
  ++keyval.attributes;
}

void AttributeSet::forget(const Keyval& keyval) {
  // A loop, not a place: the callback that has just run may have removed it or moved the others.
  std::erase_if(attributes_, [&](const Attribute& attribute) {
    if (attribute.keyval != &keyval) return false;
    --attribute.keyval->attributes;
    return true;
  });
}

template <typename Handle>
int AttributeSet::set(Handle object, Keyval& keyval, void* value) {
  if (const Attribute* old = find(keyval)) {
    if (const int code = run_delete(object, *old); code != MPI_SUCCESS) return code;
    forget(keyval);
  }
  add(keyval, value);
  return MPI_SUCCESS;
}

template <typename Handle>
int AttributeSet::remove(Handle object, const Keyval& keyval) {
  const Attribute* attribute = find(keyval);
  if (attribute == nullptr) return MPI_SUCCESS;
  if (const int code = run_delete(object, *attribute); code != MPI_SUCCESS) return code;
  forget(keyval);
  return MPI_SUCCESS;
}

template <typename Handle>
int AttributeSet::clear(Handle object) {
  while (!attributes_.empty()) {
    const Attribute last = attributes_.back();
    if (const int code = run_delete(object, last); code != MPI_SUCCESS) return code;
    forget(*last.keyval);
  }
  return MPI_SUCCESS;
}

template <typename Handle>
int AttributeSet::copy_from(Handle source_object, AttributeSet& source) {
  // By value: a copy function may set further attributes on the source.
  const std::vector<Attribute> originals = source.attributes_;
  for (const Attribute& attribute : originals) {
    void* value = nullptr;
    int keep = 0;
    if (const int code = run_copy(source_object, attribute, &value, &keep); code != MPI_SUCCESS) return code;
    if (keep != 0) add(*attribute.keyval, value);
  }
  return MPI_SUCCESS;
}

template int AttributeSet::set(MPI_Comm, Keyval&, void*);
template int AttributeSet::remove(MPI_Comm, const Keyval&);
template int AttributeSet::clear(MPI_Comm);
template int AttributeSet::copy_from(MPI_Comm, AttributeSet&);
template int AttributeSet::set(MPI_Datatype, Keyval&, void*);
template int AttributeSet::remove(MPI_Datatype, const Keyval&);
template int AttributeSet::clear(MPI_Datatype);
template int AttributeSet::copy_from(MPI_Datatype, AttributeSet&);
template int AttributeSet::set(MPI_Win, Keyval&, void*);
template int AttributeSet::remove(MPI_Win, const Keyval&);
template int AttributeSet::clear(MPI_Win);

}  // namespace starling::mpi
