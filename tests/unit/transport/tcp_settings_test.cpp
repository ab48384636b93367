// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Each STARLING_NET_ variable does what it says.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include "transport/choose/list.hpp"
#include "transport/shm/geometry.hpp"
#include "transport/tcp/descriptor_limit.hpp"
#include "transport/tcp/settings.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

config::Store with(const char* name, const std::string& text) {
  config::Store config;
  EXPECT_TRUE(config.set(name, text).ok());
  return config;
}

std::string congestion_of(int socket) {
  char name[16] = "";
  socklen_t bytes = sizeof name;
  EXPECT_EQ(getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &bytes), 0);
  return name;
}

TEST(TcpSettings, CongestionControlIsSetOnEachSocket) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const std::string system = congestion_of(socket.get());
  set_socket_options(socket.get(), settings_of(with("NET_CONGESTION", "system")).value());
  EXPECT_EQ(congestion_of(socket.get()), system);
  set_socket_options(socket.get(), settings_of(config::Store()).value());
  EXPECT_FALSE(congestion_of(socket.get()).starts_with("bbr"));
  set_socket_options(socket.get(), settings_of(with("NET_CONGESTION", "reno")).value());
  EXPECT_EQ(congestion_of(socket.get()), "reno");
  const Result<Settings> none = settings_of(with("NET_CONGESTION", "carrier-pigeon"));
  ASSERT_FALSE(none.ok());
  EXPECT_NE(
      none.status().message().find("STARLING_NET_CONGESTION=carrier-pigeon is not possible: this system has none"),
      std::string::npos)
      << none.status().message();
}

TEST(TcpSettings, EagerLimitIsWhatTheTransportTellsTheProtocols) {
  const TcpNodes few(2, settings_of(with("NET_EAGER_LIMIT", "1000")).value());
  EXPECT_EQ(few.ends.at(0)->limits().eager_limit, 1000);
  const TcpNodes many(2, settings_of(with("NET_EAGER_LIMIT", "1m")).value());
  EXPECT_EQ(many.ends.at(0)->limits().eager_limit, 1 << 20);
}

TEST(TcpSettings, PortsAreTakenFromTheRangeUntilNoneIsFree) {
  // Two neighbours that are free now.
  PortRange ports;
  for (std::uint16_t first = 41'000; ports.is_any() && first < 60'000; first = static_cast<std::uint16_t>(first + 2)) {
    const auto last = static_cast<std::uint16_t>(first + 1);
    if (Listener::open(SocketAddress::loopback(), {first, first}).ok() &&
        Listener::open(SocketAddress::loopback(), {last, last}).ok())
      ports = ports_of(with("NET_PORTS", std::to_string(first) + "-" + std::to_string(last))).value();
  }
  const auto one = Listener::open(SocketAddress::loopback(), ports);
  const auto two = Listener::open(SocketAddress::loopback(), ports);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one.value().address().port(), ports.first);
  EXPECT_EQ(two.value().address().port(), ports.last);
  const auto three = Listener::open(SocketAddress::loopback(), ports);
  ASSERT_FALSE(three.ok());
  EXPECT_NE(three.status().message().find(std::to_string(ports.last)), std::string::npos) << three.status().message();
  const auto lone = Listener::open(SocketAddress::loopback(), {ports.first, ports.first});
  ASSERT_FALSE(lone.ok());
  EXPECT_TRUE(lone.status().message().starts_with("the only port, ")) << lone.status().message();
}

TEST(TcpSettings, PortsThatMakeNoSenseAreRefused) {
  for (const char* text : {"", "4000", "4001-4000", "0-10", "1-70000", "a-b", "1-2-3"})
    EXPECT_FALSE(ports_of(with("NET_PORTS", text)).ok()) << text;
  EXPECT_TRUE(ports_of(config::Store()).value().is_any());
}

int option_of(int socket, int level, int name) {
  int value = -1;
  socklen_t bytes = sizeof value;
  EXPECT_EQ(getsockopt(socket, level, name, &value, &bytes), 0);
  return value;
}

TEST(TcpSettings, AnIdleConnectionAsksForAsLongAsAHostMayBeSilent) {
  for (const auto& [after_ms, seconds] : {std::pair{"2000", 2}, std::pair{"4000", 4}, std::pair{"60000", 60}}) {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    set_socket_options(socket.get(), settings_of(with("NET_DEAD_AFTER_MS", after_ms)).value());
    EXPECT_EQ(option_of(socket.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ(
        option_of(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE) +
            option_of(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL) * option_of(socket.get(), IPPROTO_TCP, TCP_KEEPCNT),
        seconds);
    EXPECT_EQ(option_of(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
  }
  for (const char* text : {"0", "1999", "3600001"}) {
    const Result<Settings> settings = settings_of(with("NET_DEAD_AFTER_MS", text));
    ASSERT_FALSE(settings.ok()) << text;
    EXPECT_NE(settings.status().message().find("STARLING_NET_DEAD_AFTER_MS="), std::string::npos);
  }
}

TEST(TcpSettings, SayFromWhichSizeOnMessagesTakeAllLinks) {
  EXPECT_EQ(settings_of(config::Store()).value().stripe_from, 0);
  EXPECT_EQ(settings_of(with("NET_STRIPE_FROM", "262144")).value().stripe_from, 262'144);
  EXPECT_EQ(settings_of(with("NET_STRIPE_FROM", "1000000")).value().stripe_from, 1'000'000);
}

TEST(TcpSettings, TheLimitOfDescriptorsIsRaisedOrNamed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_cur, 400);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_TRUE(allow_connections(200).ok());
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_GE(after.rlim_cur, 456U);
  const Status why = allow_connections(before.rlim_max);
  EXPECT_NE(why.message().find(std::to_string(before.rlim_max + 256)), std::string::npos) << why.message();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(TcpSettings, FullConnectsToAllAtTheStartAndLazyDoesNot) {
  EXPECT_FALSE(settings_of(with("NET_CONNECT", "some")).ok());
  for (const char* connect : {"lazy", "full"}) {
    TcpNodes nodes(2);
    const config::Store config = with("NET_CONNECT", connect);
    const auto segment = memory::JobSegment::create(shm::geometry(1, config)).value();
    const memory::Placement placement({{{WorldRank(0)}, 1}, {{WorldRank(1)}, 1}}, 1);
    nodes.ends[1].reset();
    nodes.listeners[1] = Listener::open(SocketAddress::loopback(), {}).value();
    const Endpoint endpoint{nodes.roster, std::span(&nodes.listeners[1], 1)};
    const Surroundings surroundings{*segment, placement, WorldRank(1), config, {nullptr, &endpoint}};
    EXPECT_EQ(TcpTransport::reaches(surroundings, WorldRank(1)), std::nullopt);
    auto made = TcpTransport::create(surroundings);
    ASSERT_TRUE(made.ok()) << made.status().message();
    TcpInbox inbox;
    for (int i = 0; i < 1000; ++i) {
      made.value()->poll(inbox);
      nodes.end(0).poll(nodes.inbox(0));
    }
    EXPECT_EQ(nodes.try_send(0, 1, 1), std::string_view(connect) == "full");
  }
}

}  // namespace
}  // namespace starling::transport::tcp
