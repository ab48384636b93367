// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CardRoster: where the other ranks are, read from the job card when they are called. Thread safety: as Roster.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/nodes/job_card_view.hpp"
#include "transport/tcp/roster.hpp"

namespace starling::world {

class CardRoster final : public transport::tcp::Roster {
 public:
  /// kOther when the card has an entrance that no socket can have.
  static Result<CardRoster> create(bootstrap::JobCardView card, const transport::tcp::Alike& alike,
                                   std::string_view settings);

  [[nodiscard]] std::size_t size() const noexcept override { return card_.ranks(); }
  [[nodiscard]] std::vector<transport::tcp::SocketAddress> addresses(WorldRank rank) const override;
  [[nodiscard]] std::string_view host(WorldRank rank) const noexcept override { return card_.host_of(rank); }

 private:
  explicit CardRoster(bootstrap::JobCardView card) noexcept : card_(std::move(card)) {}

  bootstrap::JobCardView card_;
};

}  // namespace starling::world
