// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/address_choice.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

bool begins_with(const SocketAddress& address, const char* subnet, std::int32_t bits) {
  return is_same_subnet(address, *SocketAddress::parse(subnet), bits);
}

bool is_link_local(const SocketAddress& address) {
  return begins_with(address, "169.254.0.0", 16) || begins_with(address, "fe80::", 10);
}

bool are_one(const HostNetwork& a, const HostNetwork& b) { return !a.machine.empty() && a.machine == b.machine; }

/// The same for all addresses of a subnet.
std::string subnet_of(const SocketAddress& address, std::int32_t bits) {
  std::string key(1, static_cast<char>(bits));
  for (const std::byte byte : address.host_bytes()) {
    const std::int32_t kept = std::clamp(bits, 0, 8);
    key.push_back(static_cast<char>(std::to_integer<int>(byte) & ~(0xff >> kept)));
    bits -= kept;
  }
  return key;
}

std::string whole(const SocketAddress& address) { return subnet_of(address, 128); }

/// Which hosts have each address.
class Owners {
 public:
  explicit Owners(std::span<const HostNetwork> hosts) {
    for (const HostNetwork& host : hosts) {
      for (const InterfaceAddress& each : host.addresses) hosts_[whole(each.address)].push_back(&host);
    }
  }
  /// Another machine that has the same address; null: none.
  [[nodiscard]] const HostNetwork* twin(const SocketAddress& address, const HostNetwork& own) const {
    for (const HostNetwork* const host : hosts_.at(whole(address))) {
      if (host != &own && !are_one(*host, own)) return host;
    }
    return nullptr;
  }

 private:
  std::unordered_map<std::string, std::vector<const HostNetwork*>> hosts_;
};

/// Why an address is not offered; empty: it is.
std::string objection(const InterfaceAddress& address, const HostNetwork& own, const Owners& owners,
                      const InterfaceFilter& filter) {
  if (!address.is_up) return "its interface is down";
  if (address.address.is_loopback()) return "it is a loopback address";
  if (is_link_local(address.address)) return "it is a link-local address";
  if (!filter.allows(address)) return formatted("STARLING_NET_INTERFACES={} leaves it out", filter.text());
  if (const HostNetwork* const twin = owners.twin(address.address, own))
    return formatted("host {} has the same address", twin->host);
  return "";
}

AddressChoice choose_for(const HostNetwork& own, const Owners& owners, const InterfaceFilter& filter) {
  AddressChoice choice;
  for (const InterfaceAddress& address : own.addresses) {
    std::string why = objection(address, own, owners, filter);
    why.empty() ? choice.offered.push_back(address) : choice.rejected.push_back({address, std::move(why)});
  }
  return choice;
}

AddressChoice choose_loopback(const HostNetwork& own) {
  AddressChoice choice;
  for (const InterfaceAddress& address : own.addresses) {
    if (address.address.is_loopback() && address.is_up) {
      choice.offered.push_back(address);
    } else {
      choice.rejected.push_back({address, "all hosts of the job are this machine, which reaches itself by loopback"});
    }
  }
  return choice;
}

/// How many hosts offer an address of each subnet.
std::unordered_map<std::string, int> count_neighbours(std::span<const AddressChoice> choices) {
  std::unordered_map<std::string, int> counts;
  for (const AddressChoice& choice : choices) {
    std::set<std::string> subnets;
    for (const InterfaceAddress& each : choice.offered) subnets.insert(subnet_of(each.address, each.prefix_bits));
    for (const std::string& subnet : subnets) ++counts[subnet];
  }
  return counts;
}

/// The subnet that most hosts share comes first, then the fastest interface, then IPv4, then the system's order.
void put_the_best_first(AddressChoice& choice, const std::unordered_map<std::string, int>& neighbours) {
  const auto merit = [&](const InterfaceAddress& each) {
    const int near = each.prefix_bits == 0 ? 0 : neighbours.at(subnet_of(each.address, each.prefix_bits));
    return std::tuple(near, each.megabits, each.address.family() == AF_INET);
  };
  std::ranges::stable_sort(choice.offered,
                           [&](const InterfaceAddress& a, const InterfaceAddress& b) { return merit(a) > merit(b); });
  while (choice.offered.size() > AddressChoice::kMost) {
    choice.rejected.push_back(
        {std::move(choice.offered.back()), formatted("{} others are better", AddressChoice::kMost)});
    choice.offered.pop_back();
  }
}

}  // namespace

bool are_one_machine(std::span<const HostNetwork> hosts) {
  return hosts.size() > 1 && std::ranges::all_of(hosts, [&](const HostNetwork& host) {
           return are_one(host, hosts.front()) && host.addresses == hosts.front().addresses;
         });
}

std::vector<AddressChoice> choose_addresses(std::span<const HostNetwork> hosts, const InterfaceFilter& filter) {
  std::vector<AddressChoice> choices;
  const bool is_one = are_one_machine(hosts);
  const Owners owners(hosts);
  for (const HostNetwork& host : hosts)
    choices.push_back(is_one ? choose_loopback(host) : choose_for(host, owners, filter));
  const auto neighbours = count_neighbours(choices);
  for (AddressChoice& choice : choices) put_the_best_first(choice, neighbours);
  return choices;
}

Status check_choices(std::span<const HostNetwork> hosts, std::span<const AddressChoice> choices) {
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!choices[i].offered.empty()) continue;
    std::string reasons;
    for (const AddressChoice::Rejected& rejected : choices[i].rejected)
      reasons += formatted("{}{}: {}", reasons.empty() ? "" : "; ", rejected.address.text(), rejected.why);
    return Status::error(
        ErrorClass::kOther,
        formatted("host {} has no address at which the ranks of other hosts can call its own ({}). Give it an address "
                  "in a network that the hosts share; STARLING_NET_INTERFACES must not leave that one out",
                  hosts[i].host, reasons.empty() ? "it has none at all" : reasons));
  }
  return {};
}

}  // namespace starling::transport::tcp
