// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CollectiveTable: the collectives around a moment of the timeline, each joined across its ranks by communicator and
// number: who began it last, and when.
// Thread safety: none. Memory: bounded; the oldest are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/log/trace_log.hpp"
#include "trace/model/call.hpp"

namespace starling::trace {

/// Which ranks a rank of a collective cannot end without.
enum class CollectiveShape : std::uint8_t {
  kAllToAll,  ///< all of them: MPI_Barrier, MPI_Allreduce, constructors
  kOneToAll,  ///< the root: MPI_Bcast, MPI_Scatter
  kAllToOne,  ///< the root without any: MPI_Reduce, MPI_Gather
  kPartial    ///< some: MPI_Scan, neighbourhood collectives
};
[[nodiscard]] CollectiveShape collective_shape(std::string_view function_name);

/// A collective, as far as its ranks have begun it.
struct Collective {
  std::uint64_t flow = 0;
  CollectiveShape shape = CollectiveShape::kAllToAll;
  std::int32_t size = 0;  ///< members; 0: not known
  std::int32_t begun = 0;
  std::int32_t last = kNoRank;  ///< began it last
  std::int64_t last_ns = 0;
  std::int32_t root = kNoRank;  ///< as a world rank
  std::int64_t root_ns = 0;
  bool root_begun = false;
};

class CollectiveTable {
 public:
  explicit CollectiveTable(const TraceLog& log);

  struct Begin {
    std::int32_t rank = 0;
    std::uint32_t context = 0;
    std::uint64_t number = 0;
    std::int32_t root = -1;  ///< as the communicator counts
    CollectiveShape shape = CollectiveShape::kAllToAll;
    std::int64_t at_ns = 0;
  };
  /// A rank has begun it.
  void begin(const Begin& begin);
  /// Null: nobody is known to have begun it.
  [[nodiscard]] const Collective* find(std::int32_t rank, std::uint32_t context, std::uint64_t number);

 private:
  struct Key {
    std::uint32_t context = 0;
    std::int32_t lowest = kNoRank;  ///< member; one context may have several communicators without a common member
    std::uint64_t number = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      const std::uint64_t one = std::uint64_t{key.context} << 32 | static_cast<std::uint32_t>(key.lowest);
      return static_cast<std::size_t>(one * 0x9E3779B97F4A7C15U ^ key.number * 0xC2B2AE3D27D4EB4FU);
    }
  };
  /// Null: not known.
  [[nodiscard]] const LoggedCommunicator* communicator(std::int32_t rank, std::uint32_t context);
  [[nodiscard]] Key key(std::int32_t rank, std::uint32_t context, std::uint64_t number);

  const TraceLog& log_;
  std::unordered_map<std::uint32_t, std::vector<const LoggedCommunicator*>> by_context_;
  std::unordered_map<Key, Collective, KeyHash> open_;
  std::deque<Key> order_;
  std::uint64_t flows_ = 0;
};

}  // namespace starling::trace
