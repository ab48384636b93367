// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/collective_check.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace starling::observe {
namespace {

/// How many collectives of a communicator a member has begun; nothing: not known. The last that it has begun says so,
/// unless that was on another communicator.
std::optional<std::uint64_t> begun_by(const Snapshot& snapshot, const CommunicatorSnapshot* communicator,
                                      std::size_t place, std::int32_t member, std::uint32_t context) {
  if (communicator != nullptr && place < communicator->begun.size()) return communicator->begun[place];
  if (snapshot.rank(member).activity == Activity::kElsewhere) return std::nullopt;
  const std::optional<CollectiveCall>& last = snapshot.rank(member).collective;
  if (!last) return 0;
  return last->context == context ? std::optional(last->sequence) : std::nullopt;
}

/// Whether all members name the same number of bytes in this call.
bool has_equal_bytes(std::string_view call) {
  constexpr std::string_view kCalls[] = {"MPI_Bcast",  "MPI_Reduce",  "MPI_Allreduce",  "MPI_Scan",  "MPI_Exscan",
                                         "MPI_Ibcast", "MPI_Ireduce", "MPI_Iallreduce", "MPI_Iscan", "MPI_Iexscan"};
  return std::ranges::find(kCalls, call) != std::end(kCalls);
}

/// How a rank has called the collective that is looked at.
struct CallOfRank {
  std::int32_t rank = 0;
  const CollectiveCall* call = nullptr;
};

template <typename Equal>
std::vector<CallGroup> group(const std::vector<CallOfRank>& calls, Equal equal) {
  std::vector<CallGroup> groups;
  for (const CallOfRank& of_rank : calls) {
    const CollectiveCall& call = *of_rank.call;
    auto found = std::ranges::find_if(groups, [&](const CallGroup& each) { return equal(each, call); });
    if (found == groups.end()) found = groups.insert(found, {call.call, call.root, call.bytes, {}});
    found->ranks.push_back(of_rank.rank);
  }
  return groups;
}

/// The collectives of a rank that are known, the one begun last first.
template <typename Take>
void each_collective(const RankSnapshot& rank, Take take) {
  if (rank.collective) take(*rank.collective);
  for (const CollectiveCall& earlier : rank.earlier_collectives) take(earlier);
}

std::optional<Mismatch> compare(const Snapshot& snapshot, const CollectiveKey& key,
                                const std::vector<CallOfRank>& calls) {
  using What = Mismatch::What;
  const auto same_call = [](const CallGroup& group, const CollectiveCall& call) { return group.call == call.call; };
  const auto same_root = [](const CallGroup& group, const CollectiveCall& call) { return group.root == call.root; };
  const auto same_bytes = [](const CallGroup& group, const CollectiveCall& call) { return group.bytes == call.bytes; };
  auto groups = group(calls, same_call);
  // Each rank may start its persistent collectives in an order of its own.
  const auto is_persistent = [](const CallGroup& each) { return each.call.ends_with("_init"); };
  if (std::ranges::any_of(groups, is_persistent)) return std::nullopt;
  if (groups.size() > 1) return Mismatch{What::kCall, key, std::move(groups)};
  const CommunicatorSnapshot* const found = find_communicator(snapshot, key.context, key.first_member);
  if (found != nullptr && found->inter) return std::nullopt;  // there the root's group names it otherwise
  groups = group(calls, same_root);
  if (groups.size() > 1) return Mismatch{What::kRoot, key, std::move(groups)};
  if (!has_equal_bytes(groups.front().call)) return std::nullopt;
  groups = group(calls, same_bytes);
  if (groups.size() > 1) return Mismatch{What::kBytes, key, std::move(groups)};
  return std::nullopt;
}

}  // namespace

CollectiveKey key_of(const Snapshot& snapshot, std::int32_t rank, std::uint32_t context, std::uint64_t sequence) {
  const CommunicatorSnapshot* const found = find_communicator(snapshot, context, rank);
  // Of a communicator of which nothing is known, nobody else is known to be a member.
  const std::int32_t alone = context == kWorldContext ? 0 : rank;
  return {context, found != nullptr ? found->members.front() : alone, sequence};
}

std::optional<CollectiveKey> awaited_collective(const Snapshot& snapshot, std::int32_t rank) {
  const RankSnapshot& each = snapshot.rank(rank);
  if (each.wait.kind() == WaitKind::kFinalize) return std::nullopt;  // its barrier is the library's own
  for (const Awaited& awaited : each.wait.awaited()) {
    if (awaited.as == AwaitedAs::kCollective && awaited.tag >= 0)
      return key_of(snapshot, rank, awaited.context_id, static_cast<std::uint64_t>(awaited.tag));
  }
  if (each.wait.kind() != WaitKind::kCollective || !each.collective) return std::nullopt;
  return key_of(snapshot, rank, each.collective->context, each.collective->sequence);
}

std::vector<std::int32_t> missing_members(const Snapshot& snapshot, const CollectiveKey& key) {
  const CommunicatorSnapshot* const communicator = find_communicator(snapshot, key.context, key.first_member);
  const std::vector<std::int32_t> members = members_of(snapshot, key.context, key.first_member);
  std::vector<std::int32_t> missing;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto begun = begun_by(snapshot, communicator, i, members[i], key.context);
    if (begun && *begun < key.sequence) missing.push_back(members[i]);
  }
  return missing;
}

std::string call_of(const Snapshot& snapshot, const CollectiveKey& key) {
  for (std::size_t rank = 0; rank < snapshot.ranks.size(); ++rank) {
    std::string name;
    each_collective(snapshot.ranks[rank], [&](const CollectiveCall& call) {
      if (call.context != key.context || call.sequence != key.sequence) return;
      if (key_of(snapshot, static_cast<std::int32_t>(rank), call.context, call.sequence) == key) name = call.call;
    });
    if (!name.empty()) return name;
  }
  return {};
}

std::vector<Mismatch> find_mismatches(const Snapshot& snapshot) {
  std::map<CollectiveKey, std::vector<CallOfRank>> calls;  // of those in which somebody waits
  for (std::size_t i = 0; i < snapshot.ranks.size(); ++i) {
    if (snapshot.ranks[i].activity != Activity::kWaiting) continue;
    if (const auto key = awaited_collective(snapshot, static_cast<std::int32_t>(i))) calls.try_emplace(*key);
  }
  for (std::size_t i = 0; i < snapshot.ranks.size() && !calls.empty(); ++i) {
    const auto rank = static_cast<std::int32_t>(i);
    each_collective(snapshot.ranks[i], [&](const CollectiveCall& call) {
      const auto found = calls.find(key_of(snapshot, rank, call.context, call.sequence));
      if (found != calls.end()) found->second.push_back({rank, &call});
    });
  }
  std::vector<Mismatch> mismatches;
  for (const auto& [key, of_key] : calls) {
    if (of_key.size() < 2) continue;
    if (std::optional<Mismatch> found = compare(snapshot, key, of_key)) mismatches.push_back(std::move(*found));
  }
  return mismatches;
}

}  // namespace starling::observe
