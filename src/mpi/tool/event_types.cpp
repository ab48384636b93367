// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tool/event_types.hpp"

#include <array>

namespace starling::mpi {
namespace {

using config::Category;

constexpr EventElement kFunction{"function", [](const EventInstance& i) -> MPI_Count { return i.what.call; }};
constexpr EventElement kCommunicator{"communicator", [](const EventInstance& i) { return i.communicator; }};
constexpr EventElement kTag{"tag", [](const EventInstance& i) -> MPI_Count { return i.what.tag; }};
constexpr EventElement kBytes{"bytes", [](const EventInstance& i) { return static_cast<MPI_Count>(i.what.bytes); }};

MPI_Count rank_of(const EventInstance& instance) { return instance.what.rank; }
MPI_Count number_of(const EventInstance& instance) { return static_cast<MPI_Count>(instance.what.number); }

constexpr EventElement kOfCall[] = {kFunction};
constexpr EventElement kOfWait[] = {{"kind", number_of}, kCommunicator, {"world_rank", rank_of}, kTag};
constexpr EventElement kOfWaitsEnd[] = {{"nanoseconds", number_of}};
constexpr EventElement kOfSend[] = {kCommunicator, {"destination", rank_of}, kTag, kBytes};
constexpr EventElement kOfArrival[] = {kCommunicator, {"source", rank_of}, kTag, kBytes};
constexpr EventElement kOfMatch[] = {kCommunicator, {"source", rank_of}, kTag, kBytes, {"early", number_of}};
constexpr EventElement kOfCollective[] = {kFunction, kCommunicator, {"number", number_of}, {"root", rank_of}, kBytes};
constexpr EventElement kOfCollectivesEnd[] = {kFunction, kCommunicator, {"number", number_of}};
constexpr EventElement kOfNewCommunicator[] = {kCommunicator, {"processes", number_of}};
constexpr EventElement kOfCommunicator[] = {kCommunicator};
constexpr EventElement kOfDeath[] = {{"world_rank", rank_of}};

constexpr EventType kTypes[] = {
    {"starling_call_begun", "An MPI call of the program has begun, between the start of MPI and its end.",
     Category::kProcess, MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_NONE, kOfCall},
    {"starling_call_ended", "An MPI call of the program is about to return.", Category::kProcess, MPI_T_BIND_NO_OBJECT,
     MPI_T_CB_REQUIRE_NONE, kOfCall},
    {"starling_wait_begun",
     "A wait within a call has become long, about a microsecond: what it waits for first. kind: 0 unknown, 1 one "
     "operation, 2 all of several, 3 one of them, 4 some of them, 5 a collective, 6 a window, 7 a file, 8 the others "
     "in "
     "MPI_Finalize, 10 another job.",
     Category::kWaiting, MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfWait},
    {"starling_wait_ended", "A wait that had become long has ended; nanoseconds: since then.", Category::kWaiting,
     MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfWaitsEnd},
    {"starling_message_sent", "A message of a send has been given to the library.", Category::kMessages,
     MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfSend},
    {"starling_message_early", "A message has come before its receive, and waits for it.", Category::kMessages,
     MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfArrival},
    {"starling_message_matched",
     "A message has met its receive: its first bytes have come, and the rest may still be under way. early: 1 where it "
     "had come before the receive, else 0.",
     Category::kMessages, MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfMatch},
    {"starling_collective_begun",
     "This process has begun a collective operation. number: of those that it has begun on the communicator, from 1; "
     "root: -1 where there is none; bytes: of its part, 0 where the parts may differ.",
     Category::kCollectives, MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfCollective},
    {"starling_collective_ended", "A collective operation is complete in this process.", Category::kCollectives,
     MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfCollectivesEnd},
    {"starling_communicator_made",
     "The program has got a communicator; processes: of the remote group, where it is an intercommunicator.",
     Category::kProcess, MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfNewCommunicator},
    {"starling_communicator_freed", "The program frees the communicator to which the handle is bound.",
     Category::kProcess, MPI_T_BIND_MPI_COMM, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfCommunicator},
    {"starling_process_failed",
     "This process has learnt that another has died, in a job that goes on (mpiexec --survive). world_rank: -1 for a "
     "process of another job.",
     Category::kProcess, MPI_T_BIND_NO_OBJECT, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfDeath},
    {"starling_communicator_revoked",
     "This process has learnt that the communicator to which the handle is bound is revoked.", Category::kProcess,
     MPI_T_BIND_MPI_COMM, MPI_T_CB_REQUIRE_MPI_RESTRICTED, kOfCommunicator},
};
static_assert(std::size(kTypes) == observe::kOccurrenceKinds);

struct ElementNames {
  std::vector<ToolEnumItem> items;
  ToolEnum names;
};

std::vector<ElementNames> list_element_names() {
  std::vector<ElementNames> all;
  for (const EventType& type : kTypes) {
    ElementNames one;
    for (const EventElement& element : type.elements)
      one.items.push_back({static_cast<int>(one.items.size()), element.name});
    all.push_back(std::move(one));
    // Moving the vector has left its items where they are.
    all.back().names = {type.name, all.back().items};
  }
  return all;
}

const std::vector<ElementNames>& all_element_names() {
  static const std::vector<ElementNames> all = list_element_names();
  return all;
}

}  // namespace

std::span<const EventType> event_types() noexcept { return kTypes; }

const ToolEnum& element_names(const EventType& type) {
  return all_element_names()[static_cast<std::size_t>(&type - kTypes)].names;
}

const ToolEnum* find_element_names(MPI_T_enum handle) noexcept {
  for (const ElementNames& one : all_element_names()) {
    if (handle_of(one.names) == handle) return &one.names;
  }
  return nullptr;
}

std::vector<int> events_in(int category) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    if (category_index(kTypes[i].category) == category) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

}  // namespace starling::mpi
