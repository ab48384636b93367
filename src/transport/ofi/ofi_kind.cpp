// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/ofi_kind.hpp"

#include "transport/ofi/ofi_transport.hpp"

namespace starling::transport::ofi {

std::optional<Address> reaches(const Surroundings& surroundings, WorldRank rank) {
  return is_wanted(surroundings.config) ? tcp::TcpTransport::reaches(surroundings, rank) : std::nullopt;
}

Result<std::unique_ptr<Transport>> create(const Surroundings& surroundings) {
  const Result<Settings> settings = settings_of(surroundings.config);
  if (!settings.ok()) return settings.status().copy();
  const tcp::Roster& roster = surroundings.networks.tcp->roster;
  auto fabric = Fabric::open(settings.value(), roster.addresses(surroundings.rank));
  if (!fabric.ok()) return std::move(fabric).status();
  auto tcp = tcp::TcpTransport::create(surroundings, {});  // the fabric's packets count
  if (!tcp.ok()) return std::move(tcp).status();
  auto made = OfiTransport::create(std::move(tcp).value(), std::move(fabric).value(), roster, settings.value(),
                                   surroundings.rank, peer_of(WorldRank(0)), surroundings.packet_counts());
  if (!made.ok()) return std::move(made).status();
  return std::unique_ptr<Transport>(std::move(made).value());
}

}  // namespace starling::transport::ofi
