// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ToolState: what the tool information interface (MPI_T) keeps for one rank: the handles it gave out. How often it is
// initialised and what it has set before MPI starts stand in the Context.
//
// Control variables are the configuration variables, under their names in the environment. Performance variables are
// listed in variables.cpp, the types of events in event_types.cpp; there is one source of time.
// Thread safety: the context's lock, as BoundaryCall::enter takes it for functions of the tool interface.
// Invariants: handles die with the last MPI_T_finalize. Source: MPI-5.0, chapter 15.3.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "config/config.hpp"
#include "mpi/boundary/handle_table.hpp"
#include "mpi/tool/enumeration.hpp"
#include "mpi/tool/event_hub.hpp"

namespace starling::mpi {

class Context;

/// A performance variable. What it counts or measures now comes from read().
struct PerformanceVariable {
  const char* name;
  const char* sentence;
  int variable_class;  ///< MPI_T_PVAR_CLASS_...
  config::Category category;
  const ToolEnum& (*values)();  ///< of a state; else null
  std::uint64_t (*read)(Context& context);
};

/// A counter counts only while its handle is started; everything else is always up to date.
[[nodiscard]] inline bool is_counter(const PerformanceVariable& variable) noexcept {
  return variable.variable_class == MPI_T_PVAR_CLASS_COUNTER;
}

struct PerformanceHandle {
  const PerformanceVariable* variable = nullptr;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  bool started = false;
  std::uint64_t base = 0;     ///< the counter when it was started
  std::uint64_t counted = 0;  ///< before that
};

struct ToolState {
  HandleTable<const config::Declaration*> control_handles;
  HandleTable<PerformanceHandle> performance_handles;
  HandleTable<int> performance_sessions;
  EventHub events;

  void drop_handles();
};

}  // namespace starling::mpi
