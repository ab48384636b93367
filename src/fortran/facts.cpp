// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/facts.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>

extern "C" {
/// fact_values.F90: bytes of LOGICAL, INTEGER, REAL and DOUBLE PRECISION, whether there is each of kKinds, and .TRUE.
/// and .FALSE.
void starling_fortran_facts(int* sizes, int* supported, int* booleans);
}

namespace starling::fortran {
namespace {

constexpr std::array kSizes = {"mpi_logical_size", "mpi_integer_size", "mpi_real_size", "mpi_double_precision_size"};
constexpr std::array kKinds = {"logical1", "logical2",  "logical4",  "logical8",      "logical16",
                               "integer1", "integer2",  "integer4",  "integer8",      "integer16",
                               "real2",    "real4",     "real8",     "real16",        "complex4",
                               "complex8", "complex16", "complex32", "double_complex"};

}  // namespace

void tell_facts() {
  std::array<int, kSizes.size()> sizes{};
  std::array<int, kKinds.size()> supported{};
  std::array<int, 2> booleans{};
  starling_fortran_facts(sizes.data(), supported.data(), booleans.data());
  std::array<std::int64_t, 2> known{};
  int is_known = 0;
  if (PMPI_Abi_get_fortran_booleans(sizes[0], &known[0], &known[1], &is_known) == MPI_SUCCESS && is_known == 0) {
    PMPI_Abi_set_fortran_booleans(sizes[0], &booleans[0], &booleans[1]);
  }
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Abi_get_fortran_info(&info) != MPI_SUCCESS) return;
  if (info == MPI_INFO_NULL && PMPI_Info_create(&info) == MPI_SUCCESS) {
    for (std::size_t i = 0; i < kSizes.size(); ++i) PMPI_Info_set(info, kSizes[i], std::to_string(sizes[i]).c_str());
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      PMPI_Info_set(info, (std::string("mpi_") + kKinds[i] + "_supported").c_str(),
                    supported[i] != 0 ? "true" : "false");
    }
    PMPI_Abi_set_fortran_info(info);
  }
  if (info != MPI_INFO_NULL) PMPI_Info_free(&info);
}

}  // namespace starling::fortran
