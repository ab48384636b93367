// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Inquiries about the library, the machine and the clock, memory, and info objects (MPI-5.0, 9 and 10).
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("the version and the library name", 1, 2) {
  int version = 0;
  int subversion = -1;
  MPI_Get_version(&version, &subversion);
  CHECK_EQ(version, MPI_VERSION);
  CHECK_EQ(subversion, MPI_SUBVERSION);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = -1;
  MPI_Get_library_version(text, &length);
  CHECK_EQ(static_cast<std::size_t>(length), std::strlen(text));
  CHECK(length > 0);
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  MPI_Get_processor_name(name, &length);
  CHECK_EQ(static_cast<std::size_t>(length), std::strlen(name));
  CHECK(length > 0);
}

MPI_CASE("the ranks of a node have one processor name", 2, 8) {
  char mine[MPI_MAX_PROCESSOR_NAME] = "";
  int length = -1;
  MPI_Get_processor_name(mine, &length);
  std::vector<char> all(static_cast<std::size_t>(world.size) * sizeof mine);
  MPI_Allgather(mine, sizeof mine, MPI_CHAR, all.data(), sizeof mine, MPI_CHAR, world.comm);
  for (int rank = 0; rank < world.size; ++rank) {
    const std::string theirs = all.data() + static_cast<std::size_t>(rank) * sizeof mine;
    if (world.on_one_node(rank, world.rank)) CHECK_EQ(theirs, std::string(mine));
  }
}

MPI_CASE("MPI is initialized and not finalized", 1, 2) {
  int flag = -1;
  MPI_Initialized(&flag);
  CHECK_EQ(flag, 1);
  MPI_Finalized(&flag);
  CHECK_EQ(flag, 0);
}

MPI_CASE("MPI_Wtime counts seconds forward", 1, 2) {
  CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 0.01);
  const auto clock = std::chrono::steady_clock::now();
  const double begin = MPI_Wtime();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double took = MPI_Wtime() - begin;
  const std::chrono::duration<double> really = std::chrono::steady_clock::now() - clock;
  CHECK(took >= 0.019 && took <= really.count() + 0.001);
}

MPI_CASE("allocated memory can be written and sent", 1, 2) {
  int* values = nullptr;
  MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &values);
  for (int i = 0; i < 1000; ++i) values[i] = i;
  int sum = 0;
  MPI_Allreduce(&values[999], &sum, 1, MPI_INT, MPI_SUM, world.comm);
  CHECK_EQ(sum, 999 * world.size);
  MPI_Free_mem(values);
}

std::string value_of(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
  return found ? value : "(none)";
}

MPI_CASE("info objects keep their keys in order, replace, copy and delete", 1, 2) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "first", "1");
  MPI_Info_set(info, "second", "two words");
  MPI_Info_set(info, "third", "3");
  MPI_Info_set(info, "first", "one");
  int count = -1;
  MPI_Info_get_nkeys(info, &count);
  CHECK_EQ(count, 3);
  CHECK_EQ(value_of(info, "first"), "one");
  CHECK_EQ(value_of(info, "second"), "two words");
  CHECK_EQ(value_of(info, "fourth"), "(none)");
  int length = -1;
  int found = 0;
  MPI_Info_get_valuelen(info, "second", &length, &found);
  CHECK_EQ(found, 1);
  CHECK_EQ(length, 9);
  MPI_Info copy = MPI_INFO_NULL;
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "second");
  MPI_Info_get_nkeys(info, &count);
  CHECK_EQ(count, 2);
  char key[MPI_MAX_INFO_KEY + 1] = "";
  MPI_Info_get_nthkey(info, 1, key);
  CHECK_EQ(std::string(key), "third");
  CHECK_EQ(value_of(copy, "second"), "two words");
  MPI_Info_free(&info);
  CHECK(info == MPI_INFO_NULL);
  MPI_Info_free(&copy);
}

#if MPI_VERSION >= 4
MPI_CASE("MPI_Info_get_string tells the room it needs", 1, 2) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "a long value");
  char value[20] = "";
  int room = 5;
  int found = 0;
  MPI_Info_get_string(info, "key", &room, value, &found);
  CHECK_EQ(found, 1);
  CHECK_EQ(room, 13);
  CHECK_EQ(std::string(value), "a lo");
  room = 20;
  MPI_Info_get_string(info, "key", &room, value, &found);
  CHECK_EQ(std::string(value), "a long value");
  room = 0;
  MPI_Info_get_string(info, "key", &room, value, &found);
  CHECK_EQ(room, 13);
  MPI_Info_free(&info);
}
#endif

MPI_CASE("deleting a key that is not there is MPI_ERR_INFO_NOKEY", 1, 2) {
  const ReturnErrors quiet;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  CHECK_EQ(class_of(MPI_Info_delete(info, "nothing")), MPI_ERR_INFO_NOKEY);
  const std::string endless(2 * MPI_MAX_INFO_KEY, 'k');
  CHECK_EQ(class_of(MPI_Info_set(info, endless.c_str(), "1")), MPI_ERR_INFO_KEY);
  MPI_Info_free(&info);
}

#if MPI_VERSION >= 5
MPI_CASE("the hardware of a process is told, and a smaller part lies in a larger", 1, 4) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Get_hw_resource_info(&info);
  const auto restricted = [&](const char* resource) {
    char value[8] = "";
    int length = sizeof value, flag = 0;
    MPI_Info_get_string(info, resource, &length, value, &flag);
    CHECK_EQ(flag, 1);
    CHECK(std::string(value) == "true" || std::string(value) == "false");
    return std::string(value) == "true";
  };
  CHECK(restricted("mpi_shared_memory"));
  // Whoever may use one hardware thread only may use one core only, and so on.
  if (restricted("hwloc://PU")) CHECK(restricted("hwloc://Core"));
  if (restricted("hwloc://Core")) CHECK(restricted("hwloc://Package"));
  MPI_Info_free(&info);
}

MPI_CASE("the library tells the version and the sizes of its ABI", 1, 2) {
  int major = -1, minor = -1;
  MPI_Abi_get_version(&major, &minor);
  CHECK_EQ(major, MPI_ABI_VERSION);
  CHECK_EQ(minor, MPI_ABI_SUBVERSION);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Abi_get_info(&info);
  const auto value = [&](const char* key) {
    char text[16] = "";
    int length = sizeof text, flag = 0;
    MPI_Info_get_string(info, key, &length, text, &flag);
    return std::string(text);
  };
  CHECK_EQ(value("mpi_aint_size"), std::to_string(sizeof(MPI_Aint)));
  CHECK_EQ(value("mpi_count_size"), std::to_string(sizeof(MPI_Count)));
  CHECK_EQ(value("mpi_offset_size"), std::to_string(sizeof(MPI_Offset)));
  MPI_Info_free(&info);
}

MPI_CASE("what the Fortran compiler does is told once", 1, 2) {
  const ReturnErrors quiet;
  MPI_Info facts = MPI_INFO_NULL;
  MPI_Abi_get_fortran_info(&facts);
  CHECK(facts == MPI_INFO_NULL);
  MPI_Info_create(&facts);
  MPI_Info_set(facts, "mpi_integer_size", "4");
  CHECK_EQ(MPI_Abi_set_fortran_info(facts), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_info(facts)), MPI_ERR_ABI);
  MPI_Info_free(&facts);
  MPI_Abi_get_fortran_info(&facts);
  CHECK_EQ(value_of(facts, "mpi_integer_size"), "4");
  MPI_Info_free(&facts);
  short yes = -1, no = 0, found_yes = 5, found_no = 5;
  int is_set = -1;
  MPI_Abi_get_fortran_booleans(sizeof yes, &found_yes, &found_no, &is_set);
  CHECK_EQ(is_set, 0);
  CHECK_EQ(MPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no)), MPI_ERR_ABI);
  MPI_Abi_get_fortran_booleans(sizeof yes, &found_yes, &found_no, &is_set);
  CHECK_EQ(is_set, 1);
  CHECK_EQ(found_yes, yes);
  CHECK_EQ(found_no, no);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_booleans(3, &yes, &no)), MPI_ERR_ARG);
}

/// Through an integer and back, a handle is the same.
template <typename Handle, typename ToInt, typename FromInt>
void check_integer(Context& world, Handle handle, ToInt to_int, FromInt from_int) {
  CHECK(from_int(to_int(handle)) == handle);
}

MPI_CASE("handles of every kind pass through integers", 1, 2) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
  int here = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&here, 1, MPI_INT, 0, 1, comm, &request);
  MPI_Send(&here, 1, MPI_INT, 0, 2, comm);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(0, 2, comm, &message, MPI_STATUS_IGNORE);
  for (const MPI_Comm each : {comm, MPI_COMM_WORLD, MPI_COMM_NULL}) {
    check_integer(world, each, MPI_Comm_toint, MPI_Comm_fromint);
  }
  for (const MPI_Datatype each : {type, MPI_DOUBLE, MPI_DATATYPE_NULL}) {
    check_integer(world, each, MPI_Type_toint, MPI_Type_fromint);
  }
  check_integer(world, group, MPI_Group_toint, MPI_Group_fromint);
  check_integer(world, info, MPI_Info_toint, MPI_Info_fromint);
  check_integer(world, win, MPI_Win_toint, MPI_Win_fromint);
  check_integer(world, request, MPI_Request_toint, MPI_Request_fromint);
  check_integer(world, message, MPI_Message_toint, MPI_Message_fromint);
  check_integer(world, MPI_SUM, MPI_Op_toint, MPI_Op_fromint);
  check_integer(world, MPI_ERRORS_RETURN, MPI_Errhandler_toint, MPI_Errhandler_fromint);
  check_integer(world, MPI_FILE_NULL, MPI_File_toint, MPI_File_fromint);
  check_integer(world, MPI_SESSION_NULL, MPI_Session_toint, MPI_Session_fromint);
  // A handle that came as an integer is as good as the other.
  MPI_Send(&here, 1, MPI_INT, 0, 1, MPI_Comm_fromint(MPI_Comm_toint(comm)));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Mrecv(&here, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Win_free(&win);
  MPI_Type_free(&type);
  MPI_Info_free(&info);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
}

MPI_CASE("the fields of a status are read and written by calls, too", 1, 2) {
  MPI_Status status = {};
  MPI_Status_set_source(&status, 3);
  MPI_Status_set_tag(&status, 14);
  MPI_Status_set_error(&status, MPI_ERR_TRUNCATE);
  CHECK_EQ(status.MPI_SOURCE, 3);
  CHECK_EQ(status.MPI_TAG, 14);
  CHECK_EQ(status.MPI_ERROR, MPI_ERR_TRUNCATE);
  int source = -1, tag = -1, error = -1;
  MPI_Status_get_source(&status, &source);
  MPI_Status_get_tag(&status, &tag);
  MPI_Status_get_error(&status, &error);
  CHECK_EQ(source, 3);
  CHECK_EQ(tag, 14);
  CHECK_EQ(error, MPI_ERR_TRUNCATE);
}

MPI_CASE("MPI_Info_create_env tells the command and its arguments", 1, 2) {
  char program[] = "sail", first[] = "-n", second[] = "5";
  char* arguments[] = {program, first, second, nullptr};
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create_env(3, arguments, &info);
  CHECK_EQ(value_of(info, "command"), "sail");
  CHECK_EQ(value_of(info, "argv"), "-n 5");
  MPI_Info_free(&info);
}
#endif

MPI_CASE("MPI_Pcontrol takes any level and more arguments", 1, 2) {
  CHECK_EQ(MPI_Pcontrol(0), MPI_SUCCESS);
  CHECK_EQ(MPI_Pcontrol(7, "profile", 3.5), MPI_SUCCESS);
}

}  // namespace
}  // namespace starling::tests
