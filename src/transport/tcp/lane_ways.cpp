// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/lane_ways.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "transport/tcp/interface_filter.hpp"

namespace starling::transport::tcp {
namespace {

bool is_in(const SocketAddress& address, const InterfaceAddress& subnet) {
  return subnet.prefix_bits > 0 && address.family() == subnet.address.family() &&
         is_same_subnet(address, subnet.address, subnet.prefix_bits);
}

/// Interfaces whose link is taken.
class TakenInterfaces {
 public:
  explicit TakenInterfaces(std::span<const InterfaceAddress> own) noexcept : own_(own) {}

  void take(const std::string& interface) { names_.push_back(interface); }
  /// The system sends what is for a subnet over one interface, however many are in it.
  [[nodiscard]] bool lead_to(const SocketAddress& address) const {
    return std::ranges::any_of(own_, [&](const InterfaceAddress& each) { return has(each) && is_in(address, each); });
  }
  [[nodiscard]] bool has(const InterfaceAddress& each) const {
    return std::ranges::find(names_, each.interface) != names_.end();
  }

 private:
  std::span<const InterfaceAddress> own_;
  std::vector<std::string> names_;
};

}  // namespace

std::string LaneWay::text() const { return formatted("{} ({} to {})", interface, own.host(), peer.host()); }

std::vector<LaneWay> ways_beside(const SocketAddress& used, std::span<const InterfaceAddress> own,
                                 std::span<const SocketAddress> peers) {
  const auto first = std::ranges::find_if(
      own, [&](const InterfaceAddress& each) { return each.address.with_port(0) == used.with_port(0); });
  if (first == own.end()) return {};
  TakenInterfaces taken(own);
  taken.take(first->interface);
  std::vector<LaneWay> ways;
  for (const SocketAddress& peer : peers) {
    const auto at = std::ranges::find_if(own, [&](const InterfaceAddress& each) {
      return each.is_up && !taken.has(each) && is_in(peer, each) && !taken.lead_to(peer);
    });
    if (at == own.end()) continue;
    ways.push_back({at->interface, at->address.with_port(0), peer});
    taken.take(at->interface);
  }
  return ways;
}

}  // namespace starling::transport::tcp
