// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Listening: a registration for events of the tool interface, and what its callbacks have heard. Thread safety: the
// lock of the rank, with which callbacks run.
#pragma once

#include <mpi.h>

#include <chrono>
#include <thread>
#include <vector>

namespace starling::tests {

/// A registration of an event type, and what its callbacks have heard.
struct Listening {
  explicit Listening(const char* name, MPI_Comm comm = MPI_COMM_NULL) {
    MPI_T_event_get_index(name, &index);
    MPI_T_event_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, &elements, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
    code = MPI_T_event_handle_alloc(index, &comm, MPI_INFO_NULL, &registration);
  }
  Listening(const char* name, MPI_T_cb_safety safety) : Listening(name) { start(safety); }
  ~Listening() { stop(); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  int start(MPI_T_cb_safety safety = MPI_T_CB_REQUIRE_MPI_RESTRICTED) {
    return MPI_T_event_register_callback(registration, safety, MPI_INFO_NULL, this, hear);
  }
  int stop() {
    MPI_T_event_registration freed = registration;
    registration = MPI_T_event_registration{};
    return freed != MPI_T_event_registration{} ? MPI_T_event_handle_free(freed, this, note_free) : MPI_SUCCESS;
  }

  static void hear(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                   void* user_data) {
    auto& self = *static_cast<Listening*>(user_data);
    std::vector<MPI_Count> whole(static_cast<std::size_t>(self.elements)), each(whole.size());
    for (int i = 0; i < self.elements; ++i) {
      if (MPI_T_event_read(instance, i, &each[static_cast<std::size_t>(i)]) != MPI_SUCCESS) ++self.wrong;
    }
    MPI_T_event_copy(instance, whole.data());
    MPI_Count time = 0;
    int source = -1;
    MPI_T_event_get_timestamp(instance, &time);
    MPI_T_event_get_source(instance, &source);
    const bool out_of_range = MPI_T_event_read(instance, self.elements, &time) == MPI_T_ERR_INVALID_INDEX;
    if (whole != each || registration != self.registration || source != 0 || !out_of_range) ++self.wrong;
    self.safety_required = safety;
    self.last = instance;
    self.times.push_back(time);
    self.events.push_back(whole);
    if (self.frees_itself) self.stop();
  }
  static void note_drops(MPI_Count count, MPI_T_event_registration /*registration*/, int /*source*/,
                         MPI_T_cb_safety /*safety*/, void* user_data) {
    static_cast<Listening*>(user_data)->dropped += count;
  }
  static void note_free(MPI_T_event_registration /*registration*/, MPI_T_cb_safety /*safety*/, void* user_data) {
    ++static_cast<Listening*>(user_data)->frees;
  }

  [[nodiscard]] std::size_t count() const { return events.size(); }
  /// Events with this value in this place.
  [[nodiscard]] int count_of(std::size_t element, MPI_Count value) const {
    int found = 0;
    for (const auto& event : events) found += event.at(element) == value ? 1 : 0;
    return found;
  }

  int index = -1;
  int elements = 0;
  int code = -1;
  MPI_T_event_registration registration{};
  std::vector<std::vector<MPI_Count>> events;
  std::vector<MPI_Count> times;
  MPI_T_event_instance last{};
  MPI_T_cb_safety safety_required = MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE;  ///< by the latest event
  MPI_Count dropped = 0;
  int frees = 0;
  int wrong = 0;
  bool frees_itself = false;
};

/// The tool interface for the time of a scope.
class EventTool {
 public:
  EventTool() {
    int provided = -1;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
  }
  ~EventTool() { MPI_T_finalize(); }
  EventTool(const EventTool&) = delete;
  EventTool& operator=(const EventTool&) = delete;
};

inline constexpr MPI_T_cb_safety kRestricted = MPI_T_CB_REQUIRE_MPI_RESTRICTED;

inline void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace starling::tests
