// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Algorithm: the descriptor that stands beside the body of each collective algorithm: its name, what it needs and what
// it costs. The selector knows nothing else of it. Thread safety: constants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "collective/arguments/arguments.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/node/node_spread.hpp"
#include "tuning/constants.hpp"

namespace starling::collective {

/// What a choice may depend on: facts that every rank of the call knows and agrees on.
struct Shape {
  Operation operation = Operation::kBarrier;
  std::int32_t ranks = 1;      ///< between two groups those of both
  std::int32_t neighbors = 0;  ///< sources or destinations, whichever are more; ranks may differ in it
  std::int32_t nodes = 0;      ///< on which the ranks are, where they are on several and that is known, else 0
  /// Of the vector (bcast, reductions, scans) or of one rank's block (gather, scatter, allgather, alltoall, also among
  /// neighbours); of all blocks together where counts differ; 0 where ranks do not know each other's counts.
  std::int64_t bytes = 0;
  bool commutative = true;      ///< the operator
  bool dense = true;            ///< elements of a reduction lie side by side without gaps
  bool has_buffer = false;      ///< the communicator has shared memory for flags and small data
  bool has_segments = false;    ///< ... and for larger data
  std::int32_t node_ranks = 0;  ///< on several nodes: of the one that has the most
  std::int64_t segment_bytes = 0;
  bool in_place = false;  ///< known to all ranks: what each keeps for itself lies where it shall be
  tuning::Distance distance = tuning::Distance::kNear;  ///< how far apart the ranks may be
  bool inter = false;                                   ///< between the two groups of an intercommunicator
  /// The call before was such a one as well, from the same root, which may run ahead, or to it, whom others give ahead.
  bool root_stays = false;
  bool reproducible = false;  ///< only one order of reduction will do
  bool predicted = false;     ///< it is known when each rank is expected
  bool late = false;  ///< ranks are known to come at different times, so that most of the work may be done early
  LevelFacts levels = kOneLevel;
};

/// The machine as the cost lines see it (nanoseconds, bytes): what links cost at the distance of the call's ranks is
/// its own, and those of all distances are in `constants`, for algorithms that go in levels. Source of the form:
/// Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995; the turn is ours: with more ranks than cores every wait
/// costs a round of scheduling.
struct Machine : tuning::LinkCosts {
  /// Who copies a long message where many ranks share a core finds it in memory rather than in a cache, for others have
  /// run there since it was written: so many times as long a byte takes at most, and so much each further rank of a
  /// core adds from the third on. Measured on 2 cores (Zen 3), broadcast and allgather of 64 KiB to 1 MiB: 8 and 16
  /// ranks, while 4 show no difference.
  static constexpr double kMostCrowding = 1.7;
  static constexpr double kCrowdingOfRank = 0.35;

  /// A byte on the fastest link that a node is assumed to have, 200 Gb/s, also where none was measured.
  static constexpr double kFastestLinkByteNs = 0.04;

  Machine() = default;
  Machine(const tuning::Constants& all, tuning::Distance distance, std::int32_t usable_cores) noexcept
      : tuning::LinkCosts(all.at(distance)),
        own_byte_ns(all.own_byte_ns),
        reduce_byte_ns(all.reduce_byte_ns),
        turn_ns(all.turn_ns),
        cores(usable_cores),
        most_crowding(distance == tuning::Distance::kNetwork ? 1 : kMostCrowding),
        constants(all) {}

  double own_byte_ns = 0;     ///< each byte that a rank copies within its own memory
  double reduce_byte_ns = 0;  ///< gamma: each byte of a whole vector combined with another
  double turn_ns = 0;         ///< one switch between ranks that share a core
  std::int32_t cores = 1;     ///< cores that the job may use
  std::int32_t sharers = 1;   ///< ranks of a node whose messages share its link to others
  double most_crowding = 1;   ///< how many times as long a byte copied once takes where many ranks share a core
  tuning::Constants constants{};

  /// The same machine for ranks at another distance.
  [[nodiscard]] Machine at(tuning::Distance distance) const noexcept { return {constants, distance, cores}; }

  /// The same machine as ranks on several nodes see it: with the cores of all of them. nodes: 0 where that is not
  /// known.
  [[nodiscard]] Machine on_nodes(std::int32_t nodes) const noexcept {
    Machine seen = *this;
    if (nodes > 1) seen.cores *= nodes;
    return seen;
  }
  /// As those see it who have their node's link to themselves: one rank of each node, or neighbours in a ring.
  [[nodiscard]] Machine with_own_links() const noexcept {
    Machine seen = *this;
    seen.sharers = 1;
    return seen;
  }

  [[nodiscard]] double share(std::int32_t ranks) const noexcept {
    return ranks > cores ? static_cast<double>(ranks) / cores : 1.0;
  }
  /// The price of waiting for others once: nothing with a core for each, a turn of everybody else without.
  [[nodiscard]] double wait(std::int32_t ranks) const noexcept { return ranks > cores ? share(ranks) * turn_ns : 0.0; }
  /// What it costs more to fetch data from where they lie than to find them in the cache line that announces them, of a
  /// message as of a segment: two cache lines, and the less the shorter they are.
  [[nodiscard]] double fetch(double bytes) const noexcept {
    constexpr double kFetchedBytes = 256;
    return 2 * line_ns * std::min(1.0, bytes / kFetchedBytes);
  }
  /// What a link takes of each byte: what a byte takes more than between two nodes of one machine, which have none.
  [[nodiscard]] double link_byte_ns() const noexcept {
    const double without_link = tuning::default_constants().at(tuning::Distance::kNetwork).long_byte_ns;
    return std::max(0.0, std::min(byte_ns, long_byte_ns) - without_link);
  }
  /// A byte that is copied once, where so many ranks write what others copy.
  [[nodiscard]] double long_byte(std::int32_t writers) const noexcept {
    return long_byte_ns * std::clamp(1 + kCrowdingOfRank * (share(writers) - 2), 1.0, most_crowding);
  }
  /// Moving the bytes of one message, whichever way is cheaper.
  [[nodiscard]] double transfer(double bytes, std::int32_t writers = 1) const noexcept {
    return std::min(fetch(bytes) + bytes * byte_ns, long_ns + bytes * long_byte(writers));
  }
  /// One message that nobody else's messages compete with.
  [[nodiscard]] double message(double bytes) const noexcept { return message_ns + transfer(bytes); }
  // What a further message costs that is on its way at the same time as another: to a rank, from one, or both, for who
  // sends and receives one each; no more than if it followed the other.
  [[nodiscard]] double next_in() const noexcept { return std::min(next_ns, message_ns); }
  [[nodiscard]] double next_out() const noexcept { return std::min(send_ns, message_ns); }
  [[nodiscard]] double next_both() const noexcept { return std::min(next_ns + send_ns, message_ns); }
  /// So many messages of which `firsts` wait for those before them, and the others cost `next` each; bytes apart.
  [[nodiscard]] double starts(double next, double messages, double firsts = 1) const noexcept {
    return messages <= 0 ? 0 : firsts * message_ns + (messages - firsts) * next;
  }
  /// So many messages at once.
  [[nodiscard]] double row(double next, double messages, double bytes, std::int32_t writers = 1) const noexcept {
    return starts(next, messages) + messages * transfer(bytes, writers);
  }
  /// `steps` dependent messages of `bytes` each, all ranks taking part.
  [[nodiscard]] double messages(double steps, double bytes, std::int32_t ranks) const noexcept {
    return steps * ((message_ns + transfer(bytes, ranks)) * share(ranks) + wait(ranks));
  }
  /// The same where every rank sends and receives at once: both ends of a long message then copy, and the ranks of a
  /// node take turns on its link.
  [[nodiscard]] double exchanges(double steps, double bytes, std::int32_t ranks) const noexcept {
    return exchanges(steps, steps, bytes, ranks);
  }
  /// Where every rank sends and receives `messages` of them in so many steps.
  [[nodiscard]] double exchanges(double steps, double messages, double bytes, std::int32_t ranks) const noexcept {
    const double both = std::min(fetch(bytes) + bytes * byte_ns, 2 * (long_ns + bytes * long_byte(ranks)));
    const double others = messages * bytes * std::max(link_byte_ns(), kFastestLinkByteNs) * (sharers - 1);
    return (starts(next_both(), messages, steps) + messages * both) * share(ranks) + others + steps * wait(ranks);
  }
};

/// As the ranks of a ring see it: where those of a node follow each other, one of them sends to another node.
[[nodiscard]] inline Machine around_ring(const Shape& shape, const Machine& machine) noexcept {
  return (shape.levels & kInNodeOrder) != 0 ? machine.with_own_links() : machine;
}

/// What a rank keeps for itself it moves itself, once and within its own cache.
[[nodiscard]] inline double own_block_ns(const Shape& shape, const Machine& machine, double bytes) noexcept {
  return shape.in_place || shape.inter ? 0.0 : bytes * machine.own_byte_ns;
}

enum Needs : std::uint32_t {
  kNothing = 0,
  kCommutative = 1U << 0,  ///< the operator may be applied in any order
  kPowerOfTwo = 1U << 1,
  kDense = 1U << 2,
  kSharedBuffer = 1U << 3,  ///< shared memory for small data
  kSegments = 1U << 4,      ///< shared memory for larger data
  kInter = 1U << 5,         ///< two groups
  kAlsoInter = 1U << 6,     ///< takes two groups as well as one
  kPredicted = 1U << 7,     ///< when each rank is expected
  kByArrival = 1U << 8,     ///< its order of combining is that of arrival: picked only when ranks come late, or by name
  kLevels = 1U << 9,        ///< several nodes, one of them with several ranks
  kNodeOrder = 1U << 10,    ///< unless the operator commutes: the ranks of each node follow each other
  kEqualNodes = 1U << 11,   ///< as many ranks on each node
  kNodesInRow = 1U << 12,   ///< the ranks of each node follow each other, whatever the operator
  kBetweenNodes = 1U << 13,  ///< several nodes, however many ranks are on each
};

/// Whether a reduction's result depends on nothing but the contributions: one fixed order for any size and placement.
enum class Order : std::uint8_t { kAny, kRanks };

struct LevelPhases;
class NodeMemory;

/// What is left to do for a rank that neither sends nor receives in a call, where ranks know only their own part.
/// False, and nothing has been done, where that takes more than this: then run() does it.
using WithoutData = bool (*)(NodeMemory& memory, std::int32_t root);

/// The whole of a call on a rank that need not wait for anybody. False, and nothing has been done, where it would have
/// to, where the ranks do not agree, or where another call is under way: then run() does it.
using AtOnce = bool (*)(NodeMemory& memory, const Arguments& arguments);

struct Algorithm {
  Operation operation;
  const char* name;
  std::uint32_t needs;
  Order order;
  Task (*run)(Call&, const Arguments&);
  double (*cost)(const Shape&, const Machine&);
  const char* cost_text;                          ///< the cost line, for people
  bool (*fits)(const Shape&) = nullptr;           ///< a further condition
  LevelPhases (*phases)(const Shape&) = nullptr;  ///< of one that goes in levels
  WithoutData without_data = nullptr;             ///< null: run() as well
  AtOnce at_once = nullptr;                       ///< null: run() as well
};

/// Of those in which an empty block is no message.
[[nodiscard]] inline bool nothing_without_data(NodeMemory& /*memory*/, std::int32_t /*root*/) noexcept { return true; }

/// All algorithms, those of one operation side by side.
[[nodiscard]] std::span<const Algorithm* const> algorithms() noexcept;
/// Those of one operation.
[[nodiscard]] std::span<const Algorithm* const> algorithms(Operation operation) noexcept;

/// The cheapest that fits; every operation has one. machine: as the ranks of the call see it.
[[nodiscard]] const Algorithm& cheapest(const Shape& shape, const Machine& machine) noexcept;

/// Steps of a binary tree over the ranks.
[[nodiscard]] constexpr std::int32_t log2_ceil(std::int32_t ranks) noexcept {
  std::int32_t steps = 0;
  while ((std::int64_t{1} << steps) < ranks) ++steps;
  return steps;
}

}  // namespace starling::collective
