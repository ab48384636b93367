// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/network/card_roster.hpp"

#include <optional>
#include <string>

#include "base/format.hpp"

namespace starling::world {
namespace {

using bootstrap::Entrance;
using transport::tcp::SocketAddress;

/// An address to which a port can be added.
bool can_have_port(std::string_view before_port) {
  const std::optional<SocketAddress> first = SocketAddress::parse(std::string(before_port) + '1');
  return before_port.ends_with(':') && first && first->port() == 1;
}

}  // namespace

Result<CardRoster> CardRoster::create(bootstrap::JobCardView card, const transport::tcp::Alike& alike,
                                      std::string_view settings) {
  for (std::size_t number = 0; number < card.addresses(); ++number) {
    if (can_have_port(card.address(number))) continue;
    return Status::error(ErrorClass::kOther,
                         formatted("'{}', at which a rank of another node should listen, is no address with a port",
                                   card.address(number)));
  }
  CardRoster roster(std::move(card));
  roster.job = roster.card_.job();
  roster.secret = roster.card_.secret();
  roster.alike = alike;
  roster.settings = settings;
  return roster;
}

std::vector<SocketAddress> CardRoster::addresses(WorldRank rank) const {
  std::vector<SocketAddress> found;
  for (const Entrance& entrance : card_.entrances_of(rank)) {
    if (const std::optional<SocketAddress> address = SocketAddress::parse(entrance.address)) found.push_back(*address);
  }
  return found;
}

}  // namespace starling::world
