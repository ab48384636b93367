// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/call.hpp"

#include <optional>
#include <string>
#include <utility>

#include "mpi/boundary/call_site.hpp"
#include "mpi/boundary/error_handling.hpp"
#include "mpi/boundary/looking.hpp"

namespace starling::mpi {
namespace internal {

thread_local constinit int call_depth = 0;
thread_local constinit const void* call_site = nullptr;
thread_local constinit progress::Looks looks;

}  // namespace internal

namespace {

/// What fail() keeps until report() comes.
struct Note {
  Status failure;
  std::optional<ErrorOwner> owner;
};
thread_local std::optional<Note> noted;

int note(Status status, std::optional<ErrorOwner> owner) {
  const int code = static_cast<int>(status.error_class());
  noted.emplace(Note{std::move(status), owner});
  return code;
}

}  // namespace

int fail(Status status) { return note(std::move(status), std::nullopt); }
int fail(Status status, const ErrorOwner& owner) { return note(std::move(status), owner); }
int fail(Status status, MPI_Comm owner) { return note(std::move(status), ErrorOwner::of(owner)); }
int fail(Status status, MPI_Win owner) { return note(std::move(status), ErrorOwner::of(owner)); }
int fail(Status status, MPI_File owner) { return note(std::move(status), ErrorOwner::of(owner)); }
int fail(Status status, MPI_Session owner) { return note(std::move(status), ErrorOwner::of(owner)); }

BoundaryCall::Entrance BoundaryCall::enter_with_care(Function function, When when, const void* site) {
  Context& context = current() != nullptr ? *current() : *internal::bind_thread();
  const bool inside = when == When::kInside || when == When::kMayLock;
  if (!inside || !context.running()) return enter_outside(context, function, inside ? When::kInside : when);
  Held held = kNothing;
  if (context.threaded()) {
    if (internal::call_depth++ == 0) context.progress->lock();
    held |= kWorld;
  } else if (when == When::kMayLock) {
    held |= kPerhapsWorld;
  }
  if (context.traced()) {
    context.progress->listeners().tracer->begin_call(static_cast<std::uint16_t>(function),
                                                     reinterpret_cast<std::uintptr_t>(site));
    held |= kTrace;
  }
  if (context.listened()) {
    context.listener->begin_call(static_cast<std::uint16_t>(function));
    held |= kListening;
  }
  return {MPI_SUCCESS, held};
}

BoundaryCall::Entrance BoundaryCall::enter_outside(Context& context, Function function, When when) {
  Held held = kNothing;
  // The world's lock covers everything while there is one; another order of two locks could deadlock. A thread that has
  // waited for the context's own lock may find that there is one now.
  if (when != When::kInside && !(context.running() && context.threaded())) {
    context.anytime_mutex.lock();
    held = kAnytime;
    if (context.running() && context.threaded() && internal::call_depth == 0) {
      context.anytime_mutex.unlock();
      held = kNothing;
    }
  }
  if (held == kNothing && context.running() && context.threaded()) {
    if (internal::call_depth++ == 0) context.progress->lock();
    held = kWorld;
  }
  if (when == When::kTool && context.tool_users == 0 && function != Function::kTInitThread) {
    return {fail(Status::error(static_cast<ErrorClass>(MPI_T_ERR_NOT_INITIALIZED),
                               "the tool interface is not initialised; call MPI_T_init_thread first")),
            held};
  }
  if (when != When::kInside || context.running()) return {MPI_SUCCESS, held};
  if (context.is_forked_child()) return {fail(context.refuse_fork()), held};
  const char* why = context.life == Life::kAfter ? "it is called after MPI_Finalize; only a few calls are legal then"
                                                 : "it is called before MPI_Init; initialise MPI first";
  return {fail(Status::error(ErrorClass::kOther, why)), held};
}

void BoundaryCall::leave(Held held) noexcept {
  Context& context = *current();
  if ((held & kTrace) != 0) context.progress->listeners().tracer->end_call();
  if ((held & kListening) != 0) context.listener->end_call();
  if ((held & kAnytime) != 0) context.anytime_mutex.unlock();
  const bool has_world = (held & kWorld) != 0 || ((held & kPerhapsWorld) != 0 && context.threaded());
  if (has_world && --internal::call_depth == 0) context.progress->unlock();
}

namespace {

/// A program may go on calling what fails until it hears of a revocation or of another death.
void let_events_in(Context& context, ErrorClass error_class) {
  const bool may_be = is_about_deaths(error_class) || error_class == ErrorClass::kInStatus;
  if (may_be && context.running()) context.progress->let_others_on();
}

int raise_noted(int code, When when, ErrorOwner call_owner, std::string call_text) {
  if (!noted) return code;  // reported already
  Note failure = std::move(*noted);
  noted.reset();
  // A check of the boundary has the class of MPI's calls; the tool interface knows only its own.
  if (when == When::kTool) return code >= MPI_T_ERR_CANNOT_INIT ? code : MPI_T_ERR_INVALID;
  // Before the handler, which need not return.
  let_events_in(*current(), failure.failure.error_class());
  const auto raise = code == MPI_ERR_IN_STATUS ? &raise_error_in_status : &raise_error;
  return raise(*current(), failure.owner.value_or(call_owner), failure.failure, call_text);
}

}  // namespace

int BoundaryCall::raise(When when, int code, std::nullptr_t /*no_owner*/, std::string call_text) {
  return raise_noted(code, when, ErrorOwner::none(), std::move(call_text));
}
int BoundaryCall::raise(When when, int code, MPI_Comm owner, std::string call_text) {
  return raise_noted(code, when, ErrorOwner::of(owner), std::move(call_text));
}
int BoundaryCall::raise(When when, int code, MPI_Win owner, std::string call_text) {
  return raise_noted(code, when, ErrorOwner::of(owner), std::move(call_text));
}
int BoundaryCall::raise(When when, int code, MPI_File owner, std::string call_text) {
  return raise_noted(code, when, ErrorOwner::of(owner), std::move(call_text));
}
int BoundaryCall::raise(When when, int code, MPI_Session owner, std::string call_text) {
  return raise_noted(code, when, ErrorOwner::of(owner), std::move(call_text));
}
int BoundaryCall::raise(When when, int code, MPI_Errhandler owner, std::string call_text) {
  return raise_noted(code, when, ErrorOwner::of_handler(owner), std::move(call_text));
}

}  // namespace starling::mpi
