// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/env/second_mpi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

#include "base/foreign_mpi.hpp"
#include "base/format.hpp"

namespace starling::mpi {
namespace {

int look_at_library(dl_phdr_info* library, std::size_t /*size*/, void* found) {
  const std::string_view path = library->dlpi_name != nullptr ? library->dlpi_name : "";
  if (!is_foreign_mpi(path.substr(path.rfind('/') + 1))) return 0;
  *static_cast<std::string*>(found) = path;
  return 1;
}

/// The folder above that of this library: where its compiler wrappers are.
std::string own_prefix() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&second_mpi_note), &own) == 0 || own.dli_fname == nullptr) return {};
  const std::string_view path = own.dli_fname;
  const std::size_t folder = path.rfind('/');
  if (folder == std::string_view::npos || folder == 0) return {};
  const std::size_t above = path.rfind('/', folder - 1);
  return std::string(path.substr(0, above == std::string_view::npos ? 0 : above));
}

}  // namespace

std::string second_mpi_note() {
  std::string found;
  dl_iterate_phdr(&look_at_library, &found);
  if (found.empty()) return {};
  const std::string prefix = own_prefix();
  return formatted(
      "this program has loaded another MPI beside Starling, {}, and the two know nothing of each other: its C and "
      "Fortran parts, or the program and a library that it uses, were compiled for two MPIs. Compile all of them with "
      "the mpicc, mpicxx and mpifort of one; CMake takes all of them from one with -DMPI_HOME={}",
      found, prefix.empty() ? "PREFIX" : prefix);
}

}  // namespace starling::mpi
