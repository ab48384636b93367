// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The types of events of the tool interface (MPI-5.0, 15.3.8): each has a program that provokes it. Deaths and
// revocations are in tests/resilience/events.cpp, what a tool does with callbacks in event_callbacks.cpp.
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "mpi/tool/listening.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

int count_types() {
  int count = 0;
  MPI_T_event_get_num(&count);
  return count;
}

MPI_Count number_of(MPI_Comm comm) { return MPI_Comm_toint(comm); }

/// What the enumeration of starling_call says of a number.
std::string function_name(MPI_Count number) {
  int index = -1, count = 0;
  MPI_T_pvar_get_index("starling_call", MPI_T_PVAR_CLASS_STATE, &index);
  MPI_T_enum functions = MPI_T_ENUM_NULL;
  MPI_T_pvar_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, &functions, nullptr, nullptr, nullptr,
                      nullptr, nullptr, nullptr);
  MPI_T_enum_get_info(functions, &count, nullptr, nullptr);
  char name[64] = "";
  int length = sizeof name, value = -1;
  if (number < 0 || number >= count) return "";
  MPI_T_enum_get_item(functions, static_cast<int>(number), &value, name, &length);
  return value == number ? name : "";
}

/// Both ranks of a pair exchange a word, so that what was sent before has come.
void meet(const Context& world) {
  int out = 1, in = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, 1 - world.rank, 99, &in, 1, MPI_INT, 1 - world.rank, 99, world.comm,
               MPI_STATUS_IGNORE);
}

MPI_CASE("every type of event describes itself and its elements", 1, 1) {
  const EventTool tool;
  std::set<std::string> names;
  std::set<int> in_categories;
  for (int index = 0; index < count_types(); ++index) {
    char name[64] = "", sentence[512] = "";
    int name_length = sizeof name, sentence_length = sizeof sentence, found = -1, bind = 0, items = 0, elements = 16;
    MPI_Datatype types[16];
    MPI_Aint places[16];
    MPI_T_enum element_names = MPI_T_ENUM_NULL;
    MPI_Info info = MPI_INFO_NULL;
    CHECK_EQ(MPI_T_event_get_info(index, name, &name_length, nullptr, types, places, &elements, &element_names, &info,
                                  sentence, &sentence_length, &bind),
             MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK(names.insert(name).second);
    CHECK(std::strlen(sentence) > 20);
    CHECK(bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM);
    CHECK_EQ(MPI_T_event_get_index(name, &found), MPI_SUCCESS);
    CHECK_EQ(found, index);
    CHECK_EQ(MPI_T_enum_get_info(element_names, &items, nullptr, nullptr), MPI_SUCCESS);
    CHECK_EQ(items, elements);
    for (int i = 0; i < elements; ++i) {
      CHECK(types[i] == MPI_COUNT);
      CHECK_EQ(places[i], static_cast<MPI_Aint>(sizeof(MPI_Count)) * i);
    }
    int only_one = 1;
    MPI_T_event_get_info(index, nullptr, nullptr, nullptr, types, places, &only_one, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
    CHECK_EQ(only_one, elements);
  }
  int categories = 0, none = -1, index = -1;
  MPI_T_category_get_num(&categories);
  for (int category = 0; category < categories; ++category) {
    int count = 0, indices[64];
    MPI_T_category_get_num_events(category, &count);
    MPI_T_category_get_events(category, 64, indices);
    for (int i = 0; i < count; ++i) CHECK(in_categories.insert(indices[i]).second);
  }
  CHECK_EQ(static_cast<int>(in_categories.size()), count_types());
  CHECK_EQ(MPI_T_event_get_index("no such event", &none), MPI_T_ERR_INVALID_NAME);
  MPI_T_event_registration registration{};
  CHECK_EQ(MPI_T_event_handle_alloc(count_types(), nullptr, MPI_INFO_NULL, &registration), MPI_T_ERR_INVALID_INDEX);
  MPI_T_event_get_index("starling_communicator_freed", &index);
  CHECK_EQ(MPI_T_event_handle_alloc(index, nullptr, MPI_INFO_NULL, &registration), MPI_T_ERR_INVALID);
}

MPI_CASE("the beginning and the end of each call are told, with its function and in order", 1, 2) {
  const EventTool tool;
  Listening begun("starling_call_begun", MPI_T_CB_REQUIRE_NONE), ended("starling_call_ended", MPI_T_CB_REQUIRE_NONE);
  MPI_Count before = 0, after = 0;
  MPI_T_source_get_timestamp(0, &before);
  int rank = -1;
  for (int i = 0; i < 5; ++i) MPI_Comm_rank(world.comm, &rank);
  MPI_T_source_get_timestamp(0, &after);
  CHECK_EQ(begun.count(), std::size_t{5});
  CHECK_EQ(ended.count(), std::size_t{5});
  CHECK_EQ(begun.wrong + ended.wrong, 0);
  for (std::size_t i = 0; i < begun.count(); ++i) {
    CHECK_EQ(function_name(begun.events[i][0]), std::string("MPI_Comm_rank"));
    CHECK_EQ(ended.events[i][0], begun.events[i][0]);
    CHECK(before <= begun.times[i] && begun.times[i] <= ended.times[i] && ended.times[i] <= after);
    if (i != 0) CHECK(ended.times[i - 1] <= begun.times[i]);
  }
  CHECK_EQ(begun.safety_required, MPI_T_CB_REQUIRE_NONE);
}

MPI_CASE("a wait that lasts is told when it begins and when it ends", 2, 2) {
  const EventTool tool;
  int word = 0;
  meet(world);
  if (world.rank == 1) {
    sleep_ms(20);
    MPI_Send(&word, 1, MPI_INT, 0, 5, world.comm);
    return;
  }
  Listening begun("starling_wait_begun", kRestricted), ended("starling_wait_ended", kRestricted);
  MPI_Recv(&word, 1, MPI_INT, 1, 5, world.comm, MPI_STATUS_IGNORE);
  CHECK_EQ(begun.count(), std::size_t{1});
  CHECK_EQ(ended.count(), std::size_t{1});
  CHECK_EQ(begun.wrong + ended.wrong, 0);
  constexpr MPI_Count kOne = 1;
  CHECK(begun.events[0] == std::vector<MPI_Count>({kOne, number_of(world.comm), 1, 5}));
  CHECK(ended.events[0][0] > 1'000'000);
}

MPI_CASE("a message is told when it is sent, and when it meets its receive", 2, 2) {
  const EventTool tool;
  constexpr int kSizes[] = {8, 5000, 1'000'000};
  std::vector<char> data(1'000'000);
  Listening sent("starling_message_sent", kRestricted), early("starling_message_early", kRestricted);
  Listening matched("starling_message_matched", kRestricted);
  for (const int bytes : kSizes) {  // the receive is there before the message
    MPI_Request request = MPI_REQUEST_NULL;
    if (world.rank == 1) MPI_Irecv(data.data(), bytes, MPI_BYTE, 0, bytes, world.comm, &request);
    meet(world);
    if (world.rank == 0) MPI_Send(data.data(), bytes, MPI_BYTE, 1, bytes, world.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const MPI_Count comm = number_of(world.comm);
  for (const MPI_Count bytes : kSizes) {
    CHECK_EQ(sent.count_of(2, bytes), world.rank == 0 ? 1 : 0);
    CHECK_EQ(matched.count_of(2, bytes), world.rank == 1 ? 1 : 0);
    CHECK_EQ(early.count_of(2, bytes), 0);
    for (const auto& event : sent.events)
      if (event[2] == bytes) CHECK(event == std::vector<MPI_Count>({comm, 1, bytes, bytes}));
    for (const auto& event : matched.events)
      if (event[2] == bytes) CHECK(event == std::vector<MPI_Count>({comm, 0, bytes, bytes, 0}));
  }
  CHECK_EQ(sent.wrong + early.wrong + matched.wrong, 0);
  CHECK_EQ(sent.dropped + early.dropped + matched.dropped, MPI_Count{0});
}

MPI_CASE("a message that comes before its receive is told twice", 2, 2) {
  const EventTool tool;
  constexpr int kSizes[] = {8, 5000, 1'000'000};
  std::vector<char> data(1'000'000);
  Listening early("starling_message_early", kRestricted), matched("starling_message_matched", kRestricted);
  for (const int bytes : kSizes) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (world.rank == 0) MPI_Isend(data.data(), bytes, MPI_BYTE, 1, bytes, world.comm, &request);
    meet(world);
    if (world.rank == 1) {
      CHECK_EQ(early.count_of(2, bytes), 1);
      CHECK_EQ(matched.count_of(2, bytes), 0);
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(0, bytes, world.comm, &message, MPI_STATUS_IGNORE);
      CHECK_EQ(matched.count_of(2, bytes), 0);
      MPI_Mrecv(data.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      CHECK(matched.events.back() ==
            std::vector<MPI_Count>({number_of(world.comm), 0, MPI_Count{bytes}, MPI_Count{bytes}, 1}));
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(world.comm);
}

MPI_CASE("messages to oneself are told like others, and those within collectives are not", 1, 3) {
  const EventTool tool;
  Listening sent("starling_message_sent", kRestricted), early("starling_message_early", kRestricted);
  Listening matched("starling_message_matched", kRestricted);
  int in = 0, out = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&out, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
  int flag = 0;
  while (flag == 0) MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const MPI_Count comm = number_of(MPI_COMM_SELF), bytes = sizeof(int);
  CHECK_EQ(sent.count(), std::size_t{1});
  CHECK(sent.events.at(0) == std::vector<MPI_Count>({comm, 0, 7, bytes}));
  CHECK(early.events.at(0) == std::vector<MPI_Count>({comm, 0, 7, bytes}));
  CHECK(matched.events.at(0) == std::vector<MPI_Count>({comm, 0, 7, bytes, 1}));
  MPI_Alltoall(&out, 0, MPI_INT, &in, 0, MPI_INT, MPI_COMM_SELF);
  MPI_Bcast(&out, 1, MPI_INT, 0, world.comm);
  CHECK_EQ(sent.count() + early.count() + matched.count(), std::size_t{3});
}

MPI_CASE("a collective is told when it begins and when it is complete", 1, 4) {
  const EventTool tool;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  Listening begun("starling_collective_begun", kRestricted), ended("starling_collective_ended", kRestricted);
  double data[4] = {1, 2, 3, 4}, sums[4];
  MPI_Bcast(data, 4, MPI_DOUBLE, world.size - 1, comm);
  MPI_Request requests[2];
  MPI_Iallreduce(data, sums, 4, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[1]);
  CHECK_EQ(begun.count(), std::size_t{2});
  MPI_Start(&requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[1]);
  const char* const names[] = {"MPI_Bcast", "MPI_Iallreduce", "MPI_Barrier_init"};
  const MPI_Count roots[] = {world.size - 1, -1, -1}, bytes[] = {32, 32, 0};
  CHECK_EQ(begun.count(), std::size_t{3});
  CHECK_EQ(ended.count(), std::size_t{3});
  const MPI_Count first = begun.events.at(0)[2];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& event = begun.events.at(i);
    CHECK_EQ(function_name(event[0]), std::string(names[i]));
    CHECK(event ==
          std::vector<MPI_Count>({event[0], number_of(comm), first + static_cast<MPI_Count>(i), roots[i], bytes[i]}));
    CHECK(ended.events.at(i) == std::vector<MPI_Count>(event.begin(), event.begin() + 3));
    CHECK(begun.times[i] <= ended.times[i]);
  }
  CHECK_EQ(begun.wrong + ended.wrong, 0);
  MPI_Comm_free(&comm);
}

MPI_CASE("communicators are told when they are made, and when the one of the handle is freed", 1, 4) {
  const EventTool tool;
  Listening made("starling_communicator_made", kRestricted);
  MPI_Comm comms[2];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(world.comm, &comm);
  CHECK_EQ(made.count(), std::size_t{2});
  Listening freed("starling_communicator_freed", comms[1]);
  CHECK_EQ(freed.code, MPI_SUCCESS);
  CHECK_EQ(freed.start(), MPI_SUCCESS);
  const MPI_Count numbers[] = {number_of(comms[0]), number_of(comms[1])};
  for (std::size_t i = 0; i < 2; ++i) CHECK(made.events.at(i) == std::vector<MPI_Count>({numbers[i], world.size}));
  MPI_Comm_free(&comms[0]);
  CHECK_EQ(freed.count(), std::size_t{0});
  MPI_Comm_free(&comms[1]);
  CHECK_EQ(freed.count(), std::size_t{1});
  CHECK_EQ(freed.events.at(0)[0], numbers[1]);
}

}  // namespace
}  // namespace starling::tests
