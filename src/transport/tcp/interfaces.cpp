// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/interfaces.hpp"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "base/small_files.hpp"

namespace starling::transport::tcp {
namespace {

std::int32_t prefix_of(const sockaddr* netmask) {
  const std::optional<SocketAddress> mask = SocketAddress::of(netmask);
  if (!mask) return 0;
  std::int32_t bits = 0;
  for (const std::byte byte : mask->host_bytes()) bits += std::popcount(std::to_integer<unsigned>(byte));
  return bits;
}

ifreq request_about(const char* interface) noexcept {
  ifreq request{};
  std::strncpy(request.ifr_name, interface, sizeof request.ifr_name - 1);
  return request;
}

bool ask(ifreq& request, unsigned long what) noexcept {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return socket.valid() && ioctl(socket.get(), what, &request) == 0;
}

bool says_up(unsigned int flags) noexcept { return (flags & IFF_UP) != 0 && (flags & IFF_RUNNING) != 0; }

/// By the system call: /sys may show the interfaces of another network namespace. It may take milliseconds while the
/// system's network is being changed.
std::int32_t ask_megabits(const char* interface) {
  ethtool_cmd settings{};
  settings.cmd = ETHTOOL_GSET;
  ifreq request = request_about(interface);
  request.ifr_data = reinterpret_cast<char*>(&settings);
  if (!ask(request, SIOCETHTOOL)) return 0;
  const std::uint32_t speed = ethtool_cmd_speed(&settings);
  return speed > INT32_MAX ? 0 : static_cast<std::int32_t>(speed);  // SPEED_UNKNOWN has all bits
}

/// Processes on two machines, or in two network namespaces of one, find different texts. The name of the host as well:
/// copies of a virtual machine begin with the same numbers.
std::string own_machine() {
  char network[64] = "";
  char name[256] = "";
  const std::string boot = read_small_file("/proc/sys/kernel/random/boot_id");
  const bool has_name = gethostname(name, sizeof name - 1) == 0;
  if (boot.empty() || !has_name || readlink("/proc/self/ns/net", network, sizeof network - 1) <= 0) return "";
  return formatted("{} {} {}", boot.substr(0, boot.find('\n')), network, name);
}

InterfaceAddress get_address(ByteReader& in) {
  InterfaceAddress got;
  got.interface = in.get_text();
  got.address = in.get<SocketAddress>();
  got.prefix_bits = in.get<std::int32_t>();
  got.megabits = in.get<std::int32_t>();
  got.is_up = in.get<std::uint8_t>() != 0;
  return got;
}

void put_address(ByteWriter& out, const InterfaceAddress& address) {
  out.put_text(address.interface).put(address.address).put(address.prefix_bits).put(address.megabits);
  out.put(static_cast<std::uint8_t>(address.is_up ? 1 : 0));
}

using Interfaces = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

/// Of interfaces, each of which is asked for once: one has several addresses.
class Speeds {
 public:
  std::int32_t megabits_of(const std::string& interface) {
    const auto [known, is_new] = megabits_.try_emplace(interface);
    if (is_new) known->second = ask_megabits(interface.c_str());
    return known->second;
  }

 private:
  std::map<std::string, std::int32_t> megabits_;
};

Interfaces list_interfaces() {
  ifaddrs* first = nullptr;
  const bool listed = getifaddrs(&first) == 0;
  return {listed ? first : nullptr, &freeifaddrs};
}

}  // namespace

std::string InterfaceAddress::text() const { return formatted("{} ({})", address.host(), interface); }

std::string NamedInterface::text() const { return formatted("{} ({})", name, addresses); }

std::vector<NamedInterface> interfaces_of(std::span<const InterfaceAddress> addresses) {
  std::vector<NamedInterface> interfaces;
  for (const InterfaceAddress& each : addresses) {
    const auto known = std::ranges::find(interfaces, each.interface, &NamedInterface::name);
    if (known == interfaces.end()) {
      interfaces.push_back({each.interface, each.address.host()});
    } else {
      known->addresses += ", " + each.address.host();
    }
  }
  return interfaces;
}

void HostNetwork::put(ByteWriter& out) const { out.put_text(host).put_text(machine).put_list(addresses, put_address); }

HostNetwork HostNetwork::get(ByteReader& in) {
  HostNetwork got;
  got.host = in.get_text();
  got.machine = in.get_text();
  got.addresses = in.get_list<InterfaceAddress>(get_address);
  return got;
}

Result<HostNetwork> own_network(std::string host) {
  const Interfaces interfaces = list_interfaces();
  if (!interfaces) {
    return Status::error(ErrorClass::kOther,
                         formatted("the system does not list its network interfaces: {}", std::strerror(errno)));
  }
  Speeds speeds;
  HostNetwork own{std::move(host), own_machine(), {}};
  for (const ifaddrs* each = interfaces.get(); each != nullptr; each = each->ifa_next) {
    const std::optional<SocketAddress> address = SocketAddress::of(each->ifa_addr);
    if (!address) continue;
    own.addresses.push_back({each->ifa_name, address->with_port(0), prefix_of(each->ifa_netmask),
                             speeds.megabits_of(each->ifa_name), says_up(each->ifa_flags)});
  }
  return own;
}

std::string interface_of(const SocketAddress& address) {
  const Interfaces interfaces = list_interfaces();
  for (const ifaddrs* each = interfaces.get(); each != nullptr; each = each->ifa_next) {
    const std::optional<SocketAddress> own = SocketAddress::of(each->ifa_addr);
    if (own && own->with_port(0) == address.with_port(0)) return each->ifa_name;
  }
  return "";
}

bool is_interface_up(const std::string& interface) {
  ifreq request = request_about(interface.c_str());
  return ask(request, SIOCGIFFLAGS) && says_up(static_cast<unsigned short>(request.ifr_flags));
}

}  // namespace starling::transport::tcp
