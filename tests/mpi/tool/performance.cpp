// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Performance variables (MPI-5.0, 15.3.7): counters count between start and stop, levels tell what is now.
#include <string>
#include <vector>

#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

using Value = unsigned long long;

/// A session of the tool interface and handles in it, for the time of a scope.
class PerformanceTool {
 public:
  PerformanceTool() {
    int provided = -1;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
  }
  ~PerformanceTool() {
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
  }
  PerformanceTool(const PerformanceTool&) = delete;
  PerformanceTool& operator=(const PerformanceTool&) = delete;

  MPI_T_pvar_handle handle(const char* name, int variable_class) const {
    int index = -1, count = 0;
    MPI_T_pvar_get_index(name, variable_class, &index);
    MPI_T_pvar_handle made = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_handle_alloc(session, index, nullptr, &made, &count);
    return made;
  }
  Value read(MPI_T_pvar_handle handle) const {
    Value value = ~Value{0};
    MPI_T_pvar_read(session, handle, &value);
    return value;
  }

  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
};

int unless(bool good, int refusal) { return good ? 0 : refusal; }

void call_mpi(int times) {
  int rank = -1;
  for (int i = 0; i < times; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

MPI_CASE("every performance variable describes itself and can be read", 1, 2) {
  const PerformanceTool tool;
  int count = 0;
  MPI_T_pvar_get_num(&count);
  CHECK(count >= 8);
  for (int index = 0; index < count; ++index) {
    int name_length = 64, class_of_it = 0, readonly = -1, continuous = -1, atomic = -1, found = -1, elements = 0;
    char name[64] = "";
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    MPI_T_pvar_get_info(index, name, &name_length, nullptr, &class_of_it, &datatype, nullptr, nullptr, nullptr, nullptr,
                        &readonly, &continuous, &atomic);
    CHECK_EQ(MPI_T_pvar_get_index(name, class_of_it, &found), MPI_SUCCESS);
    CHECK_EQ(found, index);
    CHECK_EQ(readonly, continuous);
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    CHECK_EQ(MPI_T_pvar_handle_alloc(tool.session, index, nullptr, &handle, &elements), MPI_SUCCESS);
    CHECK_EQ(elements, 1);
    Value value = 0;
    CHECK_EQ(MPI_T_pvar_read(tool.session, handle, &value), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_start(tool.session, handle), unless(continuous == 0, MPI_T_ERR_PVAR_NO_STARTSTOP));
    CHECK_EQ(MPI_T_pvar_write(tool.session, handle, &value), unless(readonly == 0, MPI_T_ERR_PVAR_NO_WRITE));
    CHECK_EQ(MPI_T_pvar_readreset(tool.session, handle, &value), unless(atomic != 0, MPI_T_ERR_PVAR_NO_ATOMIC));
    CHECK_EQ(MPI_T_pvar_handle_free(tool.session, &handle), MPI_SUCCESS);
    CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
  }
}

MPI_CASE("a counter counts while it is started", 1, 2) {
  const PerformanceTool tool;
  const MPI_T_pvar_handle calls = tool.handle("starling_calls", MPI_T_PVAR_CLASS_COUNTER);
  call_mpi(5);
  CHECK_EQ(tool.read(calls), Value{0});
  MPI_T_pvar_start(tool.session, calls);
  call_mpi(7);
  CHECK_EQ(tool.read(calls), Value{7});
  MPI_T_pvar_stop(tool.session, calls);
  call_mpi(5);
  CHECK_EQ(tool.read(calls), Value{7});
  MPI_T_pvar_start(tool.session, calls);
  call_mpi(2);
  Value value = 0;
  MPI_T_pvar_readreset(tool.session, calls, &value);
  CHECK_EQ(value, Value{9});
  call_mpi(3);
  CHECK_EQ(tool.read(calls), Value{3});
  value = 100;
  MPI_T_pvar_write(tool.session, calls, &value);
  call_mpi(1);
  CHECK_EQ(tool.read(calls), Value{101});
  MPI_T_pvar_reset(tool.session, calls);
  CHECK_EQ(tool.read(calls), Value{0});
}

MPI_CASE("all handles of a session start and stop together", 1, 2) {
  const PerformanceTool tool, other;
  const MPI_T_pvar_handle first = tool.handle("starling_calls", MPI_T_PVAR_CLASS_COUNTER);
  const MPI_T_pvar_handle second = tool.handle("starling_calls", MPI_T_PVAR_CLASS_COUNTER);
  const MPI_T_pvar_handle apart = other.handle("starling_calls", MPI_T_PVAR_CLASS_COUNTER);
  CHECK_EQ(MPI_T_pvar_start(tool.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  call_mpi(4);
  CHECK_EQ(MPI_T_pvar_stop(tool.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  CHECK_EQ(tool.read(first), Value{4});
  CHECK_EQ(tool.read(second), Value{4});
  CHECK_EQ(other.read(apart), Value{0});
  Value value = 0;
  CHECK_EQ(MPI_T_pvar_read(tool.session, apart, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(tool.session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
}

MPI_CASE("counters follow messages, bytes and collectives", 1, 2) {
  const PerformanceTool tool;
  const MPI_T_pvar_handle messages = tool.handle("starling_messages_sent", MPI_T_PVAR_CLASS_COUNTER);
  const MPI_T_pvar_handle bytes = tool.handle("starling_bytes_sent", MPI_T_PVAR_CLASS_COUNTER);
  const MPI_T_pvar_handle collectives = tool.handle("starling_collectives", MPI_T_PVAR_CLASS_COUNTER);
  MPI_T_pvar_start(tool.session, MPI_T_PVAR_ALL_HANDLES);
  std::vector<char> in(3000), out(3000);
  for (const int size : {100, 2900})
    MPI_Sendrecv(out.data(), size, MPI_BYTE, 0, 1, in.data(), size, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(tool.read(messages), Value{2});
  CHECK_EQ(tool.read(bytes), Value{3000});
  CHECK_EQ(tool.read(collectives), Value{0});
  MPI_Barrier(world.comm);
  MPI_Barrier(MPI_COMM_SELF);
  CHECK_EQ(tool.read(collectives), Value{2});
}

MPI_CASE("levels follow messages and objects", 1, 1) {
  const PerformanceTool tool;
  const MPI_T_pvar_handle posted = tool.handle("starling_posted_receives", MPI_T_PVAR_CLASS_LEVEL);
  const MPI_T_pvar_handle early = tool.handle("starling_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
  const MPI_T_pvar_handle comms = tool.handle("starling_communicators", MPI_T_PVAR_CLASS_LEVEL);
  const MPI_T_pvar_handle types = tool.handle("starling_datatypes", MPI_T_PVAR_CLASS_LEVEL);
  const Value posted_before = tool.read(posted), early_before = tool.read(early);
  const Value comms_before = tool.read(comms), types_before = tool.read(types);
  int in = 0;
  const int out = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  CHECK_EQ(tool.read(posted), posted_before + 1);
  MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(tool.read(posted), posted_before);
  MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  int flag = 0;
  while (flag == 0) MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(tool.read(early), early_before + 1);
  MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(tool.read(early), early_before);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Type_contiguous(2, MPI_INT, &type);
  CHECK_EQ(tool.read(comms), comms_before + 1);
  CHECK_EQ(tool.read(types), types_before + 1);
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
  CHECK_EQ(tool.read(comms), comms_before);
}

MPI_CASE("levels follow messages of another rank", 2, 2) {
  constexpr int kAsked = 1, kEarly = 2;
  int word = 0;
  if (world.rank == 1) {  // sends each message when it is told
    for (const int tag : {kEarly, kAsked}) {
      MPI_Recv(&word, 1, MPI_INT, 0, 0, world.comm, MPI_STATUS_IGNORE);
      MPI_Send(&word, 1, MPI_INT, 0, tag, world.comm);
    }
    return;
  }
  const PerformanceTool tool;
  const MPI_T_pvar_handle posted = tool.handle("starling_posted_receives", MPI_T_PVAR_CLASS_LEVEL);
  const MPI_T_pvar_handle early = tool.handle("starling_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
  const Value posted_before = tool.read(posted), early_before = tool.read(early);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&word, 1, MPI_INT, 1, kAsked, world.comm, &request);
  CHECK_EQ(tool.read(posted), posted_before + 1);
  const int go = 1;
  MPI_Send(&go, 1, MPI_INT, 1, 0, world.comm);
  int flag = 0;
  while (flag == 0) MPI_Iprobe(1, kEarly, world.comm, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(tool.read(early), early_before + 1);
  MPI_Recv(&word, 1, MPI_INT, 1, kEarly, world.comm, MPI_STATUS_IGNORE);
  CHECK_EQ(tool.read(early), early_before);
  MPI_Send(&go, 1, MPI_INT, 1, 0, world.comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(tool.read(posted), posted_before);
}

MPI_CASE("the state of waiting is one of its enumeration", 1, 1) {
  const PerformanceTool tool;
  int index = -1;
  MPI_T_pvar_get_index("starling_wait_mode", MPI_T_PVAR_CLASS_STATE, &index);
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  MPI_T_pvar_get_info(index, nullptr, nullptr, nullptr, nullptr, &datatype, &values, nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr);
  CHECK(datatype == MPI_INT);
  int state = -1;
  MPI_T_pvar_read(tool.session, tool.handle("starling_wait_mode", MPI_T_PVAR_CLASS_STATE), &state);
  int count = 0, known = 0, value = -1;
  MPI_T_enum_get_info(values, &count, nullptr, nullptr);
  for (int item = 0; item < count; ++item) {
    MPI_T_enum_get_item(values, item, &value, nullptr, nullptr);
    known += value == state ? 1 : 0;
  }
  CHECK_EQ(known, 1);
}

/// The name of what the state variable says now.
std::string wait_mode(const PerformanceTool& tool) {
  int index = -1, state = -1, count = 0, value = -1;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  MPI_T_pvar_get_index("starling_wait_mode", MPI_T_PVAR_CLASS_STATE, &index);
  MPI_T_pvar_get_info(index, nullptr, nullptr, nullptr, nullptr, &datatype, &values, nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr);
  MPI_T_pvar_read(tool.session, tool.handle("starling_wait_mode", MPI_T_PVAR_CLASS_STATE), &state);
  MPI_T_enum_get_info(values, &count, nullptr, nullptr);
  for (int item = 0; item < count; ++item) {
    char name[64] = "";
    int length = sizeof name;
    MPI_T_enum_get_item(values, item, &value, name, &length);
    if (value == state) return name;
  }
  return "none of the enumeration";
}

MPI_CASE("the info key for the way to wait changes how a rank waits", 1, 2) {
  const PerformanceTool tool;
  const std::string before = wait_mode(tool);
  for (const char* way : {"sleep", "yield", "spin", before.c_str()}) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "starling_wait", way);
    MPI_Comm_set_info(world.comm, info);
    MPI_Info_free(&info);
    CHECK_EQ(wait_mode(tool), std::string(way));
  }
}

}  // namespace
}  // namespace starling::tests
