// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Hints: what the info object of a file asks for, and what is done about it.
//
// Keys that the standard reserves for files are kept and reported; those that act here are in the table of docs/design/
// io.md. A value that makes no sense is left out, as the standard allows. Thread safety: value types.
// Source: MPI-5.0, chapter 14.2.8.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"

namespace starling::io {

using InfoPairs = std::vector<std::pair<std::string, std::string>>;

/// Whether a collective access goes through aggregators.
enum class Buffering : std::int32_t { kAutomatic, kAlways, kNever };

/// What all ranks of a file must agree on; rank 0's values hold.
struct CollectiveHints {
  std::int64_t buffer_bytes = 0;  ///< of each aggregator
  std::int32_t aggregators = 0;   ///< 0: as many as there are cores
  Buffering reads = Buffering::kAutomatic;
  Buffering writes = Buffering::kAutomatic;
};

class Hints {
 public:
  explicit Hints(const config::Store& config);

  /// Takes what is known of an info object's pairs.
  void take(const InfoPairs& pairs);

  /// What MPI_File_get_info reports.
  [[nodiscard]] InfoPairs pairs() const;
  [[nodiscard]] std::uint32_t permissions() const noexcept { return permissions_; }

  CollectiveHints collective;

 private:
  void take(const std::string& key, const std::string& value);
  void keep(const std::string& key, const std::string& value);

  InfoPairs kept_;
  std::uint32_t permissions_ = 0666;
};

}  // namespace starling::io
