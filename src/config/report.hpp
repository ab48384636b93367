// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Report: something that a component can say of itself on the command line. It is declared beside what it tells and
// found by its name, so that `starling info` prints it without knowing the component.
// Thread safety: declarations are immutable after static initialisation.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "config/config.hpp"

namespace starling::config {

class Report {
 public:
  /// The text for these words of the command line, or what is wrong with them.
  using Write = Result<std::string> (*)(const Store& config, std::span<const std::string> words);

  Report(const char* name, Write writer);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] Result<std::string> write(const Store& config, std::span<const std::string> words) const {
    return write_(config, words);
  }

 private:
  const char* name_;
  Write write_;
};

/// Null when no component of this program has declared it.
[[nodiscard]] const Report* find_report(std::string_view name);

}  // namespace starling::config
