// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How the library begins and ends, and the few calls that the generator does not write (api/generator/seen.py).
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "call.hpp"
#include "mpi/communicator.hpp"
#include "mpi/implementation.hpp"
#include "observe/join.hpp"

namespace starling::see {
namespace {

void begin(int threads) {
  if (std::getenv(observe::kJoinVariable) == nullptr) return;
  const std::string_view name = any_mpi::running_on();
  if (name != any_mpi::kBuiltFor) {
    // Handles of this MPI have other values than those that the library knows, so it leaves them alone.
    if (any_mpi::is_first_process())
      std::fprintf(stderr,
                   "see: the library is built for %s, and this program runs on %s, so nothing is seen of it: "
                   "name the MPI with 'starling see --mpi'\n",
                   any_mpi::kBuiltFor.data(), name.empty() ? "another MPI" : name.data());
    return;
  }
  const std::optional<Seat> seat = take_seat(any_mpi::rank_of(MPI_COMM_WORLD), any_mpi::size_of(MPI_COMM_WORLD));
  if (!seat) return;
  // Never destroyed: other threads may still be in a call.
  observed.store(new Observed(*seat, threads == MPI_THREAD_MULTIPLE), std::memory_order_release);
}

int end(Call& call) {
  call.shows<0>({});
  call.waits_as(observe::WaitKind::kFinalize);
  return PMPI_Finalize();
}

}  // namespace
}  // namespace starling::see

using starling::mpi::Function;
using starling::see::Call;

STARLING_SEE_EXPORT int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) starling::see::begin(MPI_THREAD_SINGLE);
  return code;
}

STARLING_SEE_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int granted = MPI_THREAD_SINGLE;
  const int code = PMPI_Init_thread(argc, argv, required, &granted);
  if (provided != nullptr) *provided = granted;
  if (code == MPI_SUCCESS) starling::see::begin(granted);
  return code;
}

STARLING_SEE_EXPORT int MPI_Finalize() {
  int code = MPI_SUCCESS;
  {
    Call call(Function::kFinalize, __builtin_return_address(0));
    code = starling::see::end(call);
  }
  starling::see::Observed* const seen = starling::see::observed.exchange(nullptr, std::memory_order_acq_rel);
  if (seen != nullptr && seen->recorder) seen->recorder->leave(static_cast<std::uint16_t>(Function::kFinalize));
  starling::see::leave_seat();
  return code;
}

STARLING_SEE_EXPORT int MPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  const int code = PMPI_Comm_set_name(comm, comm_name);
  starling::see::Observed* const seen = starling::see::observed.load(std::memory_order_acquire);
  if (seen != nullptr && code == MPI_SUCCESS) seen->communicators.rename(comm, comm_name);
  return code;
}

STARLING_SEE_EXPORT int MPI_Type_free(MPI_Datatype* datatype) {
  starling::see::Observed* const seen = starling::see::observed.load(std::memory_order_acquire);
  if (seen != nullptr && datatype != nullptr) seen->types.forget(*datatype);
  return PMPI_Type_free(datatype);
}

STARLING_SEE_EXPORT int MPI_Request_free(MPI_Request* request) {
  Call call(Function::kRequestFree, __builtin_return_address(0));
  call.shows<0>({});
  call.forgets(request);
  return PMPI_Request_free(request);
}
