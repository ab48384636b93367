// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ListedRoster: a roster of a small job whose ranks are threads of this process. Thread safety: as Roster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/tcp/roster.hpp"

namespace starling::transport::tcp {

class ListedRoster final : public Roster {
 public:
  [[nodiscard]] std::size_t size() const noexcept override { return ranks.size(); }
  [[nodiscard]] std::vector<SocketAddress> addresses(WorldRank rank) const override { return ranks[rank.index()]; }
  [[nodiscard]] std::string_view host(WorldRank rank) const noexcept override {
    return rank.index() < hosts.size() ? std::string_view(hosts[rank.index()]) : std::string_view();
  }

  std::vector<std::vector<SocketAddress>> ranks;  ///< the addresses of each world rank, the best first
  std::vector<std::string> hosts;                 ///< of each world rank; empty: not known
};

}  // namespace starling::transport::tcp
