// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The directory of communicators (observe/communicator_directory.hpp): who reads finds a communicator whole, and none
// that a rank has is missing when others have left it.
#include <optional>
#include <vector>

#include "observe/communicator_directory.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::directory_test {
namespace {

using observe::CommunicatorDirectory;
using observe::CommunicatorEntry;
using observe::CommunicatorFacts;

CommunicatorFacts facts(std::uint32_t context) { return {context, context, {WorldRank(0), WorldRank(1)}}; }
constexpr std::uint32_t kOne = 2;
/// Its places begin where those of kOne do.
constexpr std::uint32_t kOther = kOne + 2 * CommunicatorDirectory::kPlaces;

struct Memory {
  static constexpr std::size_t kBytes = std::size_t{200} * 1024;
  alignas(kCacheLine) std::byte bytes[kBytes] = {};
};

/// Of the words of a place all but the key, written, the size and the first of the members.
void leave_out_words(Execution& execution, std::byte* memory, std::uint32_t place) {
  constexpr std::size_t kWords = 8;  // of the members
  auto* places = reinterpret_cast<observe::DirectoryPlace*>(memory + sizeof(observe::DirectoryHead));
  execution.leave_out(memory);  // used
  execution.leave_out(&places[place].flags);
  for (const auto& word : places[place].name) execution.leave_out(&word);
  const std::byte* members = memory + CommunicatorDirectory::bytes(2, 2) -
                             (CommunicatorDirectory::kPlaces - place) * kWords * sizeof(std::uint64_t);
  for (std::size_t i = 1; i < kWords; ++i) execution.leave_out(members + i * sizeof(std::uint64_t));
}

enum class Words : std::uint8_t { kAll, kTwo };
CommunicatorDirectory directory_of(Execution& execution, std::uint32_t place, Words words = Words::kAll) {
  auto& memory = execution.make<Memory>();
  EXPECT_LE(CommunicatorDirectory::bytes(2, 2), Memory::kBytes);
  CommunicatorDirectory directory(memory.bytes, 2, 2);
  auto* places = reinterpret_cast<observe::DirectoryPlace*>(memory.bytes + sizeof(observe::DirectoryHead));
  execution.name(&places[place].key, "key");
  execution.name(&places[place].written, "written");
  if (words == Words::kTwo) leave_out_words(execution, memory.bytes, place);
  return directory;
}

/// The first of the places that both may take.
std::uint32_t first_place() {
  const std::vector<std::byte> bytes(CommunicatorDirectory::bytes(2, 2));
  CommunicatorDirectory directory(const_cast<std::byte*>(bytes.data()), 2, 2);
  return directory.join(facts(kOne));
}

void look(const CommunicatorDirectory& directory, std::uint32_t place) {
  const std::optional<CommunicatorEntry> entry = directory.at(place);
  if (!entry) return;
  require(entry->flags == entry->context_id && entry->size == 2 && entry->members.front() == 3,
          "a communicator is whole");
  require(entry->name.empty() || entry->name == (entry->context_id == kOne ? "one" : "other"), "so is its name");
}

/// One rank leaves a communicator and enters another in its place while a reader looks.
Model next_in_place(std::uint32_t place) {
  return [place](Execution& execution) {
    CommunicatorDirectory directory = directory_of(execution, place);
    EXPECT_EQ(directory.join(facts(kOne)), place);
    directory.rename(place, "one");
    execution.thread("rank", [directory, place]() mutable {
      directory.leave(place);
      require(directory.join(facts(kOther)) == place, "the place is free");
    });
    execution.thread("reader", [directory, place] { look(directory, place); });
  };
}

TEST(Directory, ShowsOneCommunicatorOrTheNextInItsPlace) { EXPECT_EQ(explore(next_in_place(first_place())).wrong, ""); }

TEST(LongDirectory, ShowsOneCommunicatorOrTheNextInItsPlace) { expect_right(next_in_place(first_place())); }

/// Two ranks enter at once while a reader looks. Of the words of a place the size and the first of the members make
/// steps.
Model two_enter(std::uint32_t place) {
  return [place](Execution& execution) {
    CommunicatorDirectory directory = directory_of(execution, place, Words::kTwo);
    for (const char* rank : {"first", "second"}) {
      execution.thread(rank, [directory, place]() mutable {
        require(directory.join(facts(kOne)) == place, "both take the first place");
      });
    }
    execution.thread("reader", [directory, place] { look(directory, place); });
    execution.at_end(
        [directory] { require(directory.places_of(kOne, WorldRank(1)).size() == 1, "the communicator is there"); });
  };
}

TEST(Directory, ShowsACommunicatorThatTwoRanksEnterWhole) { expect_right(two_enter(first_place())); }

TEST(Directory, KeepsACommunicatorThatOneRankLeavesWhileAnotherEnters) {
  const std::uint32_t place = first_place();
  expect_right([place](Execution& execution) {
    CommunicatorDirectory directory = directory_of(execution, place);
    EXPECT_EQ(directory.join(facts(kOne)), place);
    execution.thread("first", [directory, place]() mutable { directory.leave(place); });
    execution.thread("second", [directory]() mutable { (void)directory.join(facts(kOne)); });
    execution.at_end([directory] {
      require(directory.places_of(kOne, WorldRank(1)).size() == 1, "who has entered finds the communicator");
    });
  });
}

}  // namespace
}  // namespace starling::weak::directory_test
