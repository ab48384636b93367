// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sessions beside the world model (MPI-5.0, 11.3): process sets, groups and communicators from them, error handlers,
// buffers. What sessions do without MPI_Init stands in tests/mpi/session_alone.
#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// A session for the time of a scope.
class OpenSession {
 public:
  explicit OpenSession(MPI_Info info = MPI_INFO_NULL) { MPI_Session_init(info, MPI_ERRORS_RETURN, &session_); }
  ~OpenSession() { MPI_Session_finalize(&session_); }
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;
  operator MPI_Session() const { return session_; }  // NOLINT(google-explicit-constructor): it stands for the handle

 private:
  MPI_Session session_ = MPI_SESSION_NULL;
};

std::vector<std::string> set_names(MPI_Session session) {
  int count = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
  std::vector<std::string> names;
  for (int n = 0; n < count; ++n) {
    int length = 0;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, nullptr);
    std::string name(static_cast<std::size_t>(length), '?');
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name.data());
    name.pop_back();  // the zero
    names.push_back(name);
  }
  return names;
}

MPI_Group group_of(MPI_Session session, const char* name) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(session, name, &group);
  return group;
}

MPI_Comm comm_from(MPI_Group group, const char* tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  return comm;
}

MPI_CASE("the standard's process sets and Starling's own are listed", 1, 8) {
  const OpenSession session;
  const std::vector<std::string> names = set_names(session);
  const std::set<std::string> known(names.begin(), names.end());
  for (const char* name : {"mpi://WORLD", "mpi://SELF"}) CHECK(known.count(name) == 1);
#ifdef MPI_ABI_VERSION
  for (const char* name : {"starling://node", "starling://node/0", "starling://app/0"}) CHECK(known.count(name) == 1);
#endif
  CHECK_EQ(known.size(), names.size());
}

MPI_CASE("every process set has a group of the size that its info tells", 1, 8) {
  const OpenSession session;
  for (const std::string& name : set_names(session)) {
    MPI_Group group = group_of(session, name.c_str());
    int size = -1, flag = 0, length = 16;
    char value[16] = "";
    MPI_Group_size(group, &size);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Session_get_pset_info(session, name.c_str(), &info);
    MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
    CHECK_EQ(flag, 1);
    CHECK_EQ(std::string(value), std::to_string(size));
    if (name == "mpi://WORLD") CHECK_EQ(size, world.size);
    if (name == "mpi://SELF") CHECK_EQ(size, 1);
    MPI_Info_free(&info);
    MPI_Group_free(&group);
  }
}

#ifdef MPI_ABI_VERSION
/// Ranks of the world, in the order of a group that the session knows by name.
std::vector<int> ranks_of(MPI_Session session, const char* name, MPI_Comm comm) {
  MPI_Group group = group_of(session, name), all = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &all);
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> places(static_cast<std::size_t>(size)), ranks(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), 0);
  MPI_Group_translate_ranks(group, size, places.data(), all, ranks.data());
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  return ranks;
}

MPI_CASE("each node has a process set, and a rank finds that of its own", 1, 8) {
  const OpenSession session;
  std::vector<int> here;
  for (int rank = 0; rank < world.size; ++rank) {
    if (world.on_one_node(rank, world.rank)) here.push_back(rank);
  }
  CHECK(ranks_of(session, "starling://node", world.comm) == here);
  std::vector<int> all;
  int with_me = 0;
  for (const std::string& name : set_names(session)) {
    if (name.rfind("starling://node/", 0) != 0) continue;
    const std::vector<int> there = ranks_of(session, name.c_str(), world.comm);
    CHECK(!there.empty());
    for (const int rank : there) CHECK(world.on_one_node(rank, there.front()));
    if (there == here) ++with_me;
    all.insert(all.end(), there.begin(), there.end());
  }
  CHECK_EQ(with_me, 1);
  std::sort(all.begin(), all.end());
  CHECK_EQ(static_cast<int>(all.size()), world.size);
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}
#endif

MPI_CASE("names of process sets may be written in lower case", 1, 2) {
  const OpenSession session;
  MPI_Group group = group_of(session, "mpi://world");
  int size = -1;
  MPI_Group_size(group, &size);
  CHECK_EQ(size, world.size);
  MPI_Group_free(&group);
}

MPI_CASE("a process set's name is cut to the caller's room", 1, 1) {
  const OpenSession session;
  char name[8] = "";
  int length = 5;
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
  CHECK_EQ(std::string(name), std::string("mpi:"));
  CHECK_EQ(length, 12);  // what the whole of mpi://WORLD needs
}

MPI_CASE("a communicator from a group needs no other communicator", 1, 8) {
  const OpenSession session;
  MPI_Group everyone = group_of(session, "mpi://WORLD");
  MPI_Comm comm = comm_from(everyone, "tests");
  int rank = -1, sum = 0;
  MPI_Comm_rank(comm, &rank);
  CHECK_EQ(rank, world.rank);
  const int mine = world.rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQ(sum, world.size * (world.size + 1) / 2);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  MPI_Comm_free(&comm);
  MPI_Group_free(&everyone);
}

MPI_CASE("disjoint groups make their communicators at once, and under several tags", 2, 8) {
  const OpenSession session;
  MPI_Group everyone = group_of(session, "mpi://WORLD"), half = MPI_GROUP_NULL;
  std::vector<int> ranks;
  for (int rank = world.rank % 2; rank < world.size; rank += 2) ranks.push_back(rank);
  MPI_Group_incl(everyone, static_cast<int>(ranks.size()), ranks.data(), &half);
  MPI_Comm comms[2] = {comm_from(half, "first"), comm_from(half, "second")};
  for (int i = 0; i < 2; ++i) {
    int size = -1, sum = -1;
    MPI_Comm_size(comms[i], &size);
    CHECK_EQ(size, static_cast<int>(ranks.size()));
    const int parity = world.rank % 2;
    MPI_Allreduce(&parity, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
    CHECK_EQ(sum, parity * size);
  }
  int result = -1;
  MPI_Comm_compare(comms[0], comms[1], &result);
  CHECK_EQ(result, MPI_CONGRUENT);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Group_free(&half);
  MPI_Group_free(&everyone);
}

MPI_CASE("the communicator of nobody is null", 1, 2) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "tests", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  CHECK(comm == MPI_COMM_NULL);
}

thread_local int heard = 0;
thread_local MPI_Session heard_of = MPI_SESSION_NULL;

void hear(MPI_Session* about, int* code, ...) {  // NOLINT(cert-dcl50-cpp): the signature is the standard's
  heard = *code;
  heard_of = *about;
}

MPI_CASE("what is wrong with a session's call comes through the session's error handler", 1, 1) {
  heard = MPI_SUCCESS;
  OpenSession session;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL, back = MPI_ERRHANDLER_NULL;
  MPI_Session_create_errhandler(hear, &handler);
  MPI_Session_set_errhandler(session, handler);
  MPI_Group group = MPI_GROUP_EMPTY;
  CHECK_EQ(class_of(MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group)), MPI_ERR_ARG);
  CHECK_EQ(class_of(heard), MPI_ERR_ARG);
  CHECK(heard_of == session);
  CHECK(group == MPI_GROUP_NULL);
  int length = 0;
  CHECK_EQ(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1000, &length, nullptr)), MPI_ERR_ARG);
  length = 10;
  CHECK_EQ(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, nullptr)), MPI_ERR_ARG);
  heard = MPI_SUCCESS;
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  CHECK_EQ(heard, MPI_ERR_OTHER);
  MPI_Session_get_errhandler(session, &back);
  CHECK(back == handler);
  MPI_Errhandler_free(&back);
  MPI_Errhandler_free(&handler);
}

MPI_CASE("a session that is finalized is no session any more", 1, 1) {
  const ReturnErrors errors;
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  const MPI_Session kept = session;
  MPI_Session_finalize(&session);
  CHECK(session == MPI_SESSION_NULL);
  int count = 0;
  CHECK_EQ(class_of(MPI_Session_get_num_psets(kept, MPI_INFO_NULL, &count)), MPI_ERR_SESSION);
  CHECK_EQ(class_of(MPI_Session_get_num_psets(MPI_SESSION_NULL, MPI_INFO_NULL, &count)), MPI_ERR_SESSION);
}

MPI_CASE("a session tells the thread level that it provides", 1, 1) {
  MPI_Info wanted = MPI_INFO_NULL, used = MPI_INFO_NULL;
  MPI_Info_create(&wanted);
  MPI_Info_set(wanted, "thread_level", "MPI_THREAD_FUNNELED");
  {
    const OpenSession session(wanted);
    MPI_Session_get_info(session, &used);
  }
  char value[32] = "";
  int length = 32, flag = 0;
  MPI_Info_get_string(used, "thread_level", &length, value, &flag);
  CHECK_EQ(flag, 1);
  // Where the process has threads already, every session provides for them.
  const bool more = world.thread_level == MPI_THREAD_MULTIPLE;
  CHECK_EQ(std::string(value), std::string(more ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_FUNNELED"));
  MPI_Info_free(&used);
  MPI_Info_free(&wanted);
}

MPI_CASE("a session is not begun with a thread level that there is not", 1, 1) {
  MPI_Info wanted = MPI_INFO_NULL;
  MPI_Info_create(&wanted);
  MPI_Info_set(wanted, "thread_level", "MPI_THREAD_HUNDREDFOLD");
  MPI_Session session = MPI_SESSION_NULL;
  CHECK_EQ(class_of(MPI_Session_init(wanted, MPI_ERRORS_RETURN, &session)), MPI_ERR_INFO_VALUE);
  CHECK(session == MPI_SESSION_NULL);
  MPI_Info_free(&wanted);
}

MPI_CASE("a communicator that cannot be made from a group is reported to the handler given for it", 1, 1) {
  const OpenSession session;
  MPI_Group group = group_of(session, "mpi://SELF");
  CHECK_EQ(class_of(MPI_Comm_create_from_group(group, "nowhere", MPI_INFO_NULL, MPI_ERRORS_RETURN, nullptr)),
           MPI_ERR_ARG);
  MPI_Group_free(&group);
}

#if MPI_VERSION >= 5
MPI_CASE("a session's buffer serves the buffered sends of its communicators", 2, 8) {
  const OpenSession session;
  MPI_Group everyone = group_of(session, "mpi://WORLD");
  MPI_Comm comm = comm_from(everyone, "buffer"), half = MPI_COMM_NULL;
  MPI_Comm_split(comm, 0, world.rank, &half);  // what is made from it is of the session too
  std::vector<char> memory(1000 + MPI_BSEND_OVERHEAD);
  MPI_Session_attach_buffer(session, memory.data(), static_cast<int>(memory.size()));
  const int right = (world.rank + 1) % world.size;
  const int left = (world.rank + world.size - 1) % world.size;
  for (MPI_Comm over : {comm, half}) {
    const int sent = world.rank;
    int received = -1;
    MPI_Bsend(&sent, 1, MPI_INT, right, 0, over);
    MPI_Recv(&received, 1, MPI_INT, left, 0, over, MPI_STATUS_IGNORE);
    CHECK_EQ(received, left);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Session_flush_buffer(session);
  MPI_Session_iflush_buffer(session, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  void* address = nullptr;
  int size = 0;
  MPI_Session_detach_buffer(session, &address, &size);
  CHECK(address == memory.data());
  CHECK_EQ(size, static_cast<int>(memory.size()));
  const int nothing = 0;
  CHECK_EQ(class_of(MPI_Bsend(&nothing, 1, MPI_INT, right, 0, comm)), MPI_ERR_BUFFER);
  MPI_Comm_free(&half);
  MPI_Comm_free(&comm);
  MPI_Group_free(&everyone);
}
#endif

MPI_CASE("two groups make an intercommunicator without any communicator", 2, 8) {
  const OpenSession session;
  MPI_Group everyone = group_of(session, "mpi://WORLD");
  const int parity = world.rank % 2;
  int ranges[2][3] = {{0, (world.size - 1) / 2 * 2, 2}, {1, (world.size - 2) / 2 * 2 + 1, 2}};
  MPI_Group groups[2] = {MPI_GROUP_NULL, MPI_GROUP_NULL};
  for (int i = 0; i < 2; ++i) MPI_Group_range_incl(everyone, 1, &ranges[i], &groups[i]);
  int sizes[2] = {0, 0};
  for (int i = 0; i < 2; ++i) MPI_Group_size(groups[i], &sizes[i]);
  MPI_Comm inter = MPI_COMM_NULL;
  // The last of each group leads.
  MPI_Intercomm_create_from_groups(groups[parity], sizes[parity] - 1, groups[1 - parity], sizes[1 - parity] - 1, "both",
                                   MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
  int flag = 0, size = -1, remote = -1, rank = -1;
  MPI_Comm_test_inter(inter, &flag);
  MPI_Comm_size(inter, &size);
  MPI_Comm_remote_size(inter, &remote);
  MPI_Comm_rank(inter, &rank);
  CHECK_EQ(flag, 1);
  CHECK_EQ(size, sizes[parity]);
  CHECK_EQ(remote, sizes[1 - parity]);
  if (rank < remote) {
    int received = -1;
    MPI_Sendrecv(&world.rank, 1, MPI_INT, rank, 0, &received, 1, MPI_INT, rank, 0, inter, MPI_STATUS_IGNORE);
    CHECK_EQ(received, 2 * rank + 1 - parity);
  }
  MPI_Comm_free(&inter);
  CHECK_EQ(class_of(MPI_Intercomm_create_from_groups(groups[parity], sizes[parity], groups[1 - parity], 0, "wrong",
                                                     MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter)),
           MPI_ERR_RANK);
  for (MPI_Group& group : groups) MPI_Group_free(&group);
  MPI_Group_free(&everyone);
}

}  // namespace
}  // namespace starling::tests
