// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction operators and error handlers that are Fortran procedures. Source: MPI-5.0, 6.9.5 and 9.3.
#include <cstdio>

#include "fortran/entry.hpp"
#include "fortran/slots.hpp"

using namespace starling::fortran;

namespace {

template <typename Count>
struct Operator {
  using Procedure = void(void* in, void* inout, Count* length, int* datatype);
  template <std::size_t N>
  static void call(void* in, void* inout, Count* length, MPI_Datatype* datatype) {
    int number = to(*datatype);
    Slots<Operator>::procedure(N)(in, inout, length, &number);
  }
};

template <typename Handle>
struct Handler {
  using Procedure = void(int* object, int* code);
  template <std::size_t N>
  static void call(Handle* object, int* code, ...) {
    int number = to(*object);
    Slots<Handler>::procedure(N)(&number, code);
  }
};

int refuse_without_slot(const char* routine) {
  std::fprintf(stderr,
               "%s: the program has given it %zu different procedures, and there is no room for another; create each "
               "object once and use it again\n",
               routine, kSlots);
  PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

template <typename Handle, typename Create>
void create_handler(const char* routine, typename Handler<Handle>::Procedure* procedure, int* errhandler, int* ierror,
                    Create create) {
  auto* function = Slots<Handler<Handle>>::function_of(procedure);
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  const int code = function == nullptr ? refuse_without_slot(routine) : create(function, &made);
  if (code == MPI_SUCCESS) *errhandler = to(made);
  give(ierror, code);
}

template <typename Count, typename Create>
void create_operator(const char* routine, typename Operator<Count>::Procedure* procedure, const int* commute, int* op,
                     int* ierror, Create create) {
  auto* function = Slots<Operator<Count>>::function_of(procedure);
  MPI_Op made = MPI_OP_NULL;
  const int code = function == nullptr ? refuse_without_slot(routine) : create(function, *commute, &made);
  if (code == MPI_SUCCESS) *op = to(made);
  give(ierror, code);
}

}  // namespace

extern "C" {

#define STARLING_ERRHANDLER(lower, Type)                                                                      \
  STARLING_PUBLIC void pmpi_##lower##_create_errhandler_(Handler<Type>::Procedure* function, int* errhandler, \
                                                         int* ierror) {                                       \
    create_handler<Type>(#Type "_create_errhandler", function, errhandler, ierror, Type##_create_errhandler); \
  }                                                                                                           \
  STARLING_SAME(mpi_##lower##_create_errhandler, (Handler<Type>::Procedure * function, int* errhandler, int* ierror))
STARLING_ERRHANDLER(comm, MPI_Comm)
STARLING_ERRHANDLER(file, MPI_File)
STARLING_ERRHANDLER(session, MPI_Session)
STARLING_ERRHANDLER(win, MPI_Win)

STARLING_PUBLIC void pmpi_op_create_(Operator<int>::Procedure* function, const int* commute, int* op, int* ierror) {
  create_operator<int>("MPI_Op_create", function, commute, op, ierror, MPI_Op_create);
}
STARLING_SAME(mpi_op_create, (Operator<int>::Procedure * function, const int* commute, int* op, int* ierror))

STARLING_PUBLIC void pmpi_op_create_c_(Operator<MPI_Count>::Procedure* function, const int* commute, int* op,
                                       int* ierror) {
  create_operator<MPI_Count>("MPI_Op_create_c", function, commute, op, ierror, MPI_Op_create_c);
}
STARLING_SAME(mpi_op_create_c, (Operator<MPI_Count>::Procedure * function, const int* commute, int* op, int* ierror))

}  // extern "C"
