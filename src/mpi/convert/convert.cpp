// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Handles as integers: a handle is a number that fits an int (boundary/handle_table.hpp), so these are casts. And
// address arithmetic. Source: MPI-5.0, chapters 5.1.5 and 20.3.
#include "api/calls.hpp"
#include "mpi/boundary/handle_table.hpp"

namespace starling::mpi {
namespace {

template <typename Handle>
int to_integer(Handle handle) noexcept {
  return static_cast<int>(value_of(handle));
}
template <typename Handle>
Handle from_integer(int number) noexcept {
  return to_handle<Handle>(static_cast<std::uintptr_t>(static_cast<unsigned>(number)));
}

}  // namespace

MPI_Comm comm_fromint(int comm) { return from_integer<MPI_Comm>(comm); }
int comm_toint(MPI_Comm comm) { return to_integer(comm); }
MPI_Errhandler errhandler_fromint(int errhandler) { return from_integer<MPI_Errhandler>(errhandler); }
int errhandler_toint(MPI_Errhandler errhandler) { return to_integer(errhandler); }
MPI_File file_fromint(int file) { return from_integer<MPI_File>(file); }
int file_toint(MPI_File file) { return to_integer(file); }
MPI_Group group_fromint(int group) { return from_integer<MPI_Group>(group); }
int group_toint(MPI_Group group) { return to_integer(group); }
MPI_Info info_fromint(int info) { return from_integer<MPI_Info>(info); }
int info_toint(MPI_Info info) { return to_integer(info); }
MPI_Message message_fromint(int message) { return from_integer<MPI_Message>(message); }
int message_toint(MPI_Message message) { return to_integer(message); }
MPI_Op op_fromint(int op) { return from_integer<MPI_Op>(op); }
int op_toint(MPI_Op op) { return to_integer(op); }
MPI_Request request_fromint(int request) { return from_integer<MPI_Request>(request); }
int request_toint(MPI_Request request) { return to_integer(request); }
MPI_Session session_fromint(int session) { return from_integer<MPI_Session>(session); }
int session_toint(MPI_Session session) { return to_integer(session); }
MPI_Datatype type_fromint(int datatype) { return from_integer<MPI_Datatype>(datatype); }
int type_toint(MPI_Datatype datatype) { return to_integer(datatype); }
MPI_Win win_fromint(int win) { return from_integer<MPI_Win>(win); }
int win_toint(MPI_Win win) { return to_integer(win); }

// In unsigned arithmetic: an address plus a displacement may pass the middle of the address space.
MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(disp));
}
MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uint64_t>(addr1) - static_cast<std::uint64_t>(addr2));
}

}  // namespace starling::mpi
