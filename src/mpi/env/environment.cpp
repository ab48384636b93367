// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Start and end, versions, clocks, names and memory. Source: MPI-5.0, chapters 9.1, 9.2, 9.6, 11.2 to 11.4 and 20.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "api/calls.hpp"
#include "base/clock.hpp"
#include "base/format.hpp"
#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/error_handling.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/text.hpp"
#include "mpi/env/life.hpp"
#include "mpi/info/info.hpp"
#include "topology/locality.hpp"

#ifndef STARLING_VERSION
#error "the build passes STARLING_VERSION"
#endif

namespace starling::mpi {
namespace {

/// Lower levels than asked for have no advantage, so what is asked for is what is provided.
int level_for(int required) {
  for (int level : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED}) {
    if (required <= level) return level;
  }
  return MPI_THREAD_MULTIPLE;
}

int start_world(int* thread_level) {
  Context& context = *current();
  if (context.is_forked_child()) return fail(context.refuse_fork());
  if (context.life == Life::kInside) {
    return fail(Status::error(ErrorClass::kOther, "MPI is initialised already; initialise it once"));
  }
  if (context.life == Life::kAfter) {
    return fail(
        Status::error(ErrorClass::kOther,
                      "MPI has been finalised and cannot be initialised again; initialise it once, or use sessions"));
  }
  return done(start_mpi(context, thread_level));
}

}  // namespace

int init(int* /*argc*/, char*** /*argv*/) {
  int level = MPI_THREAD_SINGLE;
  return start_world(&level);
}

int init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) {
  *provided = level_for(required);
  return start_world(provided);
}

int finalize() {
  Context& context = *current();
  if (context.is_forked_child()) return fail(context.refuse_fork());
  if (context.life != Life::kInside) {
    return fail(Status::error(ErrorClass::kOther,
                              "MPI_Init has not been called, or MPI_Finalize has been already; "
                              "sessions end with MPI_Session_finalize"));
  }
  // Attributes of MPI_COMM_SELF go first, while everything still works: that is how libraries learn of the end
  // (11.2.4).
  if (const int code = context.self_comm->attributes->clear(MPI_COMM_SELF)) {
    return fail(
        Status::error(static_cast<ErrorClass>(code), "the delete function of an attribute on MPI_COMM_SELF failed"));
  }
  return done(finish_mpi(context));
}

int initialized(int* flag) {
  *flag = current()->life != Life::kBefore ? 1 : 0;
  return MPI_SUCCESS;
}

int finalized(int* flag) {
  *flag = current()->life == Life::kAfter ? 1 : 0;
  return MPI_SUCCESS;
}

int query_thread(int* provided) {
  *provided = current()->thread_level;
  return MPI_SUCCESS;
}

int is_thread_main(int* flag) {
  *flag = current()->main_thread == std::this_thread::get_id() ? 1 : 0;
  return MPI_SUCCESS;
}

int abort(MPI_Comm comm, int errorcode) {
  Context& context = *current();
  const std::string text = formatted("MPI_Abort(comm={}, errorcode={})", context.comm(comm)->text(), errorcode);
  end_job(context, errorcode, text);
}

int get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int get_library_version(char* version, int* resultlen) {
  return copy_text("Starling " STARLING_VERSION ", MPI-5.0 ABI", version, MPI_MAX_LIBRARY_VERSION_STRING, resultlen);
}

int get_processor_name(char* name, int* resultlen) {
  char host[MPI_MAX_PROCESSOR_NAME] = {};
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "localhost");
  return copy_text(host, name, MPI_MAX_PROCESSOR_NAME, resultlen);
}

int get_hw_resource_info(MPI_Info* hw_info) {
  Info facts;
  facts.set("mpi_shared_memory", "true");  // a process is on one node
  const topology::Locality here = topology::locality();
  for (std::size_t level = 0; level < topology::kLevels; ++level) {
    const bool restricted = here.object[level] != topology::Locality::kNone;
    facts.set(std::string("hwloc://") + topology::name(static_cast<topology::Level>(level)),
              restricted ? "true" : "false");
  }
  return give_info(*current(), std::move(facts), hw_info);
}

double wtime() {
  constexpr double kSecondsPerNanosecond = 1e-9;
  return static_cast<double>(now_ns()) * kSecondsPerNanosecond;
}

double wtick() {
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC, &resolution);
  constexpr double kSecondsPerNanosecond = 1e-9;
  return static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) * kSecondsPerNanosecond;
}

int pcontrol(int /*level*/) { return MPI_SUCCESS; }

int alloc_mem(MPI_Aint size, MPI_Info /*info*/, void* baseptr) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t rounded = (static_cast<std::size_t>(size) + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, std::max(rounded, kAlignment));
  if (memory == nullptr) {
    return fail(Status::error(ErrorClass::kNoMem, formatted("there is no memory for {} bytes", size)));
  }
  std::memcpy(baseptr, &memory, sizeof memory);
  return MPI_SUCCESS;
}

int free_mem(void* base) {
  std::free(base);
  return MPI_SUCCESS;
}

int abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
