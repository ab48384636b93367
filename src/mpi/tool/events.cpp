// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Events of the tool interface. Source: MPI-5.0, chapter 15.3.8.
#include <algorithm>
#include <cstring>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/info/info.hpp"
#include "mpi/tool/text.hpp"
#include "mpi/tool/tool.hpp"

namespace starling::mpi {
namespace {

EventHub& events() { return current()->tool->events; }

/// An element of an event in memory.
using Value = MPI_Count;

void give_elements(const EventType& type, MPI_Datatype* datatypes, MPI_Aint* displacements, int* count) {
  if (count == nullptr) return;
  const int most = std::min(*count, static_cast<int>(type.elements.size()));
  for (int i = 0; i < most; ++i) {
    if (datatypes != nullptr) datatypes[i] = MPI_COUNT;
    if (displacements != nullptr) displacements[i] = static_cast<MPI_Aint>(sizeof(Value)) * i;
  }
  *count = static_cast<int>(type.elements.size());
}

/// No hint is known, so no object has any.
int give_no_hints(MPI_Info* info) {
  if (info == nullptr) return MPI_SUCCESS;
  Result<MPI_Info> made = add_info(*current(), Info{});
  if (!made.ok()) return MPI_T_ERR_MEMORY;
  *info = made.value();
  return MPI_SUCCESS;
}

const EventType& type_of(const EventInstance& instance) { return event_types()[index_of(instance.what.kind)]; }

/// The code that says what is wrong with a registration and the safety level of a callback.
int check_level(EventRegistration* one, MPI_T_cb_safety level) {
  if (one == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  return unless(one->callback_of(level) != nullptr, MPI_T_ERR_INVALID);
}

int check_callback(MPI_T_event_registration registration, MPI_T_cb_safety level) {
  EventRegistration* const one = events().find(registration);
  if (const int code = check_level(one, level)) return code;
  return unless(one->callback_of(level)->function != nullptr, MPI_T_ERR_INVALID);
}

}  // namespace

int t_event_get_num(int* num_events) {
  *num_events = static_cast<int>(event_types().size());
  return MPI_SUCCESS;
}

int t_event_get_info(int event_index, char* name, int* name_len, int* verbosity, MPI_Datatype* array_of_datatypes,
                     MPI_Aint* array_of_displacements, int* num_elements, MPI_T_enum* enumtype, MPI_Info* info,
                     char* desc, int* desc_len, int* bind) {
  if (!is_index(event_index, event_types().size())) return MPI_T_ERR_INVALID_INDEX;
  const EventType& type = event_types()[static_cast<std::size_t>(event_index)];
  give_text(type.name, name, name_len);
  give(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  give_elements(type, array_of_datatypes, array_of_displacements, num_elements);
  give(enumtype, handle_of(element_names(type)));
  give_text(type.sentence, desc, desc_len);
  give(bind, type.bind);
  return give_no_hints(info);
}

int t_event_get_index(const char* name, int* event_index) {
  const auto all = event_types();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const EventType& one) { return std::strcmp(one.name, name) == 0; });
  if (found == all.end()) return MPI_T_ERR_INVALID_NAME;
  *event_index = static_cast<int>(found - all.begin());
  return MPI_SUCCESS;
}

int t_event_handle_alloc(int event_index, void* obj_handle, MPI_Info /*info*/,
                         MPI_T_event_registration* event_registration) {
  if (event_registration == nullptr) return MPI_T_ERR_INVALID;
  if (!is_index(event_index, event_types().size())) return MPI_T_ERR_INVALID_INDEX;
  const auto type = static_cast<std::size_t>(event_index);
  Context& context = *current();
  std::uint32_t context_id = observe::Occurrence::kNoContext;
  if (event_types()[type].bind == MPI_T_BIND_MPI_COMM) {
    if (obj_handle == nullptr || !context.running()) return MPI_T_ERR_INVALID;
    const CommObject* const object = context.comm(*static_cast<const MPI_Comm*>(obj_handle));
    if (object == nullptr) return MPI_T_ERR_INVALID;
    context_id = object->comm->context_id();
  }
  *event_registration = events().allocate(context, type, context_id);
  return unless(*event_registration != nullptr, MPI_T_ERR_OUT_OF_HANDLES);
}

int t_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info /*info*/) {
  return unless(events().find(event_registration) != nullptr, MPI_T_ERR_INVALID_HANDLE);
}
int t_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info* info_used) {
  if (events().find(event_registration) == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  return give_no_hints(info_used);
}

int t_event_handle_free(MPI_T_event_registration event_registration, void* user_data,
                        MPI_T_event_free_cb_function* free_cb_function) {
  if (events().find(event_registration) == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  events().free(event_registration, free_cb_function, user_data);
  return MPI_SUCCESS;
}

int t_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info /*info*/,
                              void* user_data, MPI_T_event_cb_function* event_cb_function) {
  if (const int code = check_level(events().find(event_registration), cb_safety)) return code;
  events().set_callback(event_registration, cb_safety, {event_cb_function, user_data});
  return MPI_SUCCESS;
}

int t_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                              MPI_Info /*info*/) {
  return check_callback(event_registration, cb_safety);
}
int t_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                              MPI_Info* info_used) {
  if (const int code = check_callback(event_registration, cb_safety)) return code;
  return give_no_hints(info_used);
}

int t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                MPI_T_event_dropped_cb_function* dropped_cb_function) {
  EventRegistration* const one = events().find(event_registration);
  if (one == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  one->on_dropped = dropped_cb_function;
  return MPI_SUCCESS;
}

int t_event_read(MPI_T_event_instance event_instance, int element_index, void* buffer) {
  const EventInstance* const instance = events().find(event_instance);
  if (instance == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  const auto elements = type_of(*instance).elements;
  if (!is_index(element_index, elements.size())) return MPI_T_ERR_INVALID_INDEX;
  if (buffer == nullptr) return MPI_T_ERR_INVALID;
  const Value value = elements[static_cast<std::size_t>(element_index)].read(*instance);
  std::memcpy(buffer, &value, sizeof value);
  return MPI_SUCCESS;
}

int t_event_copy(MPI_T_event_instance event_instance, void* buffer) {
  const EventInstance* const instance = events().find(event_instance);
  if (instance == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (buffer == nullptr) return MPI_T_ERR_INVALID;
  auto* out = static_cast<std::byte*>(buffer);
  for (const EventElement& element : type_of(*instance).elements) {
    const Value value = element.read(*instance);
    std::memcpy(out, &value, sizeof value);
    out += sizeof value;
  }
  return MPI_SUCCESS;
}

int t_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count* event_timestamp) {
  const EventInstance* const instance = events().find(event_instance);
  if (instance == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  *event_timestamp = instance->timestamp;
  return MPI_SUCCESS;
}

int t_event_get_source(MPI_T_event_instance event_instance, int* source_index) {
  if (events().find(event_instance) == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  *source_index = kEventSource;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
