// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Windows: how they are made and freed, and the hints that act. Source: MPI-5.0, chapter 12.2.
#include <charconv>
#include <cstring>
#include <memory>
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/env/progress_threads.hpp"
#include "mpi/info/info.hpp"
#include "mpi/rma/hints.hpp"
#include "mpi/rma/win_object.hpp"
#include "world/communicators/communicators.hpp"

namespace starling::mpi {
namespace {

int flavor_code(rma::Flavor flavor) {
  switch (flavor) {
    case rma::Flavor::kCreate: return MPI_WIN_FLAVOR_CREATE;
    case rma::Flavor::kAllocate: return MPI_WIN_FLAVOR_ALLOCATE;
    case rma::Flavor::kDynamic: return MPI_WIN_FLAVOR_DYNAMIC;
    case rma::Flavor::kShared: return MPI_WIN_FLAVOR_SHARED;
  }
  return MPI_UNDEFINED;
}

Status check_shape(const rma::WindowSpec& spec, MPI_Count disp_unit) {
  if (spec.bytes < 0) {
    return Status::error(ErrorClass::kSize, formatted("size is {}; it must be 0 or more", spec.bytes));
  }
  if (disp_unit <= 0) {
    return Status::error(ErrorClass::kDisp, formatted("disp_unit is {}; it must be 1 or more", disp_unit));
  }
  return {};
}

int make(rma::WindowSpec spec, MPI_Count disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  Context& context = *current();
  *win = MPI_WIN_NULL;
  comm::Communicator& parent = *context.comm(comm)->comm;
  if (parent.is_inter()) {
    return fail(
        Status::error(ErrorClass::kComm,
                      "comm is an intercommunicator; a window is made over one group, so pass an intracommunicator"));
  }
  if (Status good = check_shape(spec, disp_unit); !good.ok()) return fail(std::move(good));
  spec.disp_unit = disp_unit;
  const Info hints = info == MPI_INFO_NULL ? Info{} : *find_info(context, info);
  if (const std::string* apart = hints.get("alloc_shared_noncontig"); apart != nullptr && *apart == "true") {
    spec.layout = rma::PartLayout::kApart;
  }
  if (Status acted = act_on_hints(context, hints); !acted.ok()) return fail(std::move(acted));
  world::MadeCommunicator own = world::dup(*context.world, parent);
  if (!own.ok()) return fail(std::move(own).status());
  Result<std::unique_ptr<rma::Window>> made = context.world->rma().create_window(std::move(own).value(), spec);
  if (!made.ok()) return fail(std::move(made).status());

  auto object = std::make_unique<WinObject>();
  object->window = std::move(made).value();
  object->info = hints;
  object->size = spec.bytes;
  object->disp_unit = static_cast<int>(spec.disp_unit);
  object->flavor = flavor_code(spec.flavor);
  const auto handle = to_handle<MPI_Win>(context.wins.insert(std::move(object)));
  if (handle == nullptr) return fail(too_many("windows"));
  *win = handle;
  update_far_service(context);
  return MPI_SUCCESS;
}

/// Makes a window with memory of its own and tells where it is.
int allocate(rma::Flavor flavor, rma::PartLayout layout, MPI_Aint size, MPI_Count disp_unit, MPI_Info info,
             MPI_Comm comm, void* baseptr, MPI_Win* win) {
  rma::WindowSpec spec;
  spec.flavor = flavor;
  spec.bytes = size;
  spec.layout = layout;
  if (const int code = make(spec, disp_unit, info, comm, win)) return code;
  const void* base = win_of(*win).window->base();
  std::memcpy(baseptr, &base, sizeof base);
  return MPI_SUCCESS;
}

}  // namespace

Status act_on_hints(Context& context, const Info& hints) {
  rma::TargetService& help = context.world->rma().target_service();
  if (const std::string* text = hints.get("starling_rma_agent_core")) {
    std::int64_t core = 0;
    const auto [rest, error] = std::from_chars(text->data(), text->data() + text->size(), core);
    if (error != std::errc() || rest != text->data() + text->size()) {
      return Status::error(ErrorClass::kInfoValue,
                           "starling_rma_agent_core is not a number; it takes the number of a core, or -1 for any");
    }
    STARLING_TRY(help.set_agent_core(core));
  }
  if (const std::string* text = hints.get("starling_rma_agent")) {
    Result<rma::AgentMode> mode = rma::parse_agent_mode(*text);
    if (!mode.ok()) return std::move(mode).status();
    STARLING_TRY(help.set_agent(mode.value()));
  }
  return {};
}

int win_create(void* base, MPI_Aint size, MPI_Count disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  if (base == nullptr && size > 0) {
    return fail(
        Status::error(ErrorClass::kBase,
                      formatted("base is a null pointer, but size is {}; pass the address of that much memory", size)));
  }
  rma::WindowSpec spec;
  spec.flavor = rma::Flavor::kCreate;
  spec.base = base;
  spec.bytes = size;
  return make(spec, disp_unit, info, comm, win);
}

int win_allocate(MPI_Aint size, MPI_Count disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return allocate(rma::Flavor::kAllocate, rma::PartLayout::kApart, size, disp_unit, info, comm, baseptr, win);
}

int win_allocate_shared(MPI_Aint size, MPI_Count disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return allocate(rma::Flavor::kShared, rma::PartLayout::kTogether, size, disp_unit, info, comm, baseptr, win);
}

int win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  rma::WindowSpec spec;
  spec.flavor = rma::Flavor::kDynamic;
  return make(spec, 1, info, comm, win);
}

int win_free(MPI_Win* win) {
  Context& context = *current();
  WinObject& object = win_of(*win);
  if (Status idle = object.window->epochs().check_idle(); !idle.ok()) return fail(std::move(idle));
  if (const int code = object.attributes.clear(*win)) {
    return fail(Status::error(static_cast<ErrorClass>(code),
                              "the delete function of an attribute failed, so the object stays"));
  }
  if (Status freed = context.world->rma().free_window(std::move(object.window)); !freed.ok()) {
    return fail(std::move(freed));
  }
  context.release_errhandler(object.errhandler);
  context.wins.erase(*win);
  *win = MPI_WIN_NULL;
  update_far_service(context);
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
