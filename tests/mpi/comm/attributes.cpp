// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Attributes, names and info of communicators (MPI-5.0, 7.7, 7.8 and 7.4.4).
#include <cstring>
#include <string>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// What the callbacks saw; the extra state of the keyval points to it.
struct Calls {
  int copies = 0;
  int deletes = 0;
  int refuse_copies = 0;
  int fail_deletes = 0;
};

int copy_attribute(MPI_Comm, int, void* extra, void* in, void* out, int* flag) {
  auto* calls = static_cast<Calls*>(extra);
  calls->copies += 1;
  *flag = calls->refuse_copies ? 0 : 1;
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void*, void* extra) {
  auto* calls = static_cast<Calls*>(extra);
  calls->deletes += 1;
  return calls->fail_deletes ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/// The attribute's value as the address it was set to; null when it is not set.
char* attribute_of(MPI_Comm comm, int keyval) {
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, keyval, &value, &found);
  return found ? static_cast<char*>(value) : nullptr;
}

MPI_CASE("attributes are set, read, replaced and deleted, with one callback for each", 1, 2) {
  Calls calls;
  char places[4] = {};
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, &calls);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  CHECK(attribute_of(comm, keyval) == nullptr);
  MPI_Comm_set_attr(comm, keyval, &places[0]);
  CHECK(attribute_of(comm, keyval) == &places[0]);
  MPI_Comm_set_attr(comm, keyval, &places[1]);
  CHECK_EQ(calls.deletes, 1);
  CHECK(attribute_of(comm, keyval) == &places[1]);

  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  CHECK_EQ(calls.copies, 1);
  CHECK(attribute_of(copy, keyval) == &places[2]);
  MPI_Comm_free(&copy);
  CHECK_EQ(calls.deletes, 2);

  calls.refuse_copies = 1;
  MPI_Comm_dup(comm, &copy);
  CHECK_EQ(calls.copies, 2);
  CHECK(attribute_of(copy, keyval) == nullptr);
  MPI_Comm_free(&copy);
  CHECK_EQ(calls.deletes, 2);

  MPI_Comm_delete_attr(comm, keyval);
  CHECK_EQ(calls.deletes, 3);
  CHECK(attribute_of(comm, keyval) == nullptr);
  MPI_Comm_free(&comm);
  CHECK_EQ(calls.deletes, 3);
  MPI_Comm_free_keyval(&keyval);
  CHECK_EQ(keyval, MPI_KEYVAL_INVALID);
}

MPI_CASE("a freed keyval serves its attributes to their end", 1, 2) {
  Calls calls;
  char place = 0;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, &calls);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_attr(comm, keyval, &place);
  int kept = keyval;
  MPI_Comm_free_keyval(&keyval);
  CHECK_EQ(keyval, MPI_KEYVAL_INVALID);
  CHECK_EQ(calls.deletes, 0);
  CHECK(attribute_of(comm, kept) == &place);
  MPI_Comm_free(&comm);
  CHECK_EQ(calls.deletes, 1);
}

MPI_CASE("a keyval is freed once", 1, 2) {
  const ReturnErrors quiet;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  int kept = keyval;
  MPI_Comm_free_keyval(&keyval);
  CHECK_EQ(class_of(MPI_Comm_free_keyval(&kept)), MPI_ERR_KEYVAL);
}

MPI_CASE("the predefined callbacks copy the value, or nothing", 1, 2) {
  char place = 0;
  int copied = MPI_KEYVAL_INVALID;
  int dropped = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &copied, nullptr);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &dropped, nullptr);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_attr(comm, copied, &place);
  MPI_Comm_set_attr(comm, dropped, &place);
  MPI_Comm_dup(comm, &copy);
  CHECK(attribute_of(copy, copied) == &place);
  CHECK(attribute_of(copy, dropped) == nullptr);
  MPI_Comm_free(&copy);
  MPI_Comm_split(comm, 0, world.rank, &copy);
  CHECK(attribute_of(copy, copied) == nullptr);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&copied);
  MPI_Comm_free_keyval(&dropped);
}

MPI_CASE("a delete callback that fails is heard of", 1, 1) {
  const ReturnErrors quiet;
  Calls calls;
  char place = 0;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, &calls);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_attr(comm, keyval, &place);
  calls.fail_deletes = 1;
  CHECK(MPI_Comm_delete_attr(comm, keyval) != MPI_SUCCESS);
  calls.fail_deletes = 0;
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
}

MPI_CASE("many attributes at once keep their values apart", 1, 2) {
  constexpr int kMany = 100;
  Calls calls;
  char places[kMany + 1] = {};
  int keyvals[kMany];
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  for (int i = 0; i < kMany; ++i) {
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyvals[i], &calls);
    MPI_Comm_set_attr(comm, keyvals[i], &places[i]);
  }
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  CHECK_EQ(calls.copies, kMany);
  for (int i = 0; i < kMany; ++i) CHECK(attribute_of(copy, keyvals[i]) == &places[i + 1]);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&copy);
  CHECK_EQ(calls.deletes, 2 * kMany);
  for (int& keyval : keyvals) MPI_Comm_free_keyval(&keyval);
}

int predefined(MPI_Comm comm, int keyval) {
  int* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, keyval, &value, &found);
  return found ? *value : -12345;
}

MPI_CASE("the predefined attributes of the world", 1, 2) {
  CHECK(predefined(MPI_COMM_WORLD, MPI_TAG_UB) >= 32767);
  const int io = predefined(MPI_COMM_WORLD, MPI_IO);
  CHECK(io == MPI_ANY_SOURCE || io == MPI_PROC_NULL || (io >= 0 && io < world.size));
  const int global_clock = predefined(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL);
  CHECK(global_clock == 0 || global_clock == 1);
}

MPI_CASE("names of communicators", 1, 2) {
  const auto name_of = [](MPI_Comm comm) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = -1;
    MPI_Comm_get_name(comm, name, &length);
    return std::string(name, static_cast<std::size_t>(length));
  };
  CHECK_EQ(name_of(MPI_COMM_WORLD), "MPI_COMM_WORLD");
  CHECK_EQ(name_of(MPI_COMM_SELF), "MPI_COMM_SELF");
#if MPI_VERSION >= 5
  CHECK_EQ(name_of(MPI_COMM_NULL), "MPI_COMM_NULL");
#endif
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  CHECK_EQ(name_of(comm), "");
  MPI_Comm_set_name(comm, "rows of the grid");
  CHECK_EQ(name_of(comm), "rows of the grid");
  const std::string endless(2 * MPI_MAX_OBJECT_NAME, 'x');
  MPI_Comm_set_name(comm, endless.c_str());
  const std::string kept = name_of(comm);
  CHECK(!kept.empty() && kept.size() < MPI_MAX_OBJECT_NAME && endless.compare(0, kept.size(), kept) == 0);
  MPI_Comm_free(&comm);
}

MPI_CASE("info of a communicator is given back as new objects", 1, 2) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_source", "false");
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  MPI_Comm_get_info(comm, &info);
  CHECK(info != MPI_INFO_NULL);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace starling::tests
