// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Situation: a Snapshot that a test writes down rank by rank.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "observe/model/snapshot.hpp"

namespace starling::observe::test {

constexpr std::int64_t kSecond = 1'000'000'000;

class Situation {
 public:
  explicit Situation(std::size_t ranks) { snapshot_.ranks.resize(ranks); }

  RankSnapshot& waits(std::int32_t rank, const char* call, WaitKind kind, std::initializer_list<Awaited> awaited) {
    RankSnapshot& each = set(rank, Activity::kWaiting, call);
    each.wait = Wait(kind);
    for (const Awaited& one : awaited) each.wait.add(one);
    each.quiet = true;
    return each;
  }
  RankSnapshot& receives(std::int32_t rank, std::int32_t source, std::int32_t tag, std::uint32_t context = 0) {
    return waits(rank, "MPI_Recv", WaitKind::kOne, {message(source, tag, context)});
  }
  RankSnapshot& sends(std::int32_t rank, std::int32_t destination, std::int32_t tag) {
    Awaited sent = message(destination, tag);
    sent.as = AwaitedAs::kSend;
    return waits(rank, "MPI_Send", WaitKind::kOne, {sent});
  }
  /// In the collective that is the sequence-th of the communicator.
  RankSnapshot& in_collective(std::int32_t rank, const char* call, std::uint64_t sequence, std::uint32_t context = 0,
                              std::int32_t root = -1, std::uint64_t bytes = 0) {
    RankSnapshot& each = waits(rank, call, WaitKind::kCollective, {});
    each.collective = CollectiveCall{call, context, sequence, root, bytes};
    return each;
  }
  RankSnapshot& set(std::int32_t rank, Activity activity, const char* call = "") {
    RankSnapshot& each = snapshot_.ranks[static_cast<std::size_t>(rank)];
    each.activity = activity;
    each.call = call;
    return each;
  }
  void communicator(std::uint32_t context, const char* name, std::vector<std::int32_t> members) {
    CommunicatorSnapshot added;
    added.context = context;
    added.name = name;
    added.members = std::move(members);
    snapshot_.communicators.push_back(std::move(added));
  }

  static Awaited message(std::int32_t peer, std::int32_t tag, std::uint32_t context = 0) {
    Awaited awaited;
    if (peer >= 0) awaited.peer = PeerId(peer);
    awaited.tag = tag;
    awaited.context_id = context;
    awaited.as = AwaitedAs::kReceive;
    return awaited;
  }

  [[nodiscard]] Snapshot& snapshot() noexcept { return snapshot_; }

 private:
  Snapshot snapshot_;
};

}  // namespace starling::observe::test
