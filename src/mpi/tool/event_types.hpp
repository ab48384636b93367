// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The types of events that the tool interface raises, as a list: one for each kind of observe::Occurrence, in its
// order. Every element of an event is an MPI_Count, one behind the other. Thread safety: constants. Source: MPI-5.0,
// chapter 15.3.8.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "config/config.hpp"
#include "mpi/tool/enumeration.hpp"
#include "observe/listener.hpp"

namespace starling::mpi {

/// The source of all events.
inline constexpr int kEventSource = 0;

/// An event, while its callbacks run.
struct EventInstance {
  observe::Occurrence what;
  MPI_Count communicator = 0;  ///< what MPI_Comm_toint gives
  MPI_Count timestamp = 0;
};

struct EventElement {
  const char* name;
  MPI_Count (*read)(const EventInstance& instance);
};

struct EventType {
  const char* name;
  const char* sentence;
  config::Category category;
  int bind;  ///< MPI_T_BIND_...
  /// What its callbacks must keep to.
  MPI_T_cb_safety required;
  std::span<const EventElement> elements;
};

[[nodiscard]] std::span<const EventType> event_types() noexcept;
[[nodiscard]] inline std::size_t index_of(observe::OccurrenceKind kind) noexcept {
  return static_cast<std::size_t>(kind);
}
/// The names of a type's elements: their indices are the values of the items.
[[nodiscard]] const ToolEnum& element_names(const EventType& type);
/// Null for a handle that is none.
[[nodiscard]] const ToolEnum* find_element_names(MPI_T_enum handle) noexcept;

/// Indices of the types that belong into a category; every type is in one.
[[nodiscard]] std::vector<int> events_in(int category);

}  // namespace starling::mpi
