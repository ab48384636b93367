// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the ABI says about itself, and what Fortran bindings tell the library. Source: MPI-5.0, chapter 20.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/info/info.hpp"

namespace starling::mpi {

/// What a Fortran binding has told the library about its compiler (20.4).
struct FortranFacts {
  struct Logical {
    int size;
    std::vector<std::byte> true_value;
    std::vector<std::byte> false_value;
  };
  std::vector<Logical> logicals;
  std::optional<Info> info;
};

namespace {

constexpr std::array kLogicalSizes = {1, 2, 4, 8, 16};

Status check_logical_size(int logical_size) {
  if (std::find(kLogicalSizes.begin(), kLogicalSizes.end(), logical_size) != kLogicalSizes.end()) return {};
  return Status::error(ErrorClass::kArg,
                       formatted("logical_size is {}; it must be 1, 2, 4, 8 or 16 bytes", logical_size));
}

FortranFacts::Logical* find_logical(Context& context, int size) {
  for (FortranFacts::Logical& logical : context.fortran->logicals) {
    if (logical.size == size) return &logical;
  }
  return nullptr;
}

std::vector<std::byte> bytes_at(const void* value, int size) {
  const auto* first = static_cast<const std::byte*>(value);
  return {first, first + size};
}

}  // namespace

int abi_get_info(MPI_Info* info) {
  Info facts;
  facts.set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  facts.set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  facts.set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  return give_info(*current(), std::move(facts), info);
}

int abi_get_fortran_info(MPI_Info* info) {
  Context& context = *current();
  *info = MPI_INFO_NULL;
  return context.fortran->info ? give_info(context, *context.fortran->info, info) : MPI_SUCCESS;
}

int abi_set_fortran_info(MPI_Info info) {
  Context& context = *current();
  if (context.fortran->info) {
    return fail(Status::error(static_cast<ErrorClass>(MPI_ERR_ABI),
                              "the facts about the Fortran compiler have been set already; they can be set once"));
  }
  if (info != MPI_INFO_NULL) context.fortran->info = *find_info(context, info);
  return MPI_SUCCESS;
}

int abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) {
  if (Status size = check_logical_size(logical_size); !size.ok()) return fail(std::move(size));
  const FortranFacts::Logical* logical = find_logical(*current(), logical_size);
  *is_set = logical != nullptr ? 1 : 0;
  if (logical != nullptr) {
    std::memcpy(logical_true, logical->true_value.data(), logical->true_value.size());
    std::memcpy(logical_false, logical->false_value.data(), logical->false_value.size());
  }
  return MPI_SUCCESS;
}

int abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  if (Status size = check_logical_size(logical_size); !size.ok()) return fail(std::move(size));
  if (logical_true == nullptr || logical_false == nullptr) {
    return fail(Status::error(ErrorClass::kArg,
                              "logical_true or logical_false is a null pointer; they must point to the two values"));
  }
  Context& context = *current();
  if (find_logical(context, logical_size) != nullptr) {
    return fail(Status::error(static_cast<ErrorClass>(MPI_ERR_ABI),
                              "the values of this logical size have been set already; they can be set once"));
  }
  context.fortran->logicals.push_back(
      {logical_size, bytes_at(logical_true, logical_size), bytes_at(logical_false, logical_size)});
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
