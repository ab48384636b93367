// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Inquiries about the library, the machine and the clock, memory, and info objects (MPI-5.0, 9 and 10).
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

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
#endif

}  // namespace
}  // namespace starling::tests
