// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "connection_view.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>

namespace starling::check_hosts {
namespace {

std::string address_text(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const void* bytes = address.ss_family == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr)
                          : &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return inet_ntop(address.ss_family, bytes, text, sizeof text) != nullptr ? text : "";
}

bool is_connection(int descriptor) {
  sockaddr_storage peer{};
  socklen_t bytes = sizeof peer;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &bytes) != 0) return false;
  return peer.ss_family == AF_INET || peer.ss_family == AF_INET6;
}

std::string interface_with(const std::string& address) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  std::string name;
  for (const ifaddrs* entry = first; entry != nullptr && name.empty(); entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    sockaddr_storage own{};
    std::memcpy(&own, entry->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    if (address_text(own) == address) name = entry->ifa_name;
  }
  freeifaddrs(first);
  return name;
}

std::uint32_t mtu_of(int socket, const std::string& interface) {
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  return ioctl(socket, SIOCGIFMTU, &request) == 0 ? static_cast<std::uint32_t>(request.ifr_mtu) : 0;
}

std::uint32_t received_segments(int socket) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes);
  return info.tcpi_segs_in;
}

ConnectionView view_of(int socket) {
  ConnectionView view;
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) == 0) view.own_address = address_text(address);
  bytes = sizeof address;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &bytes) == 0)
    view.peer_address = address_text(address);
  view.interface = interface_with(view.own_address);
  if (!view.interface.empty()) view.interface_mtu = mtu_of(socket, view.interface);
  return view;
}

}  // namespace

std::set<int> tcp_connections() {
  std::set<int> found;
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    if (is_connection(descriptor)) found.insert(descriptor);
  }
  closedir(folder);
  return found;
}

std::optional<ConnectionView> busiest_but(const std::set<int>& known) {
  std::optional<int> busiest;
  std::uint32_t most = 0;
  for (const int descriptor : tcp_connections()) {
    const std::uint32_t segments = received_segments(descriptor);
    if (known.contains(descriptor) || (busiest && segments <= most)) continue;
    busiest = descriptor;
    most = segments;
  }
  if (!busiest) return std::nullopt;
  return view_of(*busiest);
}

}  // namespace starling::check_hosts
