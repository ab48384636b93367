// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Registrations and callbacks of events (MPI-5.0, 15.3.8): which callback runs, what is dropped, what may be freed
// when.
#include <memory>
#include <string>
#include <vector>

#include "mpi/tool/listening.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

void ask_for_call(MPI_T_event_instance /*instance*/, MPI_T_event_registration /*registration*/,
                  MPI_T_cb_safety /*safety*/, void* user_data) {
  int index = -1, count = 0, call = 0;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_get_index("starling_call", MPI_T_PVAR_CLASS_STATE, &index);
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count);
  MPI_T_pvar_read(session, handle, &call);
  MPI_T_pvar_session_free(&session);
  static_cast<std::vector<int>*>(user_data)->push_back(call);
}

MPI_CASE("a callback can ask in which call its process is", 1, 1) {
  const EventTool tool;
  Listening sent("starling_message_sent");
  Listening begun("starling_call_begun", MPI_T_CB_REQUIRE_NONE);
  std::vector<int> calls;
  MPI_T_event_register_callback(sent.registration, kRestricted, MPI_INFO_NULL, &calls, ask_for_call);
  int in = 0, out = 1;
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 7, &in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(calls.size(), std::size_t{1});
  CHECK_EQ(MPI_Count{calls.at(0)}, begun.events.at(0).at(0));
}

MPI_CASE("an instance is valid only while its callback runs", 1, 1) {
  const EventTool tool;
  Listening begun("starling_call_begun", MPI_T_CB_REQUIRE_NONE);
  int rank = -1, source = -1;
  MPI_Comm_rank(world.comm, &rank);
  CHECK_EQ(begun.count(), std::size_t{1});
  MPI_Count value = 0;
  CHECK_EQ(MPI_T_event_read(begun.last, 0, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_copy(begun.last, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_get_timestamp(begun.last, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_get_source(begun.last, &source), MPI_T_ERR_INVALID_HANDLE);
}

MPI_CASE("an event is dropped, and that is told, where no callback is safe enough", 1, 1) {
  const EventTool tool;
  Listening sent("starling_message_sent", MPI_T_CB_REQUIRE_NONE);
  CHECK_EQ(MPI_T_event_set_dropped_handler(sent.registration, Listening::note_drops), MPI_SUCCESS);
  int in = 0, out = 1;
  const auto send_to_oneself = [&] {
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 7, &in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  };
  for (int i = 0; i < 3; ++i) send_to_oneself();
  CHECK_EQ(sent.count(), std::size_t{0});
  CHECK_EQ(sent.dropped, MPI_Count{3});
  CHECK_EQ(sent.start(MPI_T_CB_REQUIRE_THREAD_SAFE), MPI_SUCCESS);
  send_to_oneself();
  CHECK_EQ(sent.count(), std::size_t{1});
  CHECK_EQ(sent.safety_required, kRestricted);
  CHECK_EQ(sent.dropped, MPI_Count{3});
  MPI_T_event_set_dropped_handler(sent.registration, nullptr);
  MPI_T_event_register_callback(sent.registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, nullptr, nullptr);
  send_to_oneself();
  CHECK_EQ(sent.count(), std::size_t{1});
  CHECK_EQ(sent.dropped, MPI_Count{3});
  CHECK_EQ(sent.start(static_cast<MPI_T_cb_safety>(1)), MPI_T_ERR_INVALID);
}

/// Notes the level under which it was registered.
template <int level>
void note_level(MPI_T_event_instance /*instance*/, MPI_T_event_registration /*registration*/,
                MPI_T_cb_safety /*safety*/, void* user_data) {
  *static_cast<int*>(user_data) = level;
}

MPI_CASE("of several callbacks the one with the lowest level that suffices runs", 1, 1) {
  const EventTool tool;
  Listening made("starling_communicator_made");
  int ran = -1;
  MPI_T_event_register_callback(made.registration, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, &ran,
                                note_level<3>);
  MPI_T_event_register_callback(made.registration, kRestricted, MPI_INFO_NULL, &ran, note_level<1>);
  MPI_T_event_register_callback(made.registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &ran, note_level<0>);
  const auto make = [&] {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_free(&comm);
  };
  make();
  CHECK_EQ(ran, 1);
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_T_event_callback_get_info(made.registration, kRestricted, &info), MPI_SUCCESS);
  MPI_Info_free(&info);
  MPI_T_event_register_callback(made.registration, kRestricted, MPI_INFO_NULL, nullptr, nullptr);
  CHECK_EQ(MPI_T_event_callback_get_info(made.registration, kRestricted, &info), MPI_T_ERR_INVALID);
  make();
  CHECK_EQ(ran, 3);
}

void call_mpi(MPI_T_event_instance /*instance*/, MPI_T_event_registration /*registration*/, MPI_T_cb_safety /*safety*/,
              void* user_data) {
  int in = 0, out = 1;
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 7, &in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  *static_cast<int*>(user_data) += in;
}

MPI_CASE("a callback of a call may call MPI, and the events of that are dropped", 1, 1) {
  const EventTool tool;
  Listening ended("starling_call_ended");
  Listening sent("starling_message_sent", kRestricted);
  MPI_T_event_set_dropped_handler(sent.registration, Listening::note_drops);
  int ran = 0, rank = -1;
  MPI_T_event_register_callback(ended.registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &ran, call_mpi);
  MPI_Comm_rank(world.comm, &rank);
  CHECK_EQ(ran, 1);
  CHECK_EQ(sent.count(), std::size_t{0});
  CHECK_EQ(sent.dropped, MPI_Count{1});
}

MPI_CASE("a handle may be freed in its own callback, which is told when that has returned", 1, 1) {
  const EventTool tool;
  Listening begun("starling_call_begun", MPI_T_CB_REQUIRE_NONE);
  begun.frees_itself = true;
  int rank = -1;
  const MPI_T_event_registration freed = begun.registration;
  for (int i = 0; i < 3; ++i) MPI_Comm_rank(world.comm, &rank);
  CHECK_EQ(begun.count(), std::size_t{1});
  CHECK_EQ(begun.frees, 1);
  CHECK_EQ(MPI_T_event_handle_free(freed, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_register_callback(freed, kRestricted, MPI_INFO_NULL, nullptr, Listening::hear),
           MPI_T_ERR_INVALID_HANDLE);
}

/// Something of all that is told, but for deaths and revocations.
void provoke_all(const Context& world) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  int out = 1, in = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, world.rank, 7, &in, 1, MPI_INT, world.rank, 7, comm, MPI_STATUS_IGNORE);
  if (world.rank == 0) sleep_ms(2);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

MPI_CASE("nothing is raised once a handle is freed, and nothing after the last finalize", 2, 4) {
  const char* const names[] = {"starling_call_begun",       "starling_call_ended",       "starling_wait_begun",
                               "starling_wait_ended",       "starling_message_sent",     "starling_message_early",
                               "starling_message_matched",  "starling_collective_begun", "starling_collective_ended",
                               "starling_communicator_made"};
  for (const bool by_finalize : {false, true}) {
    std::vector<std::unique_ptr<Listening>> all;
    std::vector<std::size_t> counts;
    {
      const EventTool tool;
      for (const char* name : names) all.push_back(std::make_unique<Listening>(name, MPI_T_CB_REQUIRE_THREAD_SAFE));
      provoke_all(world);
      for (const auto& one : all) {
        const bool depends = std::string(names[&one - all.data()]).find("wait") != std::string::npos ||
                             std::string(names[&one - all.data()]).find("early") != std::string::npos;
        CHECK(one->count() != 0 || depends);  // not every rank waits
        if (!by_finalize) CHECK_EQ(one->stop(), MPI_SUCCESS);
        CHECK_EQ(one->frees, by_finalize ? 0 : 1);
        counts.push_back(one->count());
      }
      if (!by_finalize) provoke_all(world);
    }
    provoke_all(world);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK_EQ(all[i]->count(), counts[i]);
      all[i]->registration = {};
    }
  }
}

MPI_CASE("calls of other threads are told, each with its end", 1, 2) {
  if (world.thread_level != MPI_THREAD_MULTIPLE) return;
  const EventTool tool;
  constexpr int kThreads = 4, kCalls = 50;
  Listening begun("starling_call_begun", MPI_T_CB_REQUIRE_THREAD_SAFE);
  Listening ended("starling_call_ended", MPI_T_CB_REQUIRE_THREAD_SAFE);
  Listening sent("starling_message_sent", MPI_T_CB_REQUIRE_THREAD_SAFE);
  MPI_T_event_set_dropped_handler(sent.registration, Listening::note_drops);
  world.run_threads(kThreads, [&](int thread) {
    int in = 0;
    for (int i = 0; i < kCalls; ++i)
      MPI_Sendrecv(&i, 1, MPI_INT, 0, thread, &in, 1, MPI_INT, 0, thread, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  });
  CHECK_EQ(begun.count(), std::size_t{kThreads * kCalls});
  CHECK_EQ(ended.count(), std::size_t{kThreads * kCalls});
  CHECK_EQ(sent.count(), std::size_t{kThreads * kCalls});
  CHECK_EQ(begun.wrong + ended.wrong + sent.wrong, 0);
  CHECK_EQ(sent.dropped, MPI_Count{0});
  for (int thread = 0; thread < kThreads; ++thread) CHECK_EQ(sent.count_of(2, thread), kCalls);
}

}  // namespace
}  // namespace starling::tests
