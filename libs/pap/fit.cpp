// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the program runs on the MPI that this library is built for. The library's own MPI is loaded with it, but the
// program's comes first, and takes other handles.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "library.hpp"
#include "mpi/implementation.hpp"

namespace starling::pap {
namespace {

constexpr std::string_view kLibrary = any_mpi::kBuiltFor == "Open MPI" ? "libstarling_pap_openmpi.so"
                                      : any_mpi::kBuiltFor == "MPICH"  ? "libstarling_pap_mpich.so"
                                                                       : "libstarling_pap_starling.so";

}  // namespace

void Library::must_fit() {
  const std::string_view name = any_mpi::running_on();
  if (name.empty() || name == any_mpi::kBuiltFor) return;
  // The first to end ends the job: that shall be the one that speaks, but where it does not all do.
  if (!any_mpi::is_first_process()) std::this_thread::sleep_for(std::chrono::seconds(3));
  std::fprintf(stderr, "pap: %s is built for %s, and this program runs on %s: preload the library that belongs to it\n",
               kLibrary.data(), any_mpi::kBuiltFor.data(), name.data());
  std::_Exit(1);
}

}  // namespace starling::pap
