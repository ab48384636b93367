// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FailureReport: what a node says of a rank that has failed, and where the other ranks of the job were then.
// Thread safety: values. What is parsed may be damaged.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace starling::launch {

struct CallWords {
  std::string text;   ///< "MPI_Send of 8 x MPI_BYTE to 3 with tag 7 on MPI_COMM_WORLD"
  std::string brief;  ///< the same without peers, roots and tags, in which ranks differ that do the same

  friend auto operator<=>(const CallWords&, const CallWords&) = default;
};

/// Where a rank is, "in MPI_Barrier on 'solver'", and what it had called before that, the latest first.
using CallTrail = std::vector<CallWords>;

/// The trails of ranks, each with those that have it.
class RankPlaces {
 public:
  void add(const CallTrail& trail, std::int32_t rank) { trails_[trail].push_back(rank); }
  /// Those of another node.
  void add(const RankPlaces& others);

  /// Whole lines, merged from the latest call on, by the lowest ranks; empty: none. Where there would be too many lines
  /// calls are told in brief, then fewer of them.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<RankPlaces> parse(std::string_view bytes);

 private:
  std::map<CallTrail, std::vector<std::int32_t>> trails_;
};

struct FailureReport {
  std::string lines;
  std::optional<RankPlaces> others;  ///< of the ranks of this node; none: nothing shall be said of others

  [[nodiscard]] std::string text() const { return lines + (others ? others->text() : std::string()); }

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<FailureReport> parse(std::string_view bytes);
};

}  // namespace starling::launch
