// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling explain net: at which addresses ranks of other hosts would call those of this one, why not at the others,
// and how connections are made. Exit status 1 when no job could span this host and another.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "config/config.hpp"
#include "transport/tcp/address_choice.hpp"
#include "transport/tcp/entrances.hpp"
#include "transport/tcp/interface_filter.hpp"
#include "transport/tcp/lane_ways.hpp"
#include "transport/tcp/proofs.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::tools {
namespace {

using transport::tcp::AddressChoice;
using transport::tcp::HostNetwork;
using transport::tcp::InterfaceAddress;
using transport::tcp::InterfaceFilter;
using transport::tcp::PortRange;
using transport::tcp::Settings;
using transport::tcp::SocketAddress;

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

std::string own_host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "this host";
}

void print_addresses(const AddressChoice& choice) {
  print("offered to the ranks of other hosts, the best first:\n");
  for (const InterfaceAddress& each : choice.offered) {
    const std::string speed = each.megabits > 0 ? formatted(", {} Mbit/s", each.megabits) : "";
    print(formatted("  {}/{} ({}{})\n", each.address.host(), each.prefix_bits, each.interface, speed));
  }
  if (choice.offered.empty()) print("  none\n");
  print(
      "    A job also leaves out what two of its hosts report, as the addresses of bridges, and prefers the subnets\n"
      "    that most of them share. Callers try all; the first at which the right rank answers is kept.\n"
      "not offered:\n");
  for (const AddressChoice::Rejected& each : choice.rejected)
    print(formatted("  {}: {}\n", each.address.text(), each.why));
}

/// How long messages use several networks, and over which links they would go to a host with these addresses.
void print_links(const AddressChoice& choice, const Settings& settings, const std::vector<SocketAddress>& peers) {
  if (settings.stripe_from <= 0) return print("links: one for each pair of ranks (STARLING_NET_STRIPE_FROM=0)\n");
  print(
      formatted("links: messages of {} bytes and more (STARLING_NET_STRIPE_FROM) take all networks in which both hosts "
                "are,\n  each as much as it carries; all others take one\n",
                settings.stripe_from));
  if (peers.empty())
    return print("  which they are to another host: starling explain net ADDRESS... with its addresses\n");
  const auto first = std::ranges::find_if(choice.offered, [&](const InterfaceAddress& each) {
    return each.prefix_bits > 0 && std::ranges::any_of(peers, [&](const SocketAddress& peer) {
             return peer.family() == each.address.family() &&
                    transport::tcp::is_same_subnet(peer, each.address, each.prefix_bits);
           });
  });
  if (first == choice.offered.end()) return print("  to these addresses: one, for no network has both hosts\n");
  print(formatted("  to these addresses: {} first, as it is the best", first->text()));
  for (const transport::tcp::LaneWay& way : ways_beside(first->address, choice.offered, peers))
    print(formatted("; {}", way.text()));
  print("\n");
}

std::string port_words(PortRange ports) {
  if (ports.is_any())
    return "any that is free; STARLING_NET_PORTS=first-last keeps to those that a firewall lets through";
  return formatted("{} to {} (STARLING_NET_PORTS), {} for each address of the host", ports.first, ports.last,
                   ports.last - ports.first + 1);
}

std::string congestion_words(const Settings& settings, const std::string& asked) {
  const std::string system = transport::tcp::system_congestion();
  if (settings.congestion.empty() && asked == "auto" && system.starts_with("bbr"))
    return formatted("{}, the system's: it holds long messages back, but neither cubic nor reno is allowed here",
                     system);
  if (settings.congestion.empty()) return formatted("{}, the system's", system);
  if (asked == "auto")
    return formatted("{}, in place of the system's {}, which holds long messages back", settings.congestion, system);
  return formatted("{} (STARLING_NET_CONGESTION); the system's is {}", settings.congestion, system);
}

/// The ranks of several hosts prove to each other that they are of one job.
bool print_proofs() {
  const auto proofs = transport::tcp::Proofs::load();
  print(formatted("proof of the job's secret: {}\n",
                  proofs.ok() ? "HMAC-SHA256 by libcrypto, which is installed" : proofs.status().message()));
  print("packets: neither encrypted nor authenticated\n");
  return proofs.ok();
}

Result<bool> explain_net(const std::vector<std::string>& peers) {
  config::Store config;
  std::vector<std::string> warnings;
  STARLING_TRY(config.read_environment(&warnings));
  for (const std::string& warning : warnings) std::fprintf(stderr, "starling: %s\n", warning.c_str());
  const Result<InterfaceFilter> filter = InterfaceFilter::of(config);
  if (!filter.ok()) return filter.status().copy();
  const Result<PortRange> ports = transport::tcp::ports_of(config);
  if (!ports.ok()) return ports.status().copy();
  const Result<Settings> settings = transport::tcp::settings_of(config);
  if (!settings.ok()) return settings.status().copy();
  const Result<HostNetwork> own = transport::tcp::own_network(own_host_name());
  if (!own.ok()) return own.status().copy();

  std::vector<SocketAddress> addresses;
  for (const std::string& text : peers) {
    const std::optional<SocketAddress> address = SocketAddress::parse(text);
    if (!address) return Status::error(ErrorClass::kArg, formatted("'{}' is no address, as 10.0.0.2 or fd00::2", text));
    addresses.push_back(*address);
  }

  const AddressChoice choice = choose_addresses({&own.value(), 1}, filter.value()).front();
  print(formatted("addresses of {} (STARLING_NET_INTERFACES={})\n", own.value().host, filter.value().text()));
  print_addresses(choice);
  print_links(choice, settings.value(), addresses);
  print(formatted("ports: {}\n", port_words(ports.value())));
  bool can_listen = !choice.offered.empty();
  if (can_listen) {
    const auto opened = open_entrances(choice.offered, ports.value());
    can_listen = opened.ok();
    if (!can_listen) print(formatted("  {}\n", opened.status().message()));
  }
  const std::string asked = config.text(*config::find("NET_CONGESTION"));
  print(formatted("congestion control: {}\n", congestion_words(settings.value(), asked)));
  return print_proofs() && can_listen;
}

}  // namespace

int explain_command(Arguments arguments) {
  CLI::App app("Says what Starling would do here, and why.", "starling explain");
  CLI::App* const net = app.add_subcommand("net", "how the ranks of this host and those of others would connect");
  std::vector<std::string> peers;
  net->add_option("address", peers, "of another host: the links to it are listed");
  app.require_subcommand(1);
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  const Result<bool> explained = explain_net(peers);
  if (explained.ok()) return explained.value() ? 0 : 1;
  std::fprintf(stderr, "starling explain net: %s\n", explained.status().message().c_str());
  return 1;
}

}  // namespace starling::tools
