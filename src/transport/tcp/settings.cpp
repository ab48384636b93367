// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/settings.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "transport/tcp/silence.hpp"

namespace starling::transport::tcp {
namespace {

STARLING_CONFIG(
    net_congestion, "NET_CONGESTION", std::string, "auto", kNetwork, kProcess,
    "Congestion control of the connections between nodes: auto (the system's, but cubic or reno in place of "
    "bbr, which holds long messages back on fast links), system, or a name that the system allows.");
STARLING_CONFIG(
    net_connect, "NET_CONNECT", std::string, "lazy", kNetwork, kProcess,
    "When a process connects to those of other nodes: lazy (to each with the first message) or full (to all "
    "when it starts).");
STARLING_CONFIG(net_dead_after_ms, "NET_DEAD_AFTER_MS", std::int64_t, 4000, kNetwork, kProcess,
                "Milliseconds after which another node counts as dead when nothing has come from it, not even an "
                "acknowledgement of its system; from 2000 to 3600000.");
STARLING_CONFIG(net_eager_limit, "NET_EAGER_LIMIT", std::int64_t, 1024 * 1024, kNetwork, kProcess,
                "Largest message, bytes, that is sent to a process of another node without asking it first; the rest "
                "is as with STARLING_EAGER_LIMIT.");
STARLING_CONFIG(net_ports, "NET_PORTS", std::string, "any", kNetwork, kProcess,
                "Ports at which a process waits for connections from other nodes: any, or the first and the last, as "
                "in 40000-40999.");
STARLING_CONFIG(
    net_stripe_from, "NET_STRIPE_FROM", std::int64_t, 0, kNetwork, kProcess,
    "Smallest message, bytes, whose data take all links between two nodes at once, such as 262144; a link is "
    "a network in which both nodes are (0: all messages take one link).");

bool take_congestion(int socket, const std::string& name) {
  return setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), static_cast<socklen_t>(name.size())) == 0;
}

std::string congestion_of(int socket) {
  char name[16] = "";
  socklen_t bytes = sizeof name;
  if (getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &bytes) != 0) return "";
  return {name, strnlen(name, bytes)};
}

/// For each socket of this process; asked of one that is not used otherwise.
Result<std::string> chosen_congestion(const std::string& asked) {
  if (asked == "system") return std::string();
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (asked == "auto") {
    if (!congestion_of(socket.get()).starts_with("bbr")) return std::string();
    for (const char* name : {"cubic", "reno"}) {
      if (take_congestion(socket.get(), name)) return std::string(name);
    }
    return std::string();
  }
  if (take_congestion(socket.get(), asked)) return asked;
  return Status::error(ErrorClass::kArg,
                       formatted("STARLING_NET_CONGESTION={} is not possible: {}. Take auto, system, or one of "
                                 "/proc/sys/net/ipv4/tcp_allowed_congestion_control",
                                 asked, errno == ENOENT ? "this system has none of that name" : std::strerror(errno)));
}

bool read_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

}  // namespace

std::string system_congestion() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return congestion_of(socket.get());
}

Result<Settings> settings_of(const config::Store& config) {
  Settings settings;
  Result<std::string> congestion = chosen_congestion(config.get(net_congestion));
  if (!congestion.ok()) return std::move(congestion).status();
  settings.congestion = std::move(congestion).value();
  const std::string& connect = config.get(net_connect);
  if (connect != "lazy" && connect != "full") {
    return Status::error(ErrorClass::kArg,
                         formatted("STARLING_NET_CONNECT={} is not understood: it takes lazy or full", connect));
  }
  settings.connect = connect == "full" ? Connect::kFully : Connect::kLazily;
  const Result<std::int64_t> dead_after_ms = dead_after_ms_of(config);
  if (!dead_after_ms.ok()) return dead_after_ms.status().copy();
  settings.dead_after_ms = dead_after_ms.value();
  settings.eager_limit = config.get(net_eager_limit);
  settings.stripe_from = config.get(net_stripe_from);
  return settings;
}

Result<std::int64_t> dead_after_ms_of(const config::Store& config) {
  constexpr std::int64_t kLeast = 2'000;
  constexpr std::int64_t kMost = 3'600'000;
  const std::int64_t asked = config.get(net_dead_after_ms);
  if (asked >= kLeast && asked <= kMost) return asked;
  return Status::error(
      ErrorClass::kArg,
      formatted("STARLING_NET_DEAD_AFTER_MS={} is not possible: it takes {} to {} milliseconds", asked, kLeast, kMost));
}

Result<PortRange> ports_of(const config::Store& config) {
  const std::string_view text = config.get(net_ports);
  if (text == "any") return PortRange{};
  const std::size_t dash = text.find('-');
  PortRange ports;
  const bool read = dash != std::string_view::npos && read_port(text.substr(0, dash), ports.first) &&
                    read_port(text.substr(dash + 1), ports.last);
  if (read && ports.first <= ports.last) return ports;
  return Status::error(ErrorClass::kArg,
                       formatted("STARLING_NET_PORTS={} is not understood: it takes any, or the first "
                                 "and the last port, as in 40000-40999",
                                 text));
}

void set_socket_options(int socket, const Settings& settings) noexcept {
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);  // what may wait waits in Outgoing
  ask_while_idle(socket, settings.dead_after_ms);
  if (!settings.congestion.empty()) take_congestion(socket, settings.congestion);
}

}  // namespace starling::transport::tcp
