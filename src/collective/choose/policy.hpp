// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Policy: how the ranks of a communicator run its collective calls: by which algorithms, whether they compare the calls
// first, and for which calls they keep account of who is late. The ranks of one communicator have the same, from
// settings of Scope::kAllAlike and a count of cores that all of them know.
// Thread safety: immutable after creation.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "collective/arguments/arguments.hpp"
#include "collective/choose/selector.hpp"
#include "config/config.hpp"

namespace starling::collective {

/// Whether a call may go around late ranks, or is only watched. For the table, and for an algorithm that was asked
/// for and needs it, every call is, else some calls will do.
enum class LateHandling : std::uint8_t { kOnlyWatch, kMayGoAround, kGoAroundAndWatchAll };

class Policy {
 public:
  /// cores: the same number on all ranks of its communicators. kArg when a setting names no algorithm or no choice; the
  /// message lists those there are.
  static Result<Policy> create(const config::Store& config, std::int32_t cores);

  [[nodiscard]] const Selector& selector() const noexcept { return selector_; }
  /// Whether ranks compare their calls before they run them.
  [[nodiscard]] bool verifies() const noexcept { return verifies_; }
  /// Whether who was late is printed at the end.
  [[nodiscard]] bool prints_late_table() const noexcept { return late_table_; }
  /// Whether ranks keep account of this call. bytes: its agreed_bytes(). Short calls are the most frequent ones.
  [[nodiscard]] bool tracks(const Arguments& arguments, std::int64_t bytes) const {
    return bytes >= late_least_bytes_ && tracks_long(arguments);
  }
  /// Whether a call of which they keep account may go around late ranks.
  [[nodiscard]] LateHandling late_handling_of(const Arguments& arguments) const;

 private:
  enum class Late : std::uint8_t { kOff, kExact, kAuto, kAny };

  explicit Policy(const Selector& selector) : selector_(selector) {}
  static Result<Late> parse_late(const std::string& word);
  [[nodiscard]] bool tracks_long(const Arguments& arguments) const;
  [[nodiscard]] bool may_go_around(const Arguments& arguments) const;

  Selector selector_;
  bool verifies_ = false;
  bool late_table_ = false;
  Late late_ = Late::kAuto;
  std::int64_t late_least_bytes_ = 0;
};

}  // namespace starling::collective
