// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a window is: its group, name, info, memory, and what is attached to it. Source: MPI-5.0, chapters 7.8 and 12.2.
#include <cstring>
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/text.hpp"
#include "mpi/env/progress_threads.hpp"
#include "mpi/info/info.hpp"
#include "mpi/rma/hints.hpp"
#include "mpi/rma/win_object.hpp"

namespace starling::mpi {

int win_get_group(MPI_Win win, MPI_Group* group) {
  Context& context = *current();
  return give_group(context, win_of(win).window->comm().group(), group);
}

int win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  const std::string name = win == MPI_WIN_NULL ? "MPI_WIN_NULL" : win_of(win).name;
  return copy_text(name, win_name, MPI_MAX_OBJECT_NAME, resultlen);
}

int win_set_name(MPI_Win win, const char* win_name) {
  win_of(win).name = std::string(win_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  return MPI_SUCCESS;
}

int win_get_info(MPI_Win win, MPI_Info* info_used) {
  Context& context = *current();
  return give_info(context, win_of(win).info, info_used);
}

int win_set_info(MPI_Win win, MPI_Info info) {
  Context& context = *current();
  if (info == MPI_INFO_NULL) return MPI_SUCCESS;
  const Info& hints = *find_info(context, info);
  if (Status acted = act_on_hints(context, hints); !acted.ok()) return fail(std::move(acted));
  update_far_service(context);
  for (const auto& [key, value] : hints.pairs()) win_of(win).info.set(key, value);
  return MPI_SUCCESS;
}

int win_shared_query(MPI_Win win, int rank, MPI_Aint* size, MPI_Count* disp_unit, void* baseptr) {
  const rma::Window& window = *win_of(win).window;
  if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window.comm().size())) {
    return fail(Status::error(ErrorClass::kRank,
                              formatted("rank is {}; the window has ranks 0 to {}", rank, window.comm().size() - 1)));
  }
  Result<rma::Window::SharedPart> part = window.shared_part(rank);
  if (!part.ok()) return fail(std::move(part).status());
  *size = part.value().bytes;
  *disp_unit = part.value().disp_unit;
  std::memcpy(baseptr, &part.value().address, sizeof(void*));
  return MPI_SUCCESS;
}

int win_attach(MPI_Win win, void* base, MPI_Aint size) {
  if (size < 0) {
    return fail(Status::error(ErrorClass::kSize, formatted("size is {}; it must be 0 or more", size)));
  }
  if (base == nullptr && size > 0) {
    return fail(
        Status::error(ErrorClass::kBase,
                      formatted("base is a null pointer, but size is {}; pass the address of that much memory", size)));
  }
  return done(win_of(win).window->attach(base, size));
}

int win_detach(MPI_Win win, const void* base) { return done(win_of(win).window->detach(base)); }

}  // namespace starling::mpi
