// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Performance variables of the tool interface. Counters count while their handle is started and can be set; levels and
// states only tell what is now. Source: MPI-5.0, chapter 15.3.7.
#include <algorithm>
#include <cstring>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/tool/text.hpp"
#include "mpi/tool/tool.hpp"
#include "mpi/tool/variables.hpp"

namespace starling::mpi {
namespace {

std::uint64_t since_start(Context& context, const PerformanceHandle& handle) {
  const std::uint64_t now = handle.variable->read(context);
  return now > handle.base ? now - handle.base : 0;
}

std::uint64_t value_of(Context& context, const PerformanceHandle& handle) {
  if (!is_counter(*handle.variable)) return handle.variable->read(context);
  return handle.counted + (handle.started ? since_start(context, handle) : 0);
}

/// The value in the type that the variable has: an enumeration's int, or unsigned long long.
void store_value(Context& context, const PerformanceHandle& handle, void* memory) {
  const std::uint64_t value = value_of(context, handle);
  if (handle.variable->variable_class == MPI_T_PVAR_CLASS_STATE) {
    const int state = static_cast<int>(value);
    std::memcpy(memory, &state, sizeof state);
  } else {
    std::memcpy(memory, &value, sizeof value);
  }
}

void set_value(Context& context, PerformanceHandle& handle, std::uint64_t value) {
  handle.counted = value;
  handle.base = handle.variable->read(context);
}

void begin_counting(Context& context, PerformanceHandle& handle) {
  if (handle.started) return;
  handle.started = true;
  handle.base = handle.variable->read(context);
}

void end_counting(Context& context, PerformanceHandle& handle) {
  if (!handle.started) return;
  handle.counted += since_start(context, handle);
  handle.started = false;
}

int check_session(ToolState& tool, MPI_T_pvar_session session) {
  return unless(tool.performance_sessions.find(session) != nullptr, MPI_T_ERR_INVALID_SESSION);
}

/// Runs act on one counter, or on all counters of the session.
template <typename Act>
int each(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal, Act act) {
  Context& context = *current();
  if (const int code = check_session(*context.tool, session)) return code;
  if (handle == MPI_T_PVAR_ALL_HANDLES) {
    context.tool->performance_handles.for_each([&](std::uintptr_t /*handle*/, PerformanceHandle& one) {
      if (one.session == session && is_counter(*one.variable)) act(context, one);
    });
    return MPI_SUCCESS;
  }
  PerformanceHandle* one = context.tool->performance_handles.find(handle);
  if (one == nullptr || one->session != session) return MPI_T_ERR_INVALID_HANDLE;
  if (!is_counter(*one->variable)) return refusal;
  act(context, *one);
  return MPI_SUCCESS;
}

}  // namespace

int t_pvar_get_num(int* num_pvar) {
  *num_pvar = static_cast<int>(performance_variables().size());
  return MPI_SUCCESS;
}

int t_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
                    MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
                    int* atomic) {
  if (!is_index(pvar_index, performance_variables().size())) return MPI_T_ERR_INVALID_INDEX;
  const PerformanceVariable& variable = performance_variables()[static_cast<std::size_t>(pvar_index)];
  const ToolEnum* values = variable.values != nullptr ? &variable.values() : nullptr;
  give_text(variable.name, name, name_len);
  give(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  give(var_class, variable.variable_class);
  give(datatype, values != nullptr ? MPI_INT : MPI_UNSIGNED_LONG_LONG);
  give(enumtype, values != nullptr ? handle_of(*values) : MPI_T_ENUM_NULL);
  give_text(variable.sentence, desc, desc_len);
  give(bind, MPI_T_BIND_NO_OBJECT);
  const int counts = is_counter(variable) ? 1 : 0;
  give(readonly, 1 - counts);
  give(continuous, 1 - counts);
  give(atomic, counts);
  return MPI_SUCCESS;
}

int t_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  const auto all = performance_variables();
  const auto found = std::find_if(all.begin(), all.end(), [&](const PerformanceVariable& one) {
    return one.variable_class == var_class && std::string_view(one.name) == name;
  });
  if (found == all.end()) return MPI_T_ERR_INVALID_NAME;
  *pvar_index = static_cast<int>(found - all.begin());
  return MPI_SUCCESS;
}

int t_pvar_session_create(MPI_T_pvar_session* session) {
  if (session == nullptr) return MPI_T_ERR_INVALID;
  *session = to_handle<MPI_T_pvar_session>(current()->tool->performance_sessions.insert(0));
  return unless(*session != MPI_T_PVAR_SESSION_NULL, MPI_T_ERR_OUT_OF_SESSIONS);
}

int t_pvar_session_free(MPI_T_pvar_session* session) {
  if (session == nullptr) return MPI_T_ERR_INVALID;
  ToolState& tool = *current()->tool;
  if (const int code = check_session(tool, *session)) return code;
  tool.performance_handles.for_each([&](std::uintptr_t handle, PerformanceHandle& one) {
    if (one.session == *session) tool.performance_handles.erase(handle);
  });
  tool.performance_sessions.erase(*session);
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

int t_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void* /*obj_handle*/, MPI_T_pvar_handle* handle,
                        int* count) {
  ToolState& tool = *current()->tool;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  if (const int code = check_session(tool, session)) return code;
  if (!is_index(pvar_index, performance_variables().size())) return MPI_T_ERR_INVALID_INDEX;
  PerformanceHandle made;
  made.variable = &performance_variables()[static_cast<std::size_t>(pvar_index)];
  made.session = session;
  *handle = to_handle<MPI_T_pvar_handle>(tool.performance_handles.insert(made));
  if (*handle == MPI_T_PVAR_HANDLE_NULL) return MPI_T_ERR_OUT_OF_HANDLES;
  *count = 1;
  return MPI_SUCCESS;
}

int t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  ToolState& tool = *current()->tool;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  if (const int code = check_session(tool, session)) return code;
  const PerformanceHandle* one = tool.performance_handles.find(*handle);
  if (one == nullptr || one->session != session) return MPI_T_ERR_INVALID_HANDLE;
  tool.performance_handles.erase(*handle);
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return each(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, begin_counting);
}
int t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return each(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, end_counting);
}
int t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return each(session, handle, MPI_T_ERR_PVAR_NO_WRITE,
              [](Context& context, PerformanceHandle& one) { set_value(context, one, 0); });
}

int t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  Context& context = *current();
  if (const int code = check_session(*context.tool, session)) return code;
  const PerformanceHandle* one = context.tool->performance_handles.find(handle);
  if (one == nullptr || one->session != session) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  store_value(context, *one, buf);
  return MPI_SUCCESS;
}

int t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  return each(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC, [buf](Context& context, PerformanceHandle& one) {
    store_value(context, one, buf);
    set_value(context, one, 0);
  });
}

int t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  return each(session, handle, MPI_T_ERR_PVAR_NO_WRITE, [buf](Context& context, PerformanceHandle& one) {
    std::uint64_t value = 0;
    std::memcpy(&value, buf, sizeof value);
    set_value(context, one, value);
  });
}

}  // namespace starling::mpi
