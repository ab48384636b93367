// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tool/event_hub.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "collective/collectives.hpp"
#include "mpi/boundary/context.hpp"

namespace starling::mpi {
namespace {

using observe::OccurrenceKind;

// Of this thread.
thread_local constinit int callbacks_running = 0;
thread_local constinit int calls_begun = 0;  ///< within each other
thread_local constinit std::uint16_t outer_call = 0;

/// The time of a callback. MPI calls within it leave the status card as if the call around it had ended.
class CallbackScope {
 public:
  explicit CallbackScope(observe::StatusCard& card) noexcept
      : card_(card), call_(card.call.load(std::memory_order_relaxed)) {
    ++callbacks_running;
  }
  ~CallbackScope() {
    --callbacks_running;
    card_.call.store(call_, std::memory_order_relaxed);
  }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  observe::StatusCard& card_;
  std::uint32_t call_;
};

}  // namespace

EventCallback* EventRegistration::callback_of(MPI_T_cb_safety level) noexcept {
  const auto found = std::find(kLevels.begin(), kLevels.end(), level);
  return found != kLevels.end() ? &callbacks[static_cast<std::size_t>(found - kLevels.begin())] : nullptr;
}

const EventCallback* EventRegistration::callback_for(MPI_T_cb_safety required) const noexcept {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] >= required && callbacks[i].function != nullptr) return &callbacks[i];
  }
  return nullptr;
}

EventHub::Handle EventHub::allocate(Context& context, std::size_t type, std::uint32_t context_id) {
  context_ = &context;
  context.listener = this;
  EventRegistration made;
  made.type = type;
  made.context_id = context_id;
  return to_handle<Handle>(registrations_.insert(made));
}

EventRegistration* EventHub::find(Handle handle) noexcept {
  EventRegistration* const found = registrations_.find(handle);
  return found != nullptr && !found->is_freed ? found : nullptr;
}

const EventInstance* EventHub::find(MPI_T_event_instance instance) noexcept {
  const EventInstance** const found = instances_.find(instance);
  return found != nullptr ? *found : nullptr;
}

void EventHub::set_callback(Handle handle, MPI_T_cb_safety level, EventCallback callback) {
  EventRegistration& one = *registrations_.find(handle);
  *one.callback_of(level) = callback;
  std::vector<Handle>& listening = listening_[one.type];
  std::erase(listening, handle);
  if (one.listens()) listening.push_back(handle);
  settle();
}

void EventHub::free(Handle handle, MPI_T_event_free_cb_function* on_freed, void* user_data) {
  EventRegistration& one = *registrations_.find(handle);
  std::erase(listening_[one.type], handle);
  settle();
  one.is_freed = true;
  one.on_freed = on_freed;
  one.freed_user_data = user_data;
  if (one.running == 0) finish(handle, MPI_T_CB_REQUIRE_NONE);
}

void EventHub::free_all() {
  registrations_.for_each([this](std::uintptr_t value, EventRegistration& one) {
    if (!one.is_freed) free(to_handle<Handle>(value), nullptr, nullptr);
  });
}

void EventHub::stop() {
  if (!context_->listened()) return;
  context_->clear_manner(Context::kListened);
  context_->progress->listeners().listener = nullptr;
  context_->p2p->set_listener(nullptr);
  context_->collectives->set_listener(nullptr);
}

void EventHub::settle() {
  if (!context_->running()) return;
  const bool any = std::any_of(listening_.begin(), listening_.end(), [](const auto& of) { return !of.empty(); });
  if (!any) return stop();
  const bool messages = hears(OccurrenceKind::kMessageSent) || hears(OccurrenceKind::kMessageEarly) ||
                        hears(OccurrenceKind::kMessageMatched);
  const bool collectives = hears(OccurrenceKind::kCollectiveBegun) || hears(OccurrenceKind::kCollectiveEnded);
  context_->set_manner(Context::kListened);
  context_->progress->listeners().listener = this;
  context_->p2p->set_listener(messages ? this : nullptr);
  context_->collectives->set_listener(collectives ? this : nullptr);
}

void EventHub::hear(const observe::Occurrence& what) {
  const std::vector<Handle>& listening = listening_[index_of(what.kind)];
  if (listening.empty()) return;
  EventInstance instance;
  instance.what = what;
  instance.communicator = communicator_of(what.context_id);
  instance.timestamp = now_ns();
  // A copy: callbacks may register and free others.
  for (const Handle handle : std::vector<Handle>(listening)) {
    if (EventRegistration* one = find(handle)) tell(handle, *one, instance);
  }
}

void EventHub::tell(Handle handle, EventRegistration& one, const EventInstance& instance) {
  const bool is_bound = one.context_id != observe::Occurrence::kNoContext;
  if (is_bound && one.context_id != instance.what.context_id) return;
  const MPI_T_cb_safety required = event_types()[one.type].required;
  const EventCallback* const found = one.callback_for(required);
  const bool may_run = found != nullptr && callbacks_running == 0;
  const std::uintptr_t number = may_run ? instances_.insert(&instance) : 0;
  if (number == 0) {
    ++one.dropped;
    has_dropped_ = true;
    return;
  }
  const EventCallback callback = *found;  // which it may replace
  ++one.running;
  {
    const CallbackScope scope(*context_->card);
    callback.function(to_handle<MPI_T_event_instance>(number), handle, required, callback.user_data);
  }
  instances_.erase(number);
  if (--one.running == 0 && one.is_freed) finish(handle, required);
}

void EventHub::begin_call(std::uint16_t function) {
  if (calls_begun++ != 0) return;
  outer_call = function;
  observe::Occurrence what;
  what.kind = OccurrenceKind::kCallBegun;
  what.call = function;
  hear(what);
}

void EventHub::end_call() {
  if (calls_begun == 1) {
    observe::Occurrence what;
    what.kind = OccurrenceKind::kCallEnded;
    what.call = outer_call;
    hear(what);
    if (has_dropped_) tell_dropped();
  }
  --calls_begun;
}

void EventHub::tell_dropped() {
  has_dropped_ = false;
  registrations_.for_each([this](std::uintptr_t value, EventRegistration& one) {
    if (!one.is_freed) tell_dropped(to_handle<Handle>(value), one);
  });
}

void EventHub::tell_dropped(Handle handle, EventRegistration& one) {
  if (one.dropped == 0 || one.on_dropped == nullptr) return;
  const MPI_Count count = std::exchange(one.dropped, 0);
  const EventCallback* const callback = one.callback_for(MPI_T_CB_REQUIRE_NONE);
  ++one.running;
  {
    const CallbackScope scope(*context_->card);
    one.on_dropped(count, handle, kEventSource, MPI_T_CB_REQUIRE_NONE,
                   callback != nullptr ? callback->user_data : nullptr);
  }
  if (--one.running == 0 && one.is_freed) finish(handle, MPI_T_CB_REQUIRE_NONE);
}

void EventHub::finish(Handle handle, MPI_T_cb_safety safety) {
  const EventRegistration freed = *registrations_.find(handle);
  registrations_.erase(handle);
  const CallbackScope scope(*context_->card);
  const EventCallback* const callback = freed.callback_for(safety);
  if (freed.dropped != 0 && freed.on_dropped != nullptr && callback != nullptr)
    freed.on_dropped(freed.dropped, handle, kEventSource, safety, callback->user_data);
  if (freed.on_freed != nullptr) freed.on_freed(handle, safety, freed.freed_user_data);
}

MPI_Count EventHub::communicator_of(std::uint32_t context_id) {
  const auto number_of = [](MPI_Comm handle) { return static_cast<MPI_Count>(value_of(handle)); };
  if (context_id == observe::Occurrence::kNoContext) return number_of(MPI_COMM_NULL);
  const auto is_it = [&](MPI_Comm handle) {
    const CommObject* const object = handle != MPI_COMM_NULL ? context_->comm(handle) : nullptr;
    return object != nullptr && object->comm->context_id() == context_id;
  };
  for (const MPI_Comm known : {recent_comm_, MPI_COMM_WORLD, MPI_COMM_SELF}) {
    if (is_it(known)) return number_of(recent_comm_ = known);
  }
  recent_comm_ = MPI_COMM_NULL;
  context_->comms.for_each([&](std::uintptr_t value, const Ref<CommObject>& object) {
    if (object->comm->context_id() == context_id) recent_comm_ = to_handle<MPI_Comm>(value);
  });
  return number_of(recent_comm_);
}

}  // namespace starling::mpi
