// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Snapshot: what all ranks of a job do, as plain data: what two looks at their status cards tell. Whoever reads the
// cards makes it; the analysis needs nothing else, so tests write snapshots by hand.
// Thread safety: value types. Ranks are world ranks throughout, but for roots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/awaited.hpp"

namespace starling::observe {

inline constexpr std::uint32_t kWorldContext = 0;

/// What a rank does.
enum class Activity : std::uint8_t {
  kStarting,   ///< has not reached MPI_Init
  kOutside,    ///< runs its own code
  kActive,     ///< calls MPI and goes on
  kInside,     ///< is in an MPI call and does not wait
  kTesting,    ///< calls MPI_Test or its like again and again
  kWaiting,    ///< is in a long wait
  kFinalized,  ///< has come through MPI_Finalize
  kExited,     ///< its process has ended
  kStopped,    ///< somebody has stopped its process, as a debugger does
  kElsewhere,  ///< is on another host, which has not told of it
};

/// A collective call on a communicator.
struct CollectiveCall {
  std::string call;
  std::uint32_t context = kWorldContext;
  std::uint64_t sequence = 0;  ///< counts the collectives of the communicator, from 1
  std::int32_t root = -1;      ///< a rank of the communicator; negative: it has none
  std::uint64_t bytes = 0;
};

struct RankSnapshot {
  Activity activity = Activity::kOutside;
  std::string call;                     ///< the MPI function that it is in; empty outside
  std::optional<std::int64_t> time_ns;  ///< for how long, where that is known
  Wait wait;                            ///< of a rank that waits or tests
  /// Between the two looks it had received all that was sent to it and sent all that it had to, and that did not end
  /// its wait (status_card.hpp).
  bool quiet = false;
  std::optional<CollectiveCall> collective;  ///< the last that it has begun; none: it has begun none
  /// Those that it has begun before that, on whatever communicators, the latest first; as many as are known.
  std::vector<CollectiveCall> earlier_collectives;
  bool threaded = false;  ///< several threads may call MPI, and the card tells of one
  /// Another number in a later snapshot: the rank has done something meanwhile, as to make a call, to move something in
  /// a long wait, or to begin another wait. A row of tests that find nothing has one number.
  std::uint64_t steps = 0;
  std::uint32_t taken = 0;   ///< packets from ranks of other nodes that it has handled (observe/packet_counts.hpp)
  bool all_arrived = false;  ///< it had taken all that ranks of other nodes had given for it (rounds.hpp)
  std::string position;      ///< where its program is, "solver.cpp:88"; empty: not known
};

struct CommunicatorSnapshot {
  std::uint32_t context = kWorldContext;
  std::string name;                   ///< empty: it has none
  std::vector<std::int32_t> members;  ///< in order
  bool inter = false;                 ///< an intercommunicator; the members are those of both groups
  /// How many collectives each member has begun; nothing: not known.
  std::vector<std::optional<std::uint64_t>> begun;
};

struct Snapshot {
  std::vector<RankSnapshot> ranks;
  /// Several may have one context id, but then no member in common. MPI_COMM_WORLD need not be there.
  std::vector<CommunicatorSnapshot> communicators;
  /// By rank: packets that ranks of other nodes have given to the network for it, or want to. Empty: none.
  std::vector<std::uint32_t> given = {};
  bool one_node = true;         ///< else messages may be under way in a network (RankSnapshot::all_arrived)
  bool connected_jobs = false;  ///< processes of other jobs take part

  [[nodiscard]] const RankSnapshot& rank(std::int32_t number) const { return ranks[static_cast<std::size_t>(number)]; }
};

/// The communicator of this context that has the member; null: nothing is known of it.
[[nodiscard]] const CommunicatorSnapshot* find_communicator(const Snapshot& snapshot, std::uint32_t context,
                                                            std::int32_t member);

/// Its members, in order; empty where they are not known.
[[nodiscard]] std::vector<std::int32_t> members_of(const Snapshot& snapshot, std::uint32_t context,
                                                   std::int32_t member);

/// A rank that will do nothing for others any more.
[[nodiscard]] constexpr bool has_gone(Activity activity) noexcept {
  return activity == Activity::kFinalized || activity == Activity::kExited;
}

}  // namespace starling::observe
