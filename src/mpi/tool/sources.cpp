// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The sources of events: one, with the clock of MPI_Wtime. Source: MPI-5.0, chapter 15.3.8.
#include <limits>

#include "api/calls.hpp"
#include "base/clock.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/info/info.hpp"
#include "mpi/tool/event_types.hpp"
#include "mpi/tool/text.hpp"

namespace starling::mpi {
namespace {

constexpr int kSources = kEventSource + 1;
constexpr MPI_Count kTicksPerSecond = 1000000000;

}  // namespace

int t_source_get_num(int* num_sources) {
  *num_sources = kSources;
  return MPI_SUCCESS;
}

int t_source_get_info(int source_index, char* name, int* name_len, char* desc, int* desc_len,
                      MPI_T_source_order* ordering, MPI_Count* ticks_per_second, MPI_Count* max_ticks, MPI_Info* info) {
  if (!is_index(source_index, kSources)) return MPI_T_ERR_INVALID_INDEX;
  give_text("starling_clock", name, name_len);
  give_text("The monotonic clock of the node, in nanoseconds.", desc, desc_len);
  if (ordering != nullptr) *ordering = MPI_T_SOURCE_ORDERED;
  give(ticks_per_second, kTicksPerSecond);
  give(max_ticks, std::numeric_limits<MPI_Count>::max());
  if (info == nullptr) return MPI_SUCCESS;
  Result<MPI_Info> made = add_info(*current(), Info{});
  if (!made.ok()) return MPI_T_ERR_MEMORY;
  *info = made.value();
  return MPI_SUCCESS;
}

int t_source_get_timestamp(int source_index, MPI_Count* timestamp) {
  if (!is_index(source_index, kSources)) return MPI_T_ERR_INVALID_INDEX;
  *timestamp = now_ns();
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
