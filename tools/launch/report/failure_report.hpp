// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FailureReport: what a node says of a rank that has failed, and where the other ranks of the job were then.
// Thread safety: values. What is parsed may be damaged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace starling::launch {

/// Places as "in MPI_Barrier on 'solver'", each with its ranks.
class RankPlaces {
 public:
  void add(const std::string& place, std::int32_t rank) { places_[place].push_back(rank); }
  /// Those of another node.
  void add(const RankPlaces& others);

  /// Whole lines, by the lowest rank of each place; empty: none.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<RankPlaces> parse(std::string_view bytes);

 private:
  std::map<std::string, std::vector<std::int32_t>> places_;
};

struct FailureReport {
  std::string lines;
  std::optional<RankPlaces> others;  ///< of the ranks of this node; none: nothing shall be said of others

  [[nodiscard]] std::string text() const { return lines + (others ? others->text() : std::string()); }

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<FailureReport> parse(std::string_view bytes);
};

}  // namespace starling::launch
