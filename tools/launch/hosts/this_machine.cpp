// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/this_machine.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netinet/in.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "launch/hosts/slurm.hpp"

namespace starling::launch {
namespace {

/// The one spelling of an address, without the interface behind it; empty when it is none.
std::string canonical_address(std::string_view text) {
  const std::string address(text.substr(0, text.find('%')));
  unsigned char bytes[sizeof(in6_addr)];
  char spelled[INET6_ADDRSTRLEN];
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, address.c_str(), bytes) == 1) return inet_ntop(family, bytes, spelled, sizeof spelled);
  }
  return {};
}

std::vector<std::string> interface_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return addresses;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    char spelled[INET6_ADDRSTRLEN];
    const void* bytes = nullptr;
    if (family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr;
    if (family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
    if (bytes != nullptr) addresses.emplace_back(inet_ntop(family, bytes, spelled, sizeof spelled));
  }
  freeifaddrs(first);
  return addresses;
}

bool is_loopback(const std::string& address) { return address == "::1" || address.starts_with("127."); }

}  // namespace

ThisMachine::ThisMachine(std::vector<std::string> names, const std::vector<std::string>& addresses, std::string user)
    : names_(std::move(names)), user_(std::move(user)) {
  names_.emplace_back("localhost");
  for (const std::string& address : addresses) addresses_.push_back(canonical_address(address));
}

ThisMachine ThisMachine::ask() {
  std::vector<std::string> names;
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0 && name[0] != '\0') {
    names.emplace_back(name);
    names.push_back(names[0].substr(0, names[0].find('.')));
  }
  if (const char* node = std::getenv("SLURMD_NODENAME"); node != nullptr && in_slurm_here()) names.emplace_back(node);
  const passwd* const user = getpwuid(geteuid());
  return {std::move(names), interface_addresses(), user == nullptr ? "" : user->pw_name};
}

std::string ThisMachine::own_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

bool ThisMachine::is(std::string_view name) const {
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
  const std::string address = canonical_address(name);
  if (address.empty()) return false;
  return is_loopback(address) || std::find(addresses_.begin(), addresses_.end(), address) != addresses_.end();
}

bool ThisMachine::is(const Host& host) const { return (host.user.empty() || host.user == user_) && is(host.name); }

}  // namespace starling::launch
