// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The tool information interface (MPI-5.0, 15.3): every variable, category and enumeration is swept.
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// The interface for the time of a scope.
class Tool {
 public:
  Tool() {
    int provided = -1;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  }
  ~Tool() { MPI_T_finalize(); }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
};

struct Control {
  std::string name;
  std::string sentence;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  int scope = -1;
};

Control control(int index) {
  Control one;
  int name_length = 0, sentence_length = 0;
  MPI_T_cvar_get_info(index, nullptr, &name_length, nullptr, nullptr, nullptr, nullptr, &sentence_length, nullptr,
                      nullptr);
  std::vector<char> name(static_cast<std::size_t>(name_length)), sentence(static_cast<std::size_t>(sentence_length));
  int verbosity = 0, bind = 0;
  MPI_T_cvar_get_info(index, name.data(), &name_length, &verbosity, &one.datatype, &one.values, sentence.data(),
                      &sentence_length, &bind, &one.scope);
  one.name = name.data();
  one.sentence = sentence.data();
  return one;
}

int count_controls() {
  int count = 0;
  MPI_T_cvar_get_num(&count);
  return count;
}

/// A handle for the time of a scope.
struct ControlHandle {
  explicit ControlHandle(const char* name) {
    int index = -1;
    MPI_T_cvar_get_index(name, &index);
    MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count);
  }
  ~ControlHandle() { MPI_T_cvar_handle_free(&handle); }
  ControlHandle(const ControlHandle&) = delete;
  ControlHandle& operator=(const ControlHandle&) = delete;

  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
};

MPI_CASE("the tool interface has to be initialised, once for each finalize", 1, 1) {
  int count = 0, provided = -1;
  CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
}

MPI_CASE("every control variable describes itself and can be read", 1, 2) {
  const Tool tool;
  std::set<std::string> names;
  for (int index = 0; index < count_controls(); ++index) {
    const Control one = control(index);
    CHECK(one.name.rfind("STARLING_", 0) == 0);
    CHECK(one.sentence.size() > 10);
    CHECK(names.insert(one.name).second);
    int found = -1;
    CHECK_EQ(MPI_T_cvar_get_index(one.name.c_str(), &found), MPI_SUCCESS);
    CHECK_EQ(found, index);
    const ControlHandle handle(one.name.c_str());
    int size = 0;
    MPI_Type_size(one.datatype, &size);
    std::vector<char> value(static_cast<std::size_t>(handle.count * size) + 1, 'x');
    CHECK_EQ(MPI_T_cvar_read(handle.handle, value.data()), MPI_SUCCESS);
    CHECK_EQ(value.back(), 'x');
  }
  CHECK(names.size() > 20);
}

MPI_CASE("a control variable shows the value in force", 1, 2) {
  const Tool tool;
  const ControlHandle slots("STARLING_SHM_RING_SLOTS");
  MPI_Count value = 0;
  MPI_T_cvar_read(slots.handle, &value);
  CHECK(value >= 1);
  const ControlHandle single("STARLING_SHM_SINGLE_COPY");
  int flag = -1;
  MPI_T_cvar_read(single.handle, &flag);
  CHECK(flag == 0 || flag == 1);
}

MPI_CASE("the way to wait can be written while MPI runs, other variables cannot", 1, 2) {
  const Tool tool;
  const ControlHandle wait("STARLING_WAIT");
  std::vector<char> before(static_cast<std::size_t>(wait.count)), text(before.size());
  MPI_T_cvar_read(wait.handle, before.data());
  std::strcpy(text.data(), "yield");
  CHECK_EQ(MPI_T_cvar_write(wait.handle, text.data()), MPI_SUCCESS);
  std::vector<char> after(before.size());
  MPI_T_cvar_read(wait.handle, after.data());
  CHECK_EQ(std::string(after.data()), std::string("yield"));
  std::strcpy(text.data(), "sit");
  CHECK_EQ(MPI_T_cvar_write(wait.handle, text.data()), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_write(wait.handle, before.data()), MPI_SUCCESS);
  const ControlHandle slots("STARLING_SHM_RING_SLOTS");
  const MPI_Count value = 64;
  CHECK_EQ(MPI_T_cvar_write(slots.handle, &value), MPI_T_ERR_CVAR_SET_NOT_NOW);
}

MPI_CASE("texts are cut to the room and tell what they need", 1, 1) {
  const Tool tool;
  const std::string whole = control(0).name;
  char name[6] = "?????";
  int length = 5;
  MPI_T_cvar_get_info(0, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  CHECK_EQ(std::string(name), whole.substr(0, 4));
  CHECK_EQ(length, static_cast<int>(whole.size()) + 1);
}

MPI_CASE("wrong indices, names and handles have the codes of the tool interface", 1, 1) {
  const Tool tool;
  int number = -1;
  MPI_T_cvar_handle none = MPI_T_CVAR_HANDLE_NULL;
  MPI_T_pvar_session no_session = MPI_T_PVAR_SESSION_NULL;
  CHECK_EQ(MPI_T_cvar_get_info(count_controls(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr),
           MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_cvar_get_index("no such variable", &number), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_cvar_get_index("STARLING_WAIT", nullptr), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_handle_alloc(-1, nullptr, &none, &number), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_cvar_read(none, &number), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_cvar_handle_free(&none), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_session_free(&no_session), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_start(no_session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_get_index("starling_calls", MPI_T_PVAR_CLASS_LEVEL, &number), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_category_get_num_events(1000, &number), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &number, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
}

MPI_CASE("every enumeration lists its values", 1, 1) {
  const Tool tool;
  int enumerations = 0;
  for (int index = 0; index < count_controls(); ++index) {
    const Control one = control(index);
    if (one.values == MPI_T_ENUM_NULL) continue;
    ++enumerations;
    int count = 0, value = -1, length = 20;
    char text[20] = "";
    MPI_T_enum_get_info(one.values, &count, nullptr, nullptr);
    CHECK(count >= 2);
    std::set<int> values;
    for (int item = 0; item < count; ++item) {
      CHECK_EQ(MPI_T_enum_get_item(one.values, item, &value, text, &length), MPI_SUCCESS);
      CHECK(values.insert(value).second);
      CHECK(std::strlen(text) > 0);
    }
    CHECK_EQ(MPI_T_enum_get_item(one.values, count, &value, nullptr, nullptr), MPI_T_ERR_INVALID_INDEX);
  }
  CHECK(enumerations > 0);
}

MPI_CASE("every variable is in one category", 1, 1) {
  const Tool tool;
  int categories = 0, performances = 0;
  MPI_T_category_get_num(&categories);
  MPI_T_pvar_get_num(&performances);
  std::multiset<int> controls_seen, performances_seen;
  std::set<int> reached = {0};
  for (int index = 0; index < categories; ++index) {
    int controls = 0, own_performances = 0, inner = 0, length = 100, found = -1;
    char name[100] = "";
    MPI_T_category_get_info(index, name, &length, nullptr, nullptr, &controls, &own_performances, &inner);
    CHECK_EQ(MPI_T_category_get_index(name, &found), MPI_SUCCESS);
    CHECK_EQ(found, index);
    std::vector<int> indices(static_cast<std::size_t>(controls + own_performances + inner));
    MPI_T_category_get_cvars(index, controls, indices.data());
    controls_seen.insert(indices.begin(), indices.begin() + controls);
    MPI_T_category_get_pvars(index, own_performances, indices.data());
    performances_seen.insert(indices.begin(), indices.begin() + own_performances);
    MPI_T_category_get_categories(index, inner, indices.data());
    reached.insert(indices.begin(), indices.begin() + inner);
  }
  for (int index = 0; index < count_controls(); ++index) CHECK_EQ(controls_seen.count(index), std::size_t{1});
  for (int index = 0; index < performances; ++index) CHECK_EQ(performances_seen.count(index), std::size_t{1});
  CHECK_EQ(reached.size(), static_cast<std::size_t>(categories));
}

MPI_CASE("a source tells the time", 1, 1) {
  const Tool tool;
  int sources = -1;
  MPI_T_source_get_num(&sources);
  if (!CHECK_EQ(sources, 1)) return;
  MPI_Count ticks = 0, first = 0, second = 0;
  MPI_T_source_get_info(0, nullptr, nullptr, nullptr, nullptr, nullptr, &ticks, nullptr, nullptr);
  CHECK(ticks > 0);
  MPI_T_source_get_timestamp(0, &first);
  MPI_T_source_get_timestamp(0, &second);
  CHECK(second >= first && first > 0);
  CHECK_EQ(MPI_T_source_get_timestamp(1, &first), MPI_T_ERR_INVALID_INDEX);
}

MPI_CASE("a handle of an event that was not given out is refused", 1, 1) {
  const Tool tool;
  int number = 0;
  MPI_Count when = 0;
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_T_event_get_info(-1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                nullptr, nullptr),
           MPI_T_ERR_INVALID_INDEX);
  const MPI_T_event_registration none = nullptr;
  CHECK_EQ(MPI_T_event_handle_get_info(none, &info), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_handle_set_info(none, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_register_callback(none, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, nullptr, nullptr),
           MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_callback_get_info(none, MPI_T_CB_REQUIRE_NONE, &info), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_callback_set_info(none, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_set_dropped_handler(none, nullptr), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_handle_free(none, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
  const MPI_T_event_instance nothing = nullptr;
  CHECK_EQ(MPI_T_event_read(nothing, 0, &number), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_copy(nothing, &number), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_get_timestamp(nothing, &when), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_get_source(nothing, &number), MPI_T_ERR_INVALID_HANDLE);
}

MPI_CASE("categories do not change while nothing is loaded", 1, 1) {
  const Tool tool;
  int before = -1, after = -2, events = 0;
  MPI_T_category_changed(&before);
  CHECK_EQ(MPI_T_category_get_events(0, 0, &events), MPI_SUCCESS);
  MPI_T_category_changed(&after);
  CHECK_EQ(after, before);
}

}  // namespace
}  // namespace starling::tests
