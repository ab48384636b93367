// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/last_calls.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "api/constant_names.hpp"
#include "api/functions.hpp"
#include "base/format.hpp"
#include "observe/last_calls.hpp"

namespace starling::launch {
namespace {

using observe::LastCall;

constexpr std::size_t kShown = 8;
constexpr std::size_t kShownOfOthers = 4;
constexpr std::int32_t kAny = -1;
constexpr std::int32_t kAnyTag = -2;
constexpr std::int32_t kNobody = -3;

std::vector<LastCall> last_calls_of(const memory::RankBlock& block, std::size_t most) {
  return observe::last_calls(block.card.last, block.card.calls, block.card.call, most);
}

const char* name_of(std::uint32_t handle) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): predefined handles are numbers
  return mpi::predefined_handle_name(reinterpret_cast<const void*>(std::uintptr_t{handle}));
}

std::string peer_text(std::int32_t peer) {
  if (peer == kAny) return "any rank";
  return peer == kNobody ? "MPI_PROC_NULL" : formatted("{}", peer);
}

std::string message_text(const LastCall& call) {
  const char* const type = name_of(call.type);
  if (type != nullptr) return formatted("{} x {}", call.count, type);
  return formatted("{} of a derived datatype", call.count);
}

/// "'solver'": of a communicator that the rank has made.
std::string made_comm_text(const memory::JobSegment& segment, WorldRank rank, std::uint32_t context_id) {
  const observe::CommunicatorDirectory directory = segment.directory();
  if (context_id == LastCall::kNoContextId || directory.empty()) return "another communicator";
  for (std::uint32_t place = 0; place < observe::CommunicatorDirectory::kPlaces; ++place) {
    const std::optional<observe::CommunicatorEntry> entry = directory.at(place);
    if (entry && entry->context_id == context_id && entry->has(rank) && !entry->name.empty())
      return formatted("'{}'", entry->name);
  }
  return formatted("the communicator of context {}", context_id);
}

std::string comm_text(const memory::JobSegment& segment, WorldRank rank, const LastCall& call) {
  const char* const name = name_of(call.comm);
  return name != nullptr ? name : made_comm_text(segment, rank, call.context_id);
}

/// "MPI_Send of 8 x MPI_BYTE to 3 with tag 7 on MPI_COMM_WORLD", but for the arguments of left_out.
std::string call_text(const memory::JobSegment& segment, WorldRank rank, const LastCall& call,
                      observe::Tells left_out = 0) {
  const auto told = [&](observe::Tells bit) { return (call.tells & ~left_out & bit) != 0; };
  const bool known = call.call != 0 && call.call < mpi::kFunctionCount;
  std::string text = known ? mpi::function_name(static_cast<mpi::Function>(call.call)) : "an MPI call";
  if (told(observe::kTellsRequests)) text += formatted(" for {} request{}", call.count, call.count == 1 ? "" : "s");
  if (told(observe::kTellsCount)) text += " of " + message_text(call);
  if (told(observe::kTellsDestination)) {
    text += " to " + peer_text(call.peer);
    if (told(observe::kTellsSource)) text += " and from " + peer_text(call.other);
  } else if (told(observe::kTellsSource)) {
    text += " from " + peer_text(call.peer);
  } else if (told(observe::kTellsRoot)) {
    text += formatted(" with root {}", call.peer);
  } else if (told(observe::kTellsTarget)) {
    text += " at " + peer_text(call.peer);
  }
  if (told(observe::kTellsTag) && call.tag != kAnyTag) text += formatted(" with tag {}", call.tag);
  if (told(observe::kTellsComm)) text += " on " + comm_text(segment, rank, call);
  return text;
}

std::string own_lines(const memory::JobSegment& segment, WorldRank rank, std::vector<LastCall> calls) {
  const std::size_t first = calls.size() > kShown ? calls.size() - kShown : 0;
  std::string text = formatted("  last calls of rank {}:\n", rank.value);
  for (std::size_t i = first; i < calls.size(); ++i) {
    const LastCall& call = calls[i];
    text += formatted("    {:>6}  {}{}\n", call.number, call_text(segment, rank, call),
                      call.has_returned ? "" : "  <- in it");
  }
  return text;
}

CallWords call_words(const memory::JobSegment& segment, WorldRank rank, const LastCall& call) {
  constexpr observe::Tells kOfRank = observe::kTellsDestination | observe::kTellsSource | observe::kTellsRoot |
                                     observe::kTellsTarget | observe::kTellsTag;
  return {call_text(segment, rank, call), call_text(segment, rank, call, kOfRank)};
}

/// Where the rank is, and its calls before.
CallTrail trail_of(const memory::JobSegment& segment, const memory::RankBlock& block) {
  const auto state = block.state.load(std::memory_order_relaxed);
  if (state == memory::RankState::kStarting) return {{"not yet in MPI", "not yet in MPI"}};
  std::vector<LastCall> calls = last_calls_of(block, kShownOfOthers);
  CallTrail trail;
  if (state == memory::RankState::kFinalized) trail.push_back({"through MPI_Finalize", "through MPI_Finalize"});
  if (state == memory::RankState::kDead) trail.push_back({"dead", "dead"});
  if (trail.empty() && calls.empty()) return {{"in no call since MPI_Init", "in no call since MPI_Init"}};
  for (std::size_t i = calls.size(); i > 0; --i) {
    CallWords words = call_words(segment, block.home_rank, calls[i - 1]);
    if (trail.empty()) {
      const std::string place = calls[i - 1].has_returned ? "outside MPI, after " : "in ";
      words = {place + words.text, place + words.brief};
    }
    trail.push_back(std::move(words));
  }
  return trail;
}

}  // namespace

FailureReport describe_last_calls(const memory::JobSegment& segment, LocalRank failed) {
  const memory::RankBlock& block = segment.rank(failed);
  const std::vector<LastCall> calls = last_calls_of(block, observe::LastCalls::kMost);
  if (calls.empty()) return {};
  return {own_lines(segment, block.home_rank, calls), rank_places(segment, failed)};
}

RankPlaces rank_places(const memory::JobSegment& segment, LocalRank but) {
  RankPlaces places;
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    const memory::RankBlock& block = segment.rank(LocalRank(rank));
    if (LocalRank(rank) != but && !block.home_rank.is_none())
      places.add(trail_of(segment, block), block.home_rank.value);
  }
  return places;
}

}  // namespace starling::launch
