// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/interface_filter.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

STARLING_CONFIG(net_interfaces, "NET_INTERFACES", std::string, "all", kNetwork, kProcess,
                "Network interfaces between nodes: all, or names and subnets, as in eth0,10.1.0.0/16; after a ^ those "
                "that are not to be used, as in ^docker0.");

std::int32_t bits_of(const SocketAddress& address) {
  return static_cast<std::int32_t>(address.host_bytes().size() * 8);
}

}  // namespace

bool is_same_subnet(const SocketAddress& a, const SocketAddress& b, std::int32_t bits) noexcept {
  if (a.family() != b.family()) return false;
  const auto whole = static_cast<std::size_t>(bits / 8);
  const auto first = a.host_bytes();
  const auto second = b.host_bytes();
  if (!std::ranges::equal(first.first(whole), second.first(whole))) return false;
  if (bits % 8 == 0) return true;
  const int unequal = 8 - bits % 8;
  return (first[whole] >> unequal) == (second[whole] >> unequal);
}

Result<InterfaceFilter> InterfaceFilter::of(const config::Store& config) {
  Result<InterfaceFilter> filter = parse(config.get(net_interfaces));
  if (filter.ok()) return filter;
  return Status::error(ErrorClass::kArg, formatted("STARLING_NET_INTERFACES={} is not understood: {}",
                                                   config.get(net_interfaces), filter.status().message()));
}

Result<InterfaceFilter> InterfaceFilter::parse(std::string_view text) {
  InterfaceFilter filter;
  filter.text_ = text;
  if (text == "all") return filter;
  filter.excludes_ = text.starts_with('^');
  if (filter.excludes_) text.remove_prefix(1);
  while (true) {
    const std::size_t comma = text.find(',');
    STARLING_TRY(filter.add(text.substr(0, comma)));
    if (comma == std::string_view::npos) return filter;
    text.remove_prefix(comma + 1);
  }
}

Status InterfaceFilter::add(std::string_view word) {
  const std::size_t slash = word.find('/');
  std::optional<SocketAddress> address;
  if (word.find_first_of("[]") == std::string_view::npos) address = SocketAddress::parse(word.substr(0, slash));
  if (!address && slash == std::string_view::npos && !word.empty() && word.find('^') == std::string_view::npos) {
    interfaces_.emplace_back(word);
    return {};
  }
  std::int32_t bits = address ? bits_of(*address) : 0;
  bool is_number = address && address->port() == 0;
  if (is_number && slash != std::string_view::npos) {
    const std::string_view number = word.substr(slash + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bits);
    is_number = error == std::errc() && end == number.data() + number.size() && bits >= 0 && bits <= bits_of(*address);
  }
  if (!is_number) {
    return Status::error(ErrorClass::kArg,
                         formatted("'{}' is neither the name of an interface nor a subnet, as 10.1.0.0/16 is", word));
  }
  subnets_.push_back({*address, bits});
  return {};
}

bool InterfaceFilter::names(const InterfaceAddress& address) const {
  const auto has_it = [&](const Subnet& subnet) {
    return is_same_subnet(subnet.address, address.address, subnet.bits);
  };
  return std::ranges::find(interfaces_, address.interface) != interfaces_.end() ||
         std::ranges::any_of(subnets_, has_it);
}

bool InterfaceFilter::allows(const InterfaceAddress& address) const { return names(address) != excludes_; }

}  // namespace starling::transport::tcp
