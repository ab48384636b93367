// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>

#include "base/format.hpp"
#include "transport/tcp/address_choice.hpp"

namespace starling::transport::tcp {
namespace {

using Texts = std::vector<std::string>;

/// "10.0.0.1/24"
InterfaceAddress at(const char* interface, const std::string& subnet, std::int32_t megabits = 0, bool is_up = true) {
  const std::size_t slash = subnet.find('/');
  return {interface, SocketAddress::parse(subnet.substr(0, slash)).value(), std::stoi(subnet.substr(slash + 1)),
          megabits, is_up};
}

HostNetwork host(const char* name, std::vector<InterfaceAddress> addresses) {
  addresses.insert(addresses.begin(), at("lo", "127.0.0.1/8"));
  return {name, formatted("machine {}", name), std::move(addresses)};
}

std::vector<Texts> offered(const std::vector<HostNetwork>& hosts, const char* filter = "all") {
  std::vector<Texts> texts;
  for (const AddressChoice& choice : choose_addresses(hosts, InterfaceFilter::parse(filter).value())) {
    Texts& own = texts.emplace_back();
    for (const InterfaceAddress& each : choice.offered) own.push_back(each.address.host());
  }
  return texts;
}

/// Why each address of the first host is not offered.
std::map<std::string, std::string> objections(const std::vector<HostNetwork>& hosts, const char* filter = "all") {
  std::map<std::string, std::string> why;
  const auto choices = choose_addresses(hosts, InterfaceFilter::parse(filter).value());
  for (const AddressChoice::Rejected& rejected : choices.front().rejected)
    why[rejected.address.address.host()] = rejected.why;
  return why;
}

TEST(AddressChoice, LeavesOutWhatCannotTellAHostFromOthers) {
  const std::vector<HostNetwork> hosts{
      host("a", {at("eth0", "10.0.0.1/24"), at("docker0", "172.17.0.1/16"), at("eth0", "fe80::1/64"),
                 at("eth1", "169.254.3.4/16"), at("eth2", "10.9.0.1/24", 0, false), at("lo", "::1/128")}),
      host("b", {at("eth0", "10.0.0.2/24"), at("br0", "172.17.0.1/16")})};
  EXPECT_EQ(offered(hosts), (std::vector<Texts>{{"10.0.0.1"}, {"10.0.0.2"}}));
  const auto why = objections(hosts);
  EXPECT_EQ(why.size(), 6U);
  EXPECT_EQ(why.at("127.0.0.1"), "it is a loopback address");
  EXPECT_EQ(why.at("::1"), "it is a loopback address");
  EXPECT_EQ(why.at("fe80::1"), "it is a link-local address");
  EXPECT_EQ(why.at("169.254.3.4"), "it is a link-local address");
  EXPECT_EQ(why.at("10.9.0.1"), "its interface is down");
  EXPECT_EQ(why.at("172.17.0.1"), "host b has the same address");
}

TEST(AddressChoice, ExcludesNoInterfaceByItsName) {
  const std::vector<HostNetwork> hosts{host("a", {at("docker0", "172.17.0.1/16")}),
                                       host("b", {at("virbr0", "192.168.122.1/24")})};
  EXPECT_EQ(offered(hosts), (std::vector<Texts>{{"172.17.0.1"}, {"192.168.122.1"}}));
}

TEST(AddressChoice, PutsTheSubnetThatMostHostsShareFirstThenTheFastestThenIPv4) {
  const std::vector<HostNetwork> hosts{
      host("a", {at("eth3", "2001:db8::1/64", 1000), at("eth0", "192.168.7.1/24", 100'000),
                 at("eth1", "10.0.0.1/24", 1000), at("eth2", "10.1.0.1/24", 40'000), at("eth3", "10.2.0.1/24", 1000)}),
      host("b", {at("eth1", "10.0.0.2/24", 1000), at("eth2", "10.1.0.2/24", 40'000), at("eth3", "2001:db8::2/64", 1000),
                 at("eth3", "10.2.0.2/24", 1000)}),
      host("c", {at("eth1", "10.0.0.3/24", 1000), at("eth3", "2001:db8::3/64", 1000)})};
  EXPECT_EQ(offered(hosts).front(), (Texts{"10.0.0.1", "2001:db8::1", "10.1.0.1", "10.2.0.1", "192.168.7.1"}));
}

TEST(AddressChoice, KnowsSubnetsThatEndInsideAByte) {
  const std::vector<HostNetwork> hosts{host("a", {at("eth0", "10.0.0.130/25"), at("eth1", "10.0.1.1/25")}),
                                       host("b", {at("eth0", "10.0.0.1/25"), at("eth1", "10.0.1.2/25")})};
  EXPECT_EQ(offered(hosts), (std::vector<Texts>{{"10.0.1.1", "10.0.0.130"}, {"10.0.1.2", "10.0.0.1"}}));
}

TEST(AddressChoice, OffersNoMoreThanItsMost) {
  std::vector<InterfaceAddress> many;
  for (int i = 0; i < 12; ++i) many.push_back(at("eth0", formatted("10.0.{}.1/24", i)));
  const std::vector<HostNetwork> hosts{host("a", many), host("b", {at("eth0", "10.0.11.2/24")})};
  const auto choices = choose_addresses(hosts, {});
  ASSERT_EQ(choices.front().offered.size(), AddressChoice::kMost);
  EXPECT_EQ(choices.front().offered.front().address.host(), "10.0.11.1");
  EXPECT_EQ(choices.front().rejected.size(), 5U);
}

TEST(AddressChoice, TakesLoopbackWhereAllHostsAreOneMachine) {
  HostNetwork one = host("a", {at("eth0", "10.0.0.1/24")});
  HostNetwork other = one;
  other.host = "localhost";
  EXPECT_EQ(offered({one, other}, "eth0"), (std::vector<Texts>{{"127.0.0.1"}, {"127.0.0.1"}}));
  EXPECT_TRUE(are_one_machine(std::vector{one, other}));
  EXPECT_FALSE(are_one_machine(std::vector{one}));
  EXPECT_FALSE(are_one_machine(std::vector{one, other, host("b", {})}));
  other.machine.clear();
  one.machine.clear();
  EXPECT_FALSE(are_one_machine(std::vector{one, other})) << "neither knows which machine it is";
}

TEST(AddressChoice, ALoneHostOffersWhatOthersCouldCall) {
  EXPECT_EQ(offered({host("a", {at("eth0", "10.0.0.1/24")})}), (std::vector<Texts>{{"10.0.0.1"}}));
}

TEST(AddressChoice, TwoNamesOfOneMachineAreNoTwins) {
  const HostNetwork one = host("a", {at("eth0", "10.0.0.1/24")});
  HostNetwork same = one;
  same.host = "a.example";
  EXPECT_EQ(offered({one, same, host("b", {at("eth0", "10.0.0.2/24")})}),
            (std::vector<Texts>{{"10.0.0.1"}, {"10.0.0.1"}, {"10.0.0.2"}}));
}

TEST(AddressChoice, AHostThatHasNothingLeftIsAnErrorWithEachAddressAndWhy) {
  const std::vector<HostNetwork> hosts{host("a", {at("eth0", "10.0.0.1/24")}),
                                       host("b", {at("eth0", "172.17.0.1/16"), at("eth1", "10.1.0.2/24")}),
                                       host("c", {at("eth0", "172.17.0.1/16"), at("eth5", "10.0.0.3/24")})};
  const auto choices = choose_addresses(hosts, InterfaceFilter::parse("^eth1").value());
  const Status why = check_choices(hosts, choices);
  ASSERT_FALSE(why.ok());
  for (const char* part : {"host b", "127.0.0.1 (lo): it is a loopback", "172.17.0.1 (eth0): host c has the same",
                           "10.1.0.2 (eth1): STARLING_NET_INTERFACES=^eth1 leaves it out"})
    EXPECT_NE(why.message().find(part), std::string::npos) << part << " in " << why.message();
  EXPECT_TRUE(check_choices(hosts, choose_addresses(hosts, {})).ok());
  const std::vector<HostNetwork> none{{"d", "", {}}};
  EXPECT_NE(check_choices(none, choose_addresses(none, {})).message().find("none at all"), std::string::npos);
}

TEST(InterfaceFilter, TakesNamesAndSubnetsAndTheirContrary) {
  const InterfaceAddress four = at("eth0", "10.1.2.3/24");
  const InterfaceAddress six = at("eth1", "2001:db8:0:8000::1/64");
  const auto allows = [&](const char* text) {
    const InterfaceFilter filter = InterfaceFilter::parse(text).value();
    return std::pair(filter.allows(four), filter.allows(six));
  };
  EXPECT_EQ(allows("all"), std::pair(true, true));
  EXPECT_EQ(allows("eth0"), std::pair(true, false));
  EXPECT_EQ(allows("^eth0"), std::pair(false, true));
  EXPECT_EQ(allows("eth0,eth1"), std::pair(true, true));
  EXPECT_EQ(allows("^eth0,eth1"), std::pair(false, false));
  EXPECT_EQ(allows("eth"), std::pair(false, false));
  EXPECT_EQ(allows("10.1.0.0/16"), std::pair(true, false));
  EXPECT_EQ(allows("10.1.0.0/23"), std::pair(false, false));
  EXPECT_EQ(allows("10.1.2.0/23"), std::pair(true, false));
  EXPECT_EQ(allows("10.1.2.3"), std::pair(true, false));
  EXPECT_EQ(allows("0.0.0.0/0"), std::pair(true, false));
  EXPECT_EQ(allows("2001:db8::/48,lo"), std::pair(false, true));
  EXPECT_EQ(allows("^2001:db8::/49"), std::pair(true, true));
}

TEST(InterfaceFilter, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"", "^", "eth0,", ",eth0", "eth0,,eth1", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "eth0/8",
                           "10.0.0.0/-1", "2001:db8::/129", "^^eth0", "eth0,^eth1", "10.0.0.1:80"})
    EXPECT_FALSE(InterfaceFilter::parse(text).ok()) << text;
  config::Store config;
  EXPECT_TRUE(InterfaceFilter::of(config).ok());
  ASSERT_TRUE(config.set("NET_INTERFACES", "10.0.0.0/99").ok());
  const auto filter = InterfaceFilter::of(config);
  ASSERT_FALSE(filter.ok());
  for (const char* part : {"STARLING_NET_INTERFACES=10.0.0.0/99", "'10.0.0.0/99'"})
    EXPECT_NE(filter.status().message().find(part), std::string::npos) << filter.status().message();
}

}  // namespace
}  // namespace starling::transport::tcp
