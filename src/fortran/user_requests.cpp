// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests and data representations whose functions are Fortran procedures: what C is given as extra state
// holds them. A request's is given back with it; a data representation lasts as long as the program. Source:
// MPI-5.0, 13.2 and 14.5.3.
#include <memory>

#include "fortran/entry.hpp"

using namespace starling::fortran;

namespace {

using StateProcedure = void(MPI_Aint* state, int* ierror);
using QueryProcedure = void(MPI_Aint* state, MPI_Status* status, int* ierror);
using CancelProcedure = void(MPI_Aint* state, int* complete, int* ierror);

struct Request {
  QueryProcedure* query;
  StateProcedure* free;
  CancelProcedure* cancel;
  MPI_Aint* state;  // the program's own variable, which the procedures may change

  static int call_query(void* self, MPI_Status* status) {
    auto& request = *static_cast<Request*>(self);
    int code = MPI_SUCCESS;
    request.query(request.state, status, &code);
    return code;
  }
  static int call_free(void* self) {
    const std::unique_ptr<Request> request(static_cast<Request*>(self));
    int code = MPI_SUCCESS;
    request->free(request->state, &code);
    return code;
  }
  static int call_cancel(void* self, int complete) {
    auto& request = *static_cast<Request*>(self);
    int code = MPI_SUCCESS;
    request.cancel(request.state, &complete, &code);
    return code;
  }
};

using ExtentProcedure = void(const int* datatype, MPI_Aint* extent, MPI_Aint* state, int* ierror);
template <typename Count>
using ConversionProcedure = void(void* memory, const int* datatype, const Count* count, void* file,
                                 const MPI_Offset* position, MPI_Aint* state, int* ierror);

template <typename Count>
struct Representation {
  ConversionProcedure<Count>* read;
  ConversionProcedure<Count>* write;
  ExtentProcedure* extent;
  MPI_Aint state;

  static int convert(ConversionProcedure<Count>* procedure, void* memory, MPI_Datatype datatype, Count count,
                     void* file, MPI_Offset position, MPI_Aint* state) {
    const int number = to(datatype);
    int code = MPI_SUCCESS;
    procedure(memory, &number, &count, file, &position, state, &code);
    return code;
  }
  static int call_read(void* memory, MPI_Datatype datatype, Count count, void* file, MPI_Offset position, void* self) {
    auto& made = *static_cast<Representation*>(self);
    return convert(made.read, memory, datatype, count, file, position, &made.state);
  }
  static int call_write(void* memory, MPI_Datatype datatype, Count count, void* file, MPI_Offset position, void* self) {
    auto& made = *static_cast<Representation*>(self);
    return convert(made.write, memory, datatype, count, file, position, &made.state);
  }
  static int call_extent(MPI_Datatype datatype, MPI_Aint* extent, void* self) {
    auto& made = *static_cast<Representation*>(self);
    const int number = to(datatype);
    int code = MPI_SUCCESS;
    made.extent(&number, extent, &made.state, &code);
    return code;
  }
};

}  // namespace

extern "C" {

STARLING_PUBLIC void pmpi_grequest_start_(QueryProcedure* query, StateProcedure* release, CancelProcedure* cancel,
                                          MPI_Aint* state, int* request, int* ierror) {
  auto made = std::make_unique<Request>(Request{query, release, cancel, state});
  MPI_Request started = MPI_REQUEST_NULL;
  const int code =
      MPI_Grequest_start(Request::call_query, Request::call_free, Request::call_cancel, made.get(), &started);
  if (code == MPI_SUCCESS) {
    static_cast<void>(made.release());  // call_free has it now
    *request = to(started);
  }
  give(ierror, code);
}
STARLING_SAME(mpi_grequest_start, (QueryProcedure * query, StateProcedure* release, CancelProcedure* cancel,
                                   MPI_Aint* state, int* request, int* ierror))

/// In the place of a conversion: the data is in the file as in memory. Only its address is used.
STARLING_PUBLIC void mpi_conversion_fn_null_(void*, const int*, const int*, void*, const MPI_Offset*, MPI_Aint*,
                                             int* ierror) {
  *ierror = MPI_ERR_CONVERSION;
}
STARLING_PUBLIC void mpi_conversion_fn_null_c_(void*, const int*, const MPI_Count*, void*, const MPI_Offset*, MPI_Aint*,
                                               int* ierror) {
  *ierror = MPI_ERR_CONVERSION;
}

#define STARLING_REGISTER_DATAREP(name, Name, Count, null)                                                           \
  STARLING_PUBLIC void p##name##_(const char* datarep, ConversionProcedure<Count>* read,                             \
                                  ConversionProcedure<Count>* write, ExtentProcedure* extent, const MPI_Aint* state, \
                                  int* ierror, std::size_t length) {                                                 \
    using Made = Representation<Count>;                                                                              \
    auto made = std::make_unique<Made>(Made{read, write, extent, *state});                                           \
    const int code = Name(text(datarep, length).c_str(), read == null##_ ? nullptr : Made::call_read,                \
                          write == null##_ ? nullptr : Made::call_write, Made::call_extent, made.get());             \
    if (code == MPI_SUCCESS) static_cast<void>(made.release());                                                      \
    give(ierror, code);                                                                                              \
  }                                                                                                                  \
  STARLING_SAME(name, (const char* datarep, ConversionProcedure<Count>* read, ConversionProcedure<Count>* write,     \
                       ExtentProcedure* extent, const MPI_Aint* state, int* ierror, std::size_t length))
STARLING_REGISTER_DATAREP(mpi_register_datarep, MPI_Register_datarep, int, mpi_conversion_fn_null)
STARLING_REGISTER_DATAREP(mpi_register_datarep_c, MPI_Register_datarep_c, MPI_Count, mpi_conversion_fn_null_c)

}  // extern "C"
