// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Events of the tool interface. Starling has none, so no index and no handle of one is ever valid; it has one source of
// time, the clock of MPI_Wtime. Source: MPI-5.0, chapter 15.3.8.
#include <limits>

#include "api/calls.hpp"
#include "base/clock.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/info/info.hpp"
#include "mpi/tool/text.hpp"

namespace starling::mpi {
namespace {

constexpr int kSources = 1;
constexpr MPI_Count kTicksPerSecond = 1000000000;

}  // namespace

int t_event_get_num(int* num_events) {
  *num_events = 0;
  return MPI_SUCCESS;
}
int t_event_get_info(int /*event_index*/, char* /*name*/, int* /*name_len*/, int* /*verbosity*/,
                     MPI_Datatype* /*array_of_datatypes*/, MPI_Aint* /*array_of_displacements*/, int* /*num_elements*/,
                     MPI_T_enum* /*enumtype*/, MPI_Info* /*info*/, char* /*desc*/, int* /*desc_len*/, int* /*bind*/) {
  return MPI_T_ERR_INVALID_INDEX;
}
int t_event_get_index(const char* /*name*/, int* /*event_index*/) { return MPI_T_ERR_INVALID_NAME; }
int t_event_handle_alloc(int /*event_index*/, void* /*obj_handle*/, MPI_Info /*info*/,
                         MPI_T_event_registration* /*event_registration*/) {
  return MPI_T_ERR_INVALID_INDEX;
}

int t_event_handle_set_info(MPI_T_event_registration /*event_registration*/, MPI_Info /*info*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_handle_get_info(MPI_T_event_registration /*event_registration*/, MPI_Info* /*info_used*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_handle_free(MPI_T_event_registration /*event_registration*/, void* /*user_data*/,
                        MPI_T_event_free_cb_function /*free_cb_function*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_register_callback(MPI_T_event_registration /*event_registration*/, MPI_T_cb_safety /*cb_safety*/,
                              MPI_Info /*info*/, void* /*user_data*/, MPI_T_event_cb_function /*event_cb_function*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_callback_set_info(MPI_T_event_registration /*event_registration*/, MPI_T_cb_safety /*cb_safety*/,
                              MPI_Info /*info*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_callback_get_info(MPI_T_event_registration /*event_registration*/, MPI_T_cb_safety /*cb_safety*/,
                              MPI_Info* /*info_used*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_set_dropped_handler(MPI_T_event_registration /*event_registration*/,
                                MPI_T_event_dropped_cb_function /*dropped_cb_function*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}

int t_event_read(MPI_T_event_instance /*event_instance*/, int /*element_index*/, void* /*buffer*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_copy(MPI_T_event_instance /*event_instance*/, void* /*buffer*/) { return MPI_T_ERR_INVALID_HANDLE; }
int t_event_get_timestamp(MPI_T_event_instance /*event_instance*/, MPI_Count* /*event_timestamp*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}
int t_event_get_source(MPI_T_event_instance /*event_instance*/, int* /*source_index*/) {
  return MPI_T_ERR_INVALID_HANDLE;
}

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
