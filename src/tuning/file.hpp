// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The tuning file: the constants of a machine that `starling tune` has measured, as text that people can read and
// change. Lines "key = value" under "[section]"; '#' begins a remark:
//
//   format = 1
//   [machine]
//   cpu = "AMD EPYC"
//   cores = 2
//   host = "a"
//   measured = "2026-11-25T22:00:00Z"
//   [near]
//   line_ns = 180
//   ...
//   [all]
//   turn_ns = 2500
//   [hosts]
//   names = "a b c"
//   measured = "2026-11-27T10:00:00Z"
//   slowest = "a and c: 8 B in 40.0 us, 64 KiB in 600.0 us, 117 MB/s"
//   fastest = "a and b: ..."
//   [network]
//   message_ns = 40000
//   ...
//
// Sections of constants are those of Distance, and [all] for what does not depend on one. The node's and the network's
// are measured apart, and either may be missing. Thread safety: values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "tuning/constants.hpp"
#include "tuning/machine.hpp"

namespace starling::tuning {

/// Between which hosts the network was measured.
struct MeasuredHosts {
  std::vector<std::string> names;  ///< none: nobody has said, and the constants hold between any
  std::string measured_at;
  std::string slowest;  ///< the slowest pair, for people
  std::string fastest;

  friend bool operator==(const MeasuredHosts&, const MeasuredHosts&) = default;
};

struct File {
  static constexpr int kFormat = 1;

  Machine machine;          ///< without a processor where only the network was measured
  std::string measured_at;  ///< the machine
  std::string constants;    ///< as text (tuning/constants.hpp)
  MeasuredHosts hosts{};

  /// The words of `constants` that are of the network, and the others.
  [[nodiscard]] std::string of_network() const;
  [[nodiscard]] std::string of_node() const;

  [[nodiscard]] std::string text() const;
  /// kArg says in which line what is wrong, or which format it is where it is another one.
  static Result<File> parse(std::string_view text);
};

}  // namespace starling::tuning
