// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Accesses to windows: put, get, the accumulates, and their request-based forms, whose requests are complete when they
// are made, but for those to ranks of other nodes. Source: MPI-5.0, chapter 12.3.
#include <string>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/refusals.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/request/requests.hpp"
#include "mpi/rma/targets.hpp"
#include "mpi/rma/win_object.hpp"

namespace starling::mpi {
namespace {

rma::Buffer buffer_of(Context& context, const void* address, MPI_Count count, MPI_Datatype datatype) noexcept {
  return {const_cast<void*>(address), count, context.datatype(datatype)};
}

rma::Place place_of(Context& context, int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype datatype) noexcept {
  return {rank, disp, count, context.datatype(datatype)};
}

/// Runs `access` and gives out a request, which is complete where the access is; legal while the target is locked.
template <typename Access>
int with_request(MPI_Win win, int target_rank, MPI_Request* request, Access&& access) {
  Context& context = *current();
  rma::Window& window = *win_of(win).window;
  *request = MPI_REQUEST_NULL;
  if (const int code = check_target(window, target_rank, "target_rank")) return code;
  if (target_rank != MPI_PROC_NULL) {
    if (const int code = done(window.epochs().check_locked(target_rank))) return code;
  }
  if (const int code = access()) return code;
  p2p::Request* under_way = window.watch(target_rank);
  if (under_way == nullptr) under_way = new CompleteRequest(kEmptyCompletion);
  under_way->completion = kEmptyCompletion;
  return context.add_request(under_way, MPI_COMM_SELF, request);
}

/// The origin's arguments of a get_accumulate, which nobody looks at for MPI_NO_OP.
int check_origin(Context& context, const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype) {
  if (origin_count < 0) return internal::refuse_count(origin_count, "origin_count");
  const datatype::Datatype* type = context.datatype(origin_datatype);
  if (type == nullptr || !type->committed()) return internal::refuse_datatype(origin_datatype, "origin_datatype");
  if (origin_addr != nullptr && origin_addr != MPI_IN_PLACE) return MPI_SUCCESS;
  return internal::check_special_buffer(origin_addr, origin_count, origin_datatype, "origin_addr");
}

int not_predefined(const char* why) { return fail(Status::error(ErrorClass::kType, std::string("datatype ") + why)); }

/// What MPI_Compare_and_swap takes: integers, logicals and bytes (12.3.4); characters compare as well as bytes do.
bool comparable(datatype::Basic basic) {
  switch (datatype::info(basic).group) {
    case datatype::Group::kCInteger:
    case datatype::Group::kFortranInteger:
    case datatype::Group::kLogical:
    case datatype::Group::kMultiLanguage:
    case datatype::Group::kByte: return true;
    default: return basic == datatype::Basic::kChar;
  }
}

}  // namespace

int put(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  Context& context = *current();
  rma::Window& window = *win_of(win).window;
  if (const int code = check_target(window, target_rank, "target_rank")) return code;
  return done(window.put(buffer_of(context, origin_addr, origin_count, origin_datatype),
                         place_of(context, target_rank, target_disp, target_count, target_datatype)));
}

int get(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
        MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  Context& context = *current();
  rma::Window& window = *win_of(win).window;
  if (const int code = check_target(window, target_rank, "target_rank")) return code;
  return done(window.get(buffer_of(context, origin_addr, origin_count, origin_datatype),
                         place_of(context, target_rank, target_disp, target_count, target_datatype)));
}

int accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  Context& context = *current();
  rma::Window& window = *win_of(win).window;
  if (const int code = check_target(window, target_rank, "target_rank")) return code;
  return done(window.accumulate({buffer_of(context, origin_addr, origin_count, origin_datatype),
                                 {},
                                 place_of(context, target_rank, target_disp, target_count, target_datatype),
                                 context.op(op)}));
}

int get_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void* result_addr,
                   MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                   MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  Context& context = *current();
  rma::Window& window = *win_of(win).window;
  if (const int code = check_target(window, target_rank, "target_rank")) return code;
  if (target_rank == MPI_PROC_NULL) return MPI_SUCCESS;
  rma::Accumulation what;
  if (op != MPI_NO_OP) {
    if (const int code = check_origin(context, origin_addr, origin_count, origin_datatype)) return code;
    what.origin = buffer_of(context, origin_addr, origin_count, origin_datatype);
  }
  what.result = buffer_of(context, result_addr, result_count, result_datatype);
  what.place = place_of(context, target_rank, target_disp, target_count, target_datatype);
  what.op = context.op(op);
  return done(window.accumulate(what));
}

int fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                 MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  Context& context = *current();
  rma::Window& window = *win_of(win).window;
  if (const int code = check_target(window, target_rank, "target_rank")) return code;
  const rma::Place place = place_of(context, target_rank, target_disp, 1, datatype);
  if (!place.type->is_predefined()) return not_predefined("is derived; the call takes predefined types only");
  return done(window.fetch_and_op(origin_addr, result_addr, place, *context.op(op)));
}

int compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Win win) {
  Context& context = *current();
  rma::Window& window = *win_of(win).window;
  if (const int code = check_target(window, target_rank, "target_rank")) return code;
  const rma::Place place = place_of(context, target_rank, target_disp, 1, datatype);
  if (!place.type->is_predefined() || !comparable(place.type->basic())) {
    return not_predefined("is none of the integer, logical, multi-language and byte types, which the call takes");
  }
  return done(window.compare_and_swap(origin_addr, compare_addr, result_addr, place));
}

int rput(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request* request) {
  return with_request(win, target_rank, request, [&] {
    return put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
               win);
  });
}

int rget(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
         MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  return with_request(win, target_rank, request, [&] {
    return get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
               win);
  });
}

int raccumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                MPI_Request* request) {
  return with_request(win, target_rank, request, [&] {
    return accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                      target_datatype, op, win);
  });
}

int rget_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void* result_addr,
                    MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                    MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                    MPI_Request* request) {
  return with_request(win, target_rank, request, [&] {
    return get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
                          target_rank, target_disp, target_count, target_datatype, op, win);
  });
}

}  // namespace starling::mpi
