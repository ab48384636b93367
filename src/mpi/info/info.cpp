// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/info/info.hpp"

#include "mpi/boundary/fail.hpp"

namespace starling::mpi {

Info* find_info(Context& context, MPI_Info handle) {
  if (handle == MPI_INFO_ENV) return &*context.environment_info;
  const Slot<Info>* found = context.infos.find(handle);
  return found != nullptr ? found->get() : nullptr;
}

Info info_or_empty(Context& context, MPI_Info handle) {
  return handle == MPI_INFO_NULL ? Info{} : *find_info(context, handle);
}

Result<MPI_Info> add_info(Context& context, Info contents) {
  Slot<Info> object;
  *object = std::move(contents);
  const auto handle = to_handle<MPI_Info>(context.infos.insert(std::move(object)));
  if (handle == nullptr) return too_many("info objects");
  return handle;
}

int give_info(Context& context, Info contents, MPI_Info* newinfo) {
  Result<MPI_Info> made = add_info(context, std::move(contents));
  if (!made.ok()) return fail(std::move(made).status());
  *newinfo = made.value();
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
