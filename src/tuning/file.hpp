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
//
// Sections of constants are those of Distance, and [all] for what does not depend on one. Thread safety: values.
#pragma once

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "tuning/constants.hpp"
#include "tuning/machine.hpp"

namespace starling::tuning {

struct File {
  static constexpr int kFormat = 1;

  Machine machine;
  std::string measured_at;
  std::string constants;  ///< as text (tuning/constants.hpp)

  [[nodiscard]] std::string text() const;
  /// kArg says in which line what is wrong, or which format it is where it is another one.
  static Result<File> parse(std::string_view text);
};

}  // namespace starling::tuning
