// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Error handlers, error classes and codes. Source: MPI-5.0, chapters 9.3 to 9.5.
#include "api/calls.hpp"

#include <string>

#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/error_handling.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/text.hpp"

namespace starling::mpi {
namespace {

template <typename Function>
int create(ErrhandlerKind kind, Function* function, MPI_Errhandler* errhandler) {
  if (function == nullptr) {
    return fail(Status::error(ErrorClass::kArg, "the error handler function is a null pointer; pass a function"));
  }
  Context& context = *current();
  const ErrhandlerObject object{kind, reinterpret_cast<void (*)()>(function), 1};
  *errhandler = to_handle<MPI_Errhandler>(context.errhandlers.insert(object));
  if (*errhandler != nullptr) return MPI_SUCCESS;
  return fail(too_many("error handlers"));
}

/// The predefined handlers suit everything, a user's only the kind it was made for.
Status check_kind(Context& context, MPI_Errhandler errhandler, ErrhandlerKind kind) {
  const ErrhandlerObject* object = context.errhandlers.find(errhandler);
  if (object == nullptr || object->kind == kind) return {};
  return Status::error(ErrorClass::kErrhandler,
                       "the error handler was made for another kind of object; make one for this kind");
}

/// The boundary has checked the object, so its handler has a place.
template <typename Handle>
int set(Handle object, ErrhandlerKind kind, MPI_Errhandler errhandler) {
  Context& context = *current();
  if (Status suits = check_kind(context, errhandler, kind); !suits.ok()) return fail(std::move(suits));
  MPI_Errhandler& place = *errhandler_place(context, ErrorOwner::of(object));
  context.use_errhandler(errhandler);
  context.release_errhandler(place);
  place = errhandler;
  return MPI_SUCCESS;
}

template <typename Handle>
int get(Handle object, MPI_Errhandler* errhandler) {
  Context& context = *current();
  *errhandler = *errhandler_place(context, ErrorOwner::of(object));
  context.use_errhandler(*errhandler);
  return MPI_SUCCESS;
}

template <typename Handle>
int call(Handle object, int code) {
  Context& context = *current();
  static_cast<void>(call_handler(context, ErrorOwner::of(object), code,
                                 formatted("the program raised {}", context.errors.text(code))));
  return MPI_SUCCESS;
}

int unknown_code(int code) {
  return fail(Status::error(
      ErrorClass::kArg,
      formatted("errorcode {} is neither a code of the standard nor one that the program has added", code)));
}

int report_removal(ErrorRegistry::Removed removed, const char* what, int number) {
  if (removed == ErrorRegistry::Removed::kDone) return MPI_SUCCESS;
  const std::string text = formatted("{} {}", what, number);
  if (removed == ErrorRegistry::Removed::kUnknown) {
    return fail(
        Status::error(ErrorClass::kArg, formatted("the program has not added {}, so it cannot remove it", text)));
  }
  return fail(Status::error(ErrorClass::kArg, formatted("{} still has codes or a text; remove those first", text)));
}

}  // namespace

int comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  return create(ErrhandlerKind::kComm, comm_errhandler_fn, errhandler);
}
int file_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn, MPI_Errhandler* errhandler) {
  return create(ErrhandlerKind::kFile, file_errhandler_fn, errhandler);
}
int win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler) {
  return create(ErrhandlerKind::kWin, win_errhandler_fn, errhandler);
}
int session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  return create(ErrhandlerKind::kSession, session_errhandler_fn, errhandler);
}

int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return set(comm, ErrhandlerKind::kComm, errhandler);
}
int file_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  return set(file, ErrhandlerKind::kFile, errhandler);
}

int session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
  return set(session, ErrhandlerKind::kSession, errhandler);
}

int comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) { return get(comm, errhandler); }
int file_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) { return get(file, errhandler); }

int session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) { return get(session, errhandler); }

int win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) { return set(win, ErrhandlerKind::kWin, errhandler); }
int win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) { return get(win, errhandler); }

int errhandler_free(MPI_Errhandler* errhandler) {
  current()->release_errhandler(*errhandler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int comm_call_errhandler(MPI_Comm comm, int errorcode) { return call(comm, errorcode); }
int file_call_errhandler(MPI_File fh, int errorcode) { return call(fh, errorcode); }
int win_call_errhandler(MPI_Win win, int errorcode) { return call(win, errorcode); }

int session_call_errhandler(MPI_Session session, int errorcode) { return call(session, errorcode); }

int add_error_class(int* errorclass) {
  Context& context = *current();
  *errorclass = context.errors.add_class();
  return MPI_SUCCESS;
}

int add_error_code(int errorclass, int* errorcode) {
  Context& context = *current();
  if (context.errors.class_of(errorclass) != errorclass) {
    return fail(Status::error(
        ErrorClass::kArg,
        formatted("errorclass {} is not an error class; take one of the standard, or one that MPI_Add_error_class gave",
                  errorclass)));
  }
  *errorcode = context.errors.add_code(errorclass);
  return MPI_SUCCESS;
}

int add_error_string(int errorcode, const char* string) {
  if (!current()->errors.set_text(errorcode, string)) {
    return fail(Status::error(
        ErrorClass::kArg,
        formatted("the program has not added errorcode {}; only a code that it has added takes a text", errorcode)));
  }
  return MPI_SUCCESS;
}

int remove_error_class(int errorclass) {
  return report_removal(current()->errors.remove_class(errorclass), "error class", errorclass);
}
int remove_error_code(int errorcode) {
  return report_removal(current()->errors.remove_code(errorcode), "error code", errorcode);
}
int remove_error_string(int errorcode) {
  return report_removal(current()->errors.remove_text(errorcode), "the text of error code", errorcode);
}

int error_class(int errorcode, int* errorclass) {
  *errorclass = current()->errors.class_of(errorcode);
  return *errorclass >= 0 ? MPI_SUCCESS : unknown_code(errorcode);
}

int error_string(int errorcode, char* string, int* resultlen) {
  Context& context = *current();
  if (context.errors.class_of(errorcode) < 0) return unknown_code(errorcode);
  return copy_text(failure_text(context, errorcode), string, MPI_MAX_ERROR_STRING, resultlen);
}

}  // namespace starling::mpi
