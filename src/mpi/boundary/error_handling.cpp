// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/error_handling.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/format.hpp"

namespace starling::mpi {
namespace {

using CommHandler = MPI_Comm_errhandler_function*;
using FileHandler = MPI_File_errhandler_function*;
using SessionHandler = MPI_Session_errhandler_function*;
using WinHandler = MPI_Win_errhandler_function*;

bool is_alive(Context& context, MPI_Errhandler handler) {
  return handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT ||
         context.errhandlers.find(handler) != nullptr;
}

MPI_Errhandler handler_of(Context& context, const ErrorOwner& owner) {
  if (owner.type() == ErrorOwnerType::kHandler && is_alive(context, owner.handler())) return owner.handler();
  const MPI_Errhandler* place = errhandler_place(context, owner);
  return place != nullptr ? *place : MPI_ERRORS_ARE_FATAL;
}

int exit_code_for(int error_code) { return error_code > 0 && error_code < 256 ? error_code : EXIT_FAILURE; }

struct LastFailure {
  int code = MPI_SUCCESS;
  bool in_status = false;  ///< the call returned MPI_ERR_IN_STATUS for it
  std::string message;
};
thread_local LastFailure last_failure;

/// A singleton and the launcher print the message themselves, up to the room in the crash record.
constexpr std::size_t kRecordRoom = sizeof(memory::CrashRecord::what) - 1;

}  // namespace

MPI_Errhandler* errhandler_place(Context& context, const ErrorOwner& owner) {
  if (ErrhandlerHolder* holder = context.holder(owner)) return &holder->errhandler;
  if (owner.type() == ErrorOwnerType::kFile) return &context.file_errhandler;
  return context.self_comm ? &context.self_comm->errhandler : nullptr;
}

std::string failure_text(Context& context, int code) {
  const bool standard = code != MPI_SUCCESS && code <= MPI_ERR_LASTCODE;  // a code of the user's has its own text
  const bool last = code == last_failure.code || (last_failure.in_status && code == MPI_ERR_IN_STATUS);
  return standard && last ? last_failure.message : context.errors.text(code);
}

void end_job(Context& context, int code, std::string_view message) {
  if (!context.running()) {
    // What a forked child has in its buffer its parent has, too, and will print.
    if (!context.is_forked_child()) std::fflush(stdout);
    std::fprintf(stderr, "starling: %.*s\n", static_cast<int>(message.size()), message.data());
    _exit(code);
  }
  bootstrap::Job& job = context.world->job();
  if (job.launched && message.size() > kRecordRoom) {
    std::fprintf(stderr, "starling: rank %d of %d: %.*s\n", context.world->rank().value, context.world->size(),
                 static_cast<int>(message.size()), message.data());
  }
  bootstrap::abort(job, code, message);
}

int call_handler(Context& context, ErrorOwner owner, int code, const std::string& message) {
  const MPI_Errhandler handler = handler_of(context, owner);
  if (handler == MPI_ERRORS_RETURN) return code;
  if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT) end_job(context, exit_code_for(code), message);
  const ErrhandlerObject* user = context.errhandlers.find(handler);
  if (user == nullptr) return code;
  switch (user->kind) {
    case ErrhandlerKind::kFile: {
      MPI_File file = owner.file();
      reinterpret_cast<FileHandler>(user->function)(&file, &code);
      return code;
    }
    case ErrhandlerKind::kSession: {
      MPI_Session session = owner.session();
      reinterpret_cast<SessionHandler>(user->function)(&session, &code);
      return code;
    }
    case ErrhandlerKind::kWin: {
      MPI_Win win = owner.win();
      reinterpret_cast<WinHandler>(user->function)(&win, &code);
      return code;
    }
    case ErrhandlerKind::kComm: break;
  }
  MPI_Comm comm = context.comm(owner.comm()) != nullptr ? owner.comm() : MPI_COMM_SELF;
  reinterpret_cast<CommHandler>(user->function)(&comm, &code);
  return code;
}

int raise_error(Context& context, ErrorOwner owner, const Status& failure, const std::string& call_text) {
  const int code = static_cast<int>(failure.error_class());
  const MPI_Errhandler handler = handler_of(context, owner);
  std::string message = call_text;
  if (const ErrhandlerHolder* holder = context.holder(owner)) {
    if (const std::string text = holder->text(); !text.empty()) message += " on " + text;
  }
  const char* name = error_name(code);
  message += formatted(": {}: {}", name != nullptr ? name : formatted("error code {}", code), failure.message());
  last_failure = {code, false, message};
  if (handler == MPI_ERRORS_RETURN) return code;
  return call_handler(context, owner, code, message);
}

int raise_error_in_status(Context& context, ErrorOwner owner, const Status& failure, const std::string& call_text) {
  const int code = raise_error(context, owner, failure, call_text);
  // The handler may have made MPI calls that failed.
  last_failure.in_status = last_failure.code == static_cast<int>(failure.error_class());
  return code == static_cast<int>(failure.error_class()) ? MPI_ERR_IN_STATUS : code;
}

}  // namespace starling::mpi
