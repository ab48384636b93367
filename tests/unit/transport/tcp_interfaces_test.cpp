// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "transport/tcp/entrances.hpp"
#include "transport/tcp/interfaces.hpp"

namespace starling::transport::tcp {
namespace {

TEST(TcpSocketAddress, IsReadAsItIsWritten) {
  for (const char* text : {"10.0.0.1:4000", "[2001:db8::1]:4000", "255.255.255.255:65535", "[::]:0", "0.0.0.0:1"}) {
    const auto address = SocketAddress::parse(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->text(), text);
    EXPECT_EQ(address->bytes(), address->family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
    EXPECT_EQ(SocketAddress::parse(address->host()), address->with_port(0));
  }
}

TEST(TcpSocketAddress, RefusesWhatIsNone) {
  for (const char* text :
       {"",         ":",           ":4000",        "10.0.0.1:",   "10.0.0.1:x",       "10.0.0.1:65536", "10.0.0.1:-1",
        "10.0.0:1", "10.0.0.1:1:", "[10.0.0.1]:1", "[::1]",       "[::1]:",           "[::1",           "::1]:1",
        "[]:1",     "eth0",        "a:1",          "10.0.0.1 :1", "[fe80::1%eth0]:1", "10.0.0.1/8"})
    EXPECT_FALSE(SocketAddress::parse(text).has_value()) << text;
}

TEST(TcpSocketAddress, IsEqualByFamilyHostAndPort) {
  const auto of = [](const char* text) { return SocketAddress::parse(text).value(); };
  EXPECT_EQ(of("10.0.0.1:1"), of("10.0.0.1:1"));
  EXPECT_NE(of("10.0.0.1:1"), of("10.0.0.1:2"));
  EXPECT_NE(of("10.0.0.1:1"), of("10.0.0.2:1"));
  EXPECT_NE(of("0.0.0.0:1"), of("[::]:1"));
  EXPECT_EQ(of("10.0.0.1:1"), of("10.0.0.1:2").with_port(1));
}

TEST(TcpInterfaces, OfThisHostHaveTheLoopbackAddress) {
  const HostNetwork own = own_network("here").value();
  EXPECT_EQ(own.host, "here");
  EXPECT_FALSE(own.machine.empty());
  EXPECT_EQ(own.machine, own_network("by another name").value().machine);
  const auto loopback = std::ranges::find(own.addresses, SocketAddress::loopback(), &InterfaceAddress::address);
  ASSERT_NE(loopback, own.addresses.end());
  EXPECT_EQ(loopback->prefix_bits, 8);
  EXPECT_TRUE(loopback->is_up);
  EXPECT_EQ(interface_of(SocketAddress::loopback().with_port(4000)), loopback->interface);
  EXPECT_EQ(interface_of(SocketAddress::parse("192.0.2.1:1").value()), "");
}

TEST(TcpInterfaces, TravelBetweenHosts) {
  const HostNetwork sent{"a",
                         "boot 1",
                         {{"eth0", SocketAddress::parse("10.0.0.1").value(), 24, 10000, true},
                          {"eth1", SocketAddress::parse("2001:db8::1").value(), 64, 0, false}}};
  ByteWriter out;
  sent.put(out);
  ByteReader in(out.bytes());
  EXPECT_EQ(HostNetwork::get(in), sent);
  EXPECT_TRUE(in.ok_and_at_end());
}

TEST(TcpEntrances, AreOpenAtEachAddressThatIsHere) {
  const InterfaceAddress here{"lo", SocketAddress::loopback()};
  const InterfaceAddress elsewhere{"eth7", SocketAddress::parse("192.0.2.1").value()};
  const auto opened = open_entrances(std::vector{elsewhere, here}, {});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  ASSERT_EQ(opened.value().size(), 1U);
  const OpenEntrance& entrance = opened.value().front();
  EXPECT_EQ(entrance.interface, "lo");
  EXPECT_EQ(entrance.address, entrance.listener.address().text());
  EXPECT_NE(entrance.listener.address().port(), 0);
  EXPECT_FALSE(open_entrances(std::vector{elsewhere}, {}).ok());
  EXPECT_FALSE(open_entrances({}, {}).ok());
}

TEST(TcpEntrances, AreTakenOverByTheirRank) {
  auto opened = open_entrances(std::vector{InterfaceAddress{"lo", SocketAddress::loopback()}}, {});
  const std::vector<SocketAddress> addresses{SocketAddress::parse(opened.value().front().address).value()};
  const int number = opened.value().front().listener.release();
  EXPECT_FALSE(Listener::adopt(number, {}).ok());
  const Descriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_FALSE(Listener::adopt(other.get(), addresses).ok());
  const auto listener = Listener::adopt(number, addresses);
  ASSERT_TRUE(listener.ok()) << listener.status().message();
  EXPECT_EQ(listener.value().address(), addresses.front());
}

}  // namespace
}  // namespace starling::transport::tcp
