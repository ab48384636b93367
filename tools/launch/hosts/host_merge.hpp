// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HostMerge: hosts as they are named one after the other, some of them several times, become a list that has each once.
// Thread safety: a value; the list outlives it. Invariants: nobody else changes the list meanwhile.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

class HostMerge {
 public:
  /// Adds to what the list has.
  explicit HostMerge(std::vector<Host>& hosts);

  /// Adds a host. If its name is there already, its slots are added, one where no number was written.
  Status add(const Host& host);
  /// A host that was added, with the sum of its slots.
  [[nodiscard]] const Host& sum_of(const std::string& name) const { return hosts_[places_.at(name)]; }

 private:
  std::vector<Host>& hosts_;
  std::unordered_map<std::string, std::size_t> places_;  ///< by name
};

}  // namespace starling::launch
