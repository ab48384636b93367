// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Control variables of the tool interface: the configuration variables. All can be set until MPI starts, some later
// too. Source: MPI-5.0, chapter 15.3.6.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/tool/text.hpp"
#include "mpi/tool/tool.hpp"
#include "mpi/tool/variables.hpp"
#include "tuning/settings.hpp"

namespace starling::mpi {
namespace {

using config::Declaration;

/// Characters of a text variable, with its zero.
constexpr int kTextRoom = 1024;

MPI_Datatype datatype_of(config::VariableType type) {
  switch (type) {
    case config::VariableType::kInteger: return MPI_COUNT;
    case config::VariableType::kBoolean: return MPI_INT;
    case config::VariableType::kReal: return MPI_DOUBLE;
    case config::VariableType::kText: break;
  }
  return MPI_CHAR;
}

/// The values in force, or those that MPI would start with now.
config::Store values(Context& context) {
  if (context.world != nullptr) return context.world->config();
  config::Store store;
  // What is wrong in the environment is reported when MPI starts.
  static_cast<void>(store.read_environment(nullptr));
  static_cast<void>(store.set_all(context.overrides));
  tuning::take_file(store, nullptr);
  return store;
}

/// The text of a value in the memory of the variable's type.
std::string text_at(config::VariableType type, const void* memory) {
  if (type == config::VariableType::kText) {
    const auto* text = static_cast<const char*>(memory);
    return {text, strnlen(text, kTextRoom)};
  }
  if (type == config::VariableType::kReal) {
    double value = 0;
    std::memcpy(&value, memory, sizeof value);
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
  }
  std::int64_t value = 0;
  if (type == config::VariableType::kInteger) {
    std::memcpy(&value, memory, sizeof value);
  } else {
    int flag = 0;
    std::memcpy(&flag, memory, sizeof flag);
    value = flag != 0 ? 1 : 0;
  }
  return std::to_string(value);
}

void store_value(const config::Store& store, const Declaration& variable, void* memory) {
  switch (variable.type()) {
    case config::VariableType::kInteger: {
      const MPI_Count value = store.get(static_cast<const config::Variable<std::int64_t>&>(variable));
      std::memcpy(memory, &value, sizeof value);
      return;
    }
    case config::VariableType::kBoolean: {
      const int value = store.get(static_cast<const config::Variable<bool>&>(variable)) ? 1 : 0;
      std::memcpy(memory, &value, sizeof value);
      return;
    }
    case config::VariableType::kReal: {
      const double value = store.get(static_cast<const config::Variable<double>&>(variable));
      std::memcpy(memory, &value, sizeof value);
      return;
    }
    case config::VariableType::kText: {
      int length = 0;
      copy_text(store.text(variable), static_cast<char*>(memory), kTextRoom, &length);
      return;
    }
  }
}

/// Keeps a value for the start of MPI, if it is one.
int set_before_start(Context& context, const Declaration& variable, const std::string& text) {
  config::Store probe;
  if (!probe.set(variable.name(), text).ok()) return MPI_T_ERR_INVALID;
  config::Overrides& overrides = context.overrides;
  std::erase_if(overrides, [&](const auto& one) { return one.first == variable.name(); });
  overrides.emplace_back(variable.name(), text);
  return MPI_SUCCESS;
}

}  // namespace

int t_cvar_get_num(int* num_cvar) {
  *num_cvar = static_cast<int>(control_variables().size());
  return MPI_SUCCESS;
}

int t_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                    MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  if (!is_index(cvar_index, control_variables().size())) return MPI_T_ERR_INVALID_INDEX;
  const Declaration& variable = *control_variables()[static_cast<std::size_t>(cvar_index)];
  give_text(variable.environment_name(), name, name_len);
  give(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
  give(datatype, datatype_of(variable.type()));
  const ToolEnum* values_of = enum_of(variable);
  give(enumtype, values_of != nullptr ? handle_of(*values_of) : MPI_T_ENUM_NULL);
  give_text(variable.sentence(), desc, desc_len);
  give(bind, MPI_T_BIND_NO_OBJECT);
  give(scope, variable.may_change() ? MPI_T_SCOPE_LOCAL : MPI_T_SCOPE_ALL_EQ);
  return MPI_SUCCESS;
}

int t_cvar_get_index(const char* name, int* cvar_index) {
  const auto& all = control_variables();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Declaration* one) { return one->environment_name() == name; });
  if (found == all.end()) return MPI_T_ERR_INVALID_NAME;
  *cvar_index = static_cast<int>(found - all.begin());
  return MPI_SUCCESS;
}

int t_cvar_handle_alloc(int cvar_index, void* /*obj_handle*/, MPI_T_cvar_handle* handle, int* count) {
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  if (!is_index(cvar_index, control_variables().size())) return MPI_T_ERR_INVALID_INDEX;
  const Declaration* variable = control_variables()[static_cast<std::size_t>(cvar_index)];
  *handle = to_handle<MPI_T_cvar_handle>(current()->tool->control_handles.insert(variable));
  if (*handle == MPI_T_CVAR_HANDLE_NULL) return MPI_T_ERR_OUT_OF_HANDLES;
  *count = variable->type() == config::VariableType::kText ? kTextRoom : 1;
  return MPI_SUCCESS;
}

int t_cvar_handle_free(MPI_T_cvar_handle* handle) {
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  auto& handles = current()->tool->control_handles;
  if (handles.find(*handle) == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  handles.erase(*handle);
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  Context& context = *current();
  const Declaration** variable = context.tool->control_handles.find(handle);
  if (variable == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  store_value(values(context), **variable, buf);
  return MPI_SUCCESS;
}

int t_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  Context& context = *current();
  const Declaration** variable = context.tool->control_handles.find(handle);
  if (variable == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  const std::string text = text_at((*variable)->type(), buf);
  if (context.world == nullptr) return set_before_start(context, **variable, text);
  if (!(*variable)->may_change()) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  return unless(context.world->change(**variable, text).ok(), MPI_T_ERR_INVALID);
}

}  // namespace starling::mpi
