// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// EventHub: the event registrations of one rank. It listens to the engine while one of them has a callback, and passes
// on what happens.
//
// An event is raised where it happens, with the world's lock held. It is dropped where no callback of a registration
// may run there, and where it happens within a callback. What has been dropped is told at the end of the call. Thread
// safety: the context's lock, as for ToolState; callbacks run with it. Invariants: a registration that is freed by its
// own callback lives until that has returned. Source: MPI-5.0, chapter 15.3.8.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/boundary/call_listener.hpp"
#include "mpi/boundary/handle_table.hpp"
#include "mpi/tool/event_types.hpp"

namespace starling::mpi {

class Context;

struct EventCallback {
  MPI_T_event_cb_function* function = nullptr;
  void* user_data = nullptr;
};

struct EventRegistration {
  /// The safety levels, the lowest first.
  static constexpr std::array kLevels = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                         MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};

  /// Null: the level is none.
  [[nodiscard]] EventCallback* callback_of(MPI_T_cb_safety level) noexcept;
  /// Of those that may run under this requirement the one with the lowest level; null: there is none.
  [[nodiscard]] const EventCallback* callback_for(MPI_T_cb_safety required) const noexcept;
  [[nodiscard]] bool listens() const noexcept { return callback_for(MPI_T_CB_REQUIRE_NONE) != nullptr; }

  std::size_t type = 0;                                        ///< index in event_types()
  std::uint32_t context_id = observe::Occurrence::kNoContext;  ///< of the communicator that it is bound to
  std::array<EventCallback, kLevels.size()> callbacks = {};    ///< by level
  MPI_T_event_dropped_cb_function* on_dropped = nullptr;
  MPI_Count dropped = 0;  ///< since that was last told
  int running = 0;        ///< callbacks
  bool is_freed = false;  ///< ... by one of them
  MPI_T_event_free_cb_function* on_freed = nullptr;
  void* freed_user_data = nullptr;
};

class EventHub final : public CallListener {
 public:
  using Handle = MPI_T_event_registration;

  /// context_id: of the communicator to which it is bound. Null when there are too many.
  [[nodiscard]] Handle allocate(Context& context, std::size_t type, std::uint32_t context_id);
  /// Null for a handle that is not alive.
  [[nodiscard]] EventRegistration* find(Handle handle) noexcept;
  [[nodiscard]] const EventInstance* find(MPI_T_event_instance instance) noexcept;
  void set_callback(Handle handle, MPI_T_cb_safety level, EventCallback callback);
  /// on_freed is called once no callback of the registration runs.
  void free(Handle handle, MPI_T_event_free_cb_function* on_freed, void* user_data);
  void free_all();

  void hear(const observe::Occurrence& what) override;
  void begin_call(std::uint16_t function) override;
  void end_call() override;
  void start() override { settle(); }
  void stop() override;

 private:
  [[nodiscard]] bool hears(observe::OccurrenceKind kind) const noexcept { return !listening_[index_of(kind)].empty(); }
  /// Listens to what the registrations need, and to nothing else.
  void settle();
  void tell(Handle handle, EventRegistration& one, const EventInstance& instance);
  void tell_dropped();
  void tell_dropped(Handle handle, EventRegistration& one);
  void finish(Handle handle, MPI_T_cb_safety safety);
  [[nodiscard]] MPI_Count communicator_of(std::uint32_t context_id);

  Context* context_ = nullptr;  ///< null: nothing has been allocated
  HandleTable<EventRegistration> registrations_;
  HandleTable<const EventInstance*> instances_;
  std::array<std::vector<Handle>, observe::kOccurrenceKinds> listening_;  ///< those with a callback, by type
  bool has_dropped_ = false;
  MPI_Comm recent_comm_ = MPI_COMM_NULL;  ///< that of the latest event
};

}  // namespace starling::mpi
