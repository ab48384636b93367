// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/network/network_hooks.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "transport/tcp/address_choice.hpp"
#include "transport/tcp/entrances.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::world {
namespace {

using bootstrap::Entrance;
using bootstrap::JobCard;
using bootstrap::OpenEntrances;
using transport::tcp::AddressChoice;
using transport::tcp::HostNetwork;
using transport::tcp::InterfaceAddress;
using transport::tcp::InterfaceFilter;
using transport::tcp::SocketAddress;

/// What this host could offer, and loopback, for all hosts may turn out to be this machine.
std::vector<InterfaceAddress> candidates(HostNetwork own, const InterfaceFilter& filter) {
  std::vector<InterfaceAddress> found = choose_addresses({&own, 1}, filter).front().offered;
  own.machine = "this one";
  const HostNetwork twice[] = {own, own};
  const std::vector<InterfaceAddress> loopback = choose_addresses(twice, filter).front().offered;
  found.insert(found.end(), loopback.begin(), loopback.end());
  return found;
}

Result<OpenEntrances> open_all(const config::Store& config) {
  const Result<InterfaceFilter> filter = InterfaceFilter::of(config);
  if (!filter.ok()) return filter.status().copy();
  const Result<transport::tcp::PortRange> ports = transport::tcp::ports_of(config);
  if (!ports.ok()) return ports.status().copy();
  Result<HostNetwork> own = transport::tcp::own_network("");
  if (!own.ok()) return std::move(own).status();
  auto opened = open_entrances(candidates(std::move(own).value(), filter.value()), ports.value());
  if (!opened.ok()) return std::move(opened).status();
  OpenEntrances entrances;
  for (transport::tcp::OpenEntrance& each : opened.value()) {
    entrances.entrances.push_back({std::move(each.address), std::move(each.interface)});
    entrances.listeners.push_back(each.listener.release());
  }
  return entrances;
}

std::optional<SocketAddress> host_of(const Entrance& entrance) {
  const std::optional<SocketAddress> address = SocketAddress::parse(entrance.address);
  return address ? std::optional(address->with_port(0)) : std::nullopt;
}

/// As its first rank has found it. Hosts of one name that have all addresses in common are one machine.
HostNetwork network_of(const JobCard::Node& node, const std::vector<Entrance>& entrances) {
  HostNetwork network{node.host, node.host, {}};
  for (const Entrance& entrance : entrances) {
    const std::optional<SocketAddress> address = host_of(entrance);
    if (!address) continue;
    network.addresses.push_back({entrance.interface, *address});
    network.machine += ' ' + address->host();
  }
  return network;
}

/// Those at the addresses that are offered, in their order.
std::vector<Entrance> entrances_at(const std::vector<InterfaceAddress>& offered, const std::vector<Entrance>& all) {
  std::vector<Entrance> chosen;
  for (const InterfaceAddress& each : offered) {
    std::ranges::copy_if(all, std::back_inserter(chosen),
                         [&](const Entrance& entrance) { return host_of(entrance) == each.address; });
  }
  return chosen;
}

Status choose(JobCard& card) {
  std::vector<HostNetwork> hosts;
  for (const JobCard::Node& node : card.nodes)
    hosts.push_back(network_of(node, card.entrances[node.ranks.front().index()]));
  const std::vector<AddressChoice> choices = choose_addresses(hosts, {});
  STARLING_TRY(check_choices(hosts, choices));
  for (std::size_t node = 0; node < card.nodes.size(); ++node) {
    for (const WorldRank rank : card.nodes[node].ranks) {
      std::vector<Entrance>& entrances = card.entrances[rank.index()];
      entrances = entrances_at(choices[node].offered, entrances);
    }
  }
  return {};
}

}  // namespace

bootstrap::NetworkHooks network_hooks(const config::Store& config) {
  return {[&config] { return open_all(config); }, choose};
}

}  // namespace starling::world
