// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Starting processes (MPI-5.0, 11.8). The children run tests/mpi/spawn_child/child.cpp.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "mpi/spawn/children.hpp"
#include "mpi/spawn/shared_work.hpp"
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("spawned processes have a world of their own and know their parents", 1, 8) {
  std::vector<int> codes(3, -1);
  Children children(world.comm, 0, 3, {"report"}, codes.data());
  CHECK(codes == std::vector<int>(3, MPI_SUCCESS));
  CHECK_EQ(remote_size_of(children.comm), 3);
  int size = -1;
  MPI_Comm_size(children.comm, &size);
  CHECK_EQ(size, world.size);
  for (int child = 0; world.rank == 0 && child < 3; ++child) {
    int facts[3] = {-1, -1, -1};
    MPI_Recv(facts, 3, MPI_INT, child, 2, children.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(facts[0], child);
    CHECK_EQ(facts[1], 3);
    CHECK_EQ(facts[2], 0);
  }
  MPI_Comm none = MPI_COMM_WORLD;
  MPI_Comm_get_parent(&none);
  CHECK(none == MPI_COMM_NULL);
}

MPI_CASE("parents and children merge into one communicator", 1, 8) {
  for (int root : {0, world.size - 1}) {
    Children children(world.comm, root, 2, {"count"});
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Intercomm_merge(children.comm, 0, &all);
    int rank = -1;
    MPI_Comm_rank(all, &rank);
    CHECK_EQ(rank, world.rank);
    const int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK_EQ(sum, world.size + 2);
    if (world.rank == 0) {
      int told = 0;
      MPI_Recv(&told, 1, MPI_INT, 0, 3, children.comm, MPI_STATUS_IGNORE);
      CHECK_EQ(told, world.size + 2);
    }
    MPI_Comm_disconnect(&all);
  }
}

MPI_CASE("parents and children share windows", 1, 8) {
  Children children(world.comm, 0, 2, {"windows"});
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(children.comm, 0, &all);
  CHECK_EQ(use_windows(all), 0);
  MPI_Comm_disconnect(&all);
}

MPI_CASE("parents and children share a file", 1, 4) {
  const std::string path = "/tmp/starling-spawn-file-" + own_name(world.comm);
  Children children(world.comm, 0, 2, {"file", path});
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(children.comm, 0, &all);
  CHECK_EQ(use_file(all, path), 0);
  MPI_Comm_disconnect(&all);
}

MPI_CASE("messages of every size travel between the jobs", 1, 8) {
  Children children(world.comm, 0, 2, {"echo"});
  for (const int bytes : {1, 8, 160, 4000, 5000, 100'000, 3'000'000}) {
    std::vector<char> data(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<char>(i * 7 + static_cast<std::size_t>(world.rank));
    for (int child = 0; child < 2; ++child) {
      std::vector<char> back(data.size());
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(back.data(), bytes, MPI_CHAR, child, 5, children.comm, &request);
      MPI_Send(data.data(), bytes, MPI_CHAR, child, 4, children.comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(back == data);
    }
  }
  for (int child = 0; child < 2; ++child) MPI_Send(nullptr, 0, MPI_CHAR, child, 4, children.comm);
}

MPI_CASE("arguments arrive as they were given", 1, 3) {
  const std::vector<std::string> given{"arguments", "one", "two words", ":", "-n", "", "--", "*"};
  Children children(world.comm, 0, 1, given);
  std::vector<std::string> expected(given.begin() + 1, given.end());
  expected.emplace_back();
  for (std::size_t i = 0; world.rank == 0 && i < expected.size(); ++i) {
    CHECK_EQ(receive_text(children.comm), expected[i]);
  }
}

MPI_CASE("info says where a program is and where it runs", 1, 3) {
  const std::string program = child_program();
  const std::size_t slash = program.rfind('/');
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "wd", "/usr");
  MPI_Info_set(info, "path", program.substr(0, slash).c_str());
  MPI_Info_set(info, "host", "localhost");
  char mode[] = "folder";
  char* arguments[] = {mode, nullptr};
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm_spawn(program.substr(slash + 1).c_str(), arguments, 1, info, 0, world.comm, &child, MPI_ERRCODES_IGNORE);
  if (world.rank == 0) CHECK_EQ(receive_text(child), std::filesystem::canonical("/usr").string());
  MPI_Comm_disconnect(&child);
  MPI_Info_free(&info);
}

MPI_CASE("soft takes the largest number that it allows", 1, 3) {
  struct Wanted {
    const char* soft;
    int most;
    int come;
  };
  for (const Wanted& wanted : {Wanted{"1,3", 4, 3}, {"0:8:2", 3, 2}, {"5:1:-3,9", 4, 2}}) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "soft", wanted.soft);
    MPI_Comm child = MPI_COMM_NULL;
    std::vector<int> codes(static_cast<std::size_t>(wanted.most), -1);
    char mode[] = "quiet";
    char* arguments[] = {mode, nullptr};
    MPI_Comm_spawn(child_program().c_str(), arguments, wanted.most, info, 0, world.comm, &child, codes.data());
    CHECK_EQ(remote_size_of(child), wanted.come);
    CHECK_EQ(std::count(codes.begin(), codes.end(), MPI_SUCCESS), wanted.come);
    MPI_Comm_disconnect(&child);
    MPI_Info_free(&info);
  }
}

MPI_CASE("MPI_Comm_spawn_multiple numbers its programs", 1, 4) {
  std::string program = child_program();
  char report[] = "report";
  char* with_mode[] = {report, nullptr};
  char* commands[] = {program.data(), program.data()};
  char** arguments[] = {with_mode, with_mode};
  const int most[] = {2, 1};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  int codes[3] = {-1, -1, -1};
  MPI_Comm children = MPI_COMM_NULL;
  MPI_Comm_spawn_multiple(2, commands, arguments, most, infos, 0, world.comm, &children, codes);
  CHECK(std::all_of(codes, codes + 3, [](int code) { return code == MPI_SUCCESS; }));
  for (int child = 0; world.rank == 0 && child < 3; ++child) {
    int facts[3] = {-1, -1, -1};
    MPI_Recv(facts, 3, MPI_INT, child, 2, children, MPI_STATUS_IGNORE);
    CHECK_EQ(facts[1], 3);
    CHECK_EQ(facts[2], child < 2 ? 0 : 1);
  }
  MPI_Comm_disconnect(&children);
}

MPI_CASE("a program that cannot be started is an error on every rank", 1, 4) {
  const ReturnErrors quiet(world.comm);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  char early[] = "early";
  char* arguments[] = {early, nullptr};
  for (const std::string& program :
       {std::string("no-such-program"), std::string("/usr"), std::string("/bin/true"), child_program()}) {
    MPI_Comm children = MPI_COMM_WORLD;
    int codes[2] = {-1, -1};
    const int code = MPI_Comm_spawn(program.c_str(), arguments, 2, MPI_INFO_NULL, 0, comm, &children, codes);
    CHECK_EQ(class_of(code), MPI_ERR_SPAWN);
    CHECK(children == MPI_COMM_NULL);
    CHECK_EQ(codes[0], MPI_ERR_SPAWN);
    CHECK_EQ(codes[1], MPI_ERR_SPAWN);
  }
  MPI_Comm children = MPI_COMM_WORLD;
  CHECK_EQ(class_of(MPI_Comm_spawn("x", arguments, -1, MPI_INFO_NULL, 0, comm, &children, MPI_ERRCODES_IGNORE)),
           world.rank == 0 ? MPI_ERR_ARG : MPI_ERR_SPAWN);
  MPI_Comm_free(&comm);
}

MPI_CASE("every rank spawns a child of its own at the same time", 1, 4) {
  Children children(MPI_COMM_SELF, 0, 1, {"report"});
  int facts[3] = {-1, -1, -1};
  MPI_Recv(facts, 3, MPI_INT, 0, 2, children.comm, MPI_STATUS_IGNORE);
  CHECK_EQ(facts[1], 1);
}

MPI_CASE("children spawn children", 1, 3) {
  Children children(world.comm, 0, 2, {"grandchild"});
  if (world.rank != 0) return;
  int sum = 0;
  MPI_Recv(&sum, 1, MPI_INT, 0, 3, children.comm, MPI_STATUS_IGNORE);
  CHECK_EQ(sum, 3);
}

MPI_CASE("an intercommunicator may take in processes that did not spawn", 1, 8) {
  MPI_Comm child = MPI_COMM_NULL;
  if (world.rank == 0) child = spawn_children(MPI_COMM_SELF, 0, 2, {"meet"}, MPI_ERRCODES_IGNORE);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_create(world.comm, 0, child, 0, 9, &all);
  CHECK_EQ(remote_size_of(all), 2);
  for (int other = 0; other < 2; ++other) {
    int heard = -1;
    MPI_Recv(&heard, 1, MPI_INT, other, 7, all, MPI_STATUS_IGNORE);
    CHECK_EQ(heard, other);
  }
  MPI_Comm_disconnect(&all);
  if (child != MPI_COMM_NULL) MPI_Comm_disconnect(&child);
}

MPI_CASE("what is made of an intercommunicator between jobs works as the first one does", 1, 4) {
  Children children(world.comm, 0, 2, {"count"});
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(children.comm, 0, &all);
  const int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Group both = MPI_GROUP_NULL;
  MPI_Group ours = MPI_GROUP_NULL;
  MPI_Group theirs = MPI_GROUP_NULL;
  MPI_Comm_group(all, &both);
  MPI_Comm_group(world.comm, &ours);
  MPI_Comm_remote_group(children.comm, &theirs);
  MPI_Group joined = MPI_GROUP_NULL;
  MPI_Group_union(ours, theirs, &joined);
  int result = -1;
  MPI_Group_compare(both, joined, &result);
  CHECK_EQ(result, MPI_IDENT);
  for (MPI_Group* group : {&both, &ours, &theirs, &joined}) MPI_Group_free(group);
  if (world.rank == 0) MPI_Recv(&sum, 1, MPI_INT, 0, 3, children.comm, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&all);
}

MPI_NODE_CASE("spawning again and again leaves nothing open", 1, 3) {
  if (!world.nodes.empty()) return;  // other ranks of this process may open files meanwhile
  const auto open_now = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  { const Children first(world.comm, 0, 1, {"quiet"}); }
  MPI_Barrier(world.comm);
  const auto before = open_now();
  for (int i = 0; i < 12; ++i) {
    const bool freed = i % 2 == 1;
    MPI_Comm comm = spawn_children(world.comm, 0, 1 + i % 2, {freed ? "free" : "quiet"}, MPI_ERRCODES_IGNORE);
    if (freed) {
      MPI_Comm_free(&comm);
    } else {
      MPI_Comm_disconnect(&comm);
    }
  }
  { const Children last(world.comm, 0, 1, {"quiet"}); }
  MPI_Barrier(world.comm);
  // Those of the last may still be on their way out, and of a job that was freed.
  CHECK(open_now() <= before + 4);
}

MPI_CASE("the universe has room for the world", 1, 8) {
  int* universe = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, static_cast<void*>(&universe), &found);
  CHECK(found != 0 && *universe > world.size);
}

}  // namespace
}  // namespace starling::tests
