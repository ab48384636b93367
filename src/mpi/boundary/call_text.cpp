// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/call_text.hpp"

#include <cstdint>
#include <cstdio>
#include <utility>

#include "api/constant_names.hpp"

namespace starling::mpi {
namespace {

std::string address_text(const void* pointer) {
  char text[2 + 2 * sizeof(pointer) + 1];
  std::snprintf(text, sizeof(text), "0x%zx", reinterpret_cast<std::uintptr_t>(pointer));
  return text;
}

}  // namespace

void CallText::begin(std::string_view name) {
  if (text_.back() != '(') text_ += ", ";
  text_ += name;
  text_ += '=';
}

void CallText::add(std::string_view name, MPI_Count value) {
  begin(name);
  text_ += std::to_string(value);
}

void CallText::add(std::string_view name, const void* pointer) {
  begin(name);
  text_ += pointer == nullptr ? "NULL" : address_text(pointer);
}

void CallText::add(std::string_view name, const char* string) {
  constexpr std::size_t kShown = 60;
  begin(name);
  if (string == nullptr) {
    text_ += "NULL";
    return;
  }
  std::string_view shown(string);
  const bool cut = shown.size() > kShown;
  text_ += '"';
  text_ += shown.substr(0, kShown);
  text_ += cut ? "...\"" : "\"";
}

void CallText::add_buffer(std::string_view name, const void* buffer) {
  if (buffer == MPI_IN_PLACE || buffer == MPI_BUFFER_AUTOMATIC) {
    begin(name);
    text_ += buffer == MPI_IN_PLACE ? "MPI_IN_PLACE" : "MPI_BUFFER_AUTOMATIC";
    return;
  }
  add(name, buffer);
}

void CallText::add_rank(std::string_view name, int rank) {
  const char* known = rank == MPI_PROC_NULL    ? "MPI_PROC_NULL"
                      : rank == MPI_ANY_SOURCE ? "MPI_ANY_SOURCE"
                      : rank == MPI_ROOT       ? "MPI_ROOT"
                                               : nullptr;
  if (known == nullptr) return add(name, rank);
  begin(name);
  text_ += known;
}

void CallText::add_tag(std::string_view name, int tag) {
  if (tag != MPI_ANY_TAG) return add(name, tag);
  begin(name);
  text_ += "MPI_ANY_TAG";
}

void CallText::add_handle(std::string_view name, const void* handle) {
  const char* known = predefined_handle_name(handle);
  if (known == nullptr) return add(name, handle);
  begin(name);
  text_ += known;
}

std::string CallText::finish() && {
  text_ += ')';
  return std::move(text_);
}

}  // namespace starling::mpi
