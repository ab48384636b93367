// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of hosts are measured, what their times give, and how the network's constants stand in the file.
#include "tuning/network.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "tuning/file.hpp"
#include "tuning/settings.hpp"

namespace starling::tuning::test {
namespace {

namespace fs = std::filesystem;

TEST(HostPairs, AreAllOfAFewHosts) {
  for (std::int32_t hosts = 2; hosts <= 11; ++hosts) {
    std::set<std::pair<std::int32_t, std::int32_t>> seen;
    for (const HostPair& pair : pairs_to_measure(hosts, 64)) {
      EXPECT_LT(pair.one, pair.other);
      EXPECT_LT(pair.other, hosts);
      EXPECT_TRUE(seen.insert({pair.one, pair.other}).second) << "once each";
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(hosts * (hosts - 1) / 2)) << hosts;
  }
}

TEST(HostPairs, AreBoundedAndHaveEveryHost) {
  for (const std::int32_t hosts : {12, 13, 64, 65, 129, 1000, 1001}) {
    const std::vector<HostPair> pairs = pairs_to_measure(hosts, 64);
    EXPECT_LE(pairs.size(), static_cast<std::size_t>(std::max(64, hosts + 1)));
    std::map<std::int32_t, int> times;
    for (const HostPair& pair : pairs) ++times[pair.one], ++times[pair.other];
    EXPECT_EQ(times.size(), static_cast<std::size_t>(hosts)) << "every host is measured";
    const auto [least, most] = std::ranges::minmax_element(times, {}, [](const auto& each) { return each.second; });
    EXPECT_LE(most->second - least->second, 1) << "alike";
  }
}

/// What the model says that messages take, there and back, and in a stream over a link that sustains less.
PairTimes times_by(const LinkCosts& costs, double stream_byte_ns) {
  const auto copied_twice = [&](double bytes) { return costs.message_ns + bytes * costs.byte_ns; };
  const auto copied_once = [&](double bytes) { return costs.message_ns + costs.long_ns + bytes * costs.long_byte_ns; };
  const auto stream = [&](double bytes) { return bytes * stream_byte_ns; };
  using Times = PairTimes;
  PairTimes times{};
  times.tiny_ns = costs.message_ns;
  times.short_ns = copied_twice(Times::kShort);
  times.medium_ns = copied_twice(Times::kMedium);
  times.long_ns = copied_once(Times::kLong);
  times.longer_ns = copied_once(Times::kLonger);
  times.tiny_sending_ns = costs.send_ns;
  times.tiny_stream_ns = costs.next_ns;
  times.short_stream_ns = stream(Times::kShort);
  times.medium_stream_ns = stream(Times::kMedium);
  times.long_stream_ns = stream(Times::kLong);
  times.longer_stream_ns = stream(Times::kLonger);
  return times;
}

LinkCosts some_costs() {
  LinkCosts costs = default_constants().at(Distance::kNetwork);
  costs.message_ns = 21000;
  costs.next_ns = 1500;
  costs.send_ns = 3500;
  costs.byte_ns = 0.5;
  costs.long_ns = 9000;
  costs.long_byte_ns = 0.25;
  return costs;
}

TEST(NetworkCosts, ComeBackFromTheTimesThatTheModelGives) {
  const LinkCosts costs = some_costs();
  const LinkCosts found = costs_of(times_by(costs, 0.01));
  EXPECT_NEAR(found.message_ns, costs.message_ns, 1);
  EXPECT_NEAR(found.next_ns, costs.next_ns, 1);
  EXPECT_NEAR(found.send_ns, costs.send_ns, 1);
  EXPECT_NEAR(found.byte_ns, costs.byte_ns, 1e-6);
  EXPECT_NEAR(found.long_ns, costs.long_ns, 1);
  EXPECT_NEAR(found.long_byte_ns, costs.long_byte_ns, 1e-6);
}

TEST(NetworkCosts, CountWhatALinkSustainsAndNotWhatItLetsPassInABurst) {
  const LinkCosts costs = some_costs();
  const LinkCosts found = costs_of(times_by(costs, 8));
  EXPECT_NEAR(found.byte_ns, 8, 1e-6);
  EXPECT_NEAR(found.long_byte_ns, 8, 1e-6);
  EXPECT_NEAR(found.long_ns, costs.long_ns, 1) << "what a message waits for before its bytes is no matter of the rate";
}

TEST(NetworkCosts, AreTimesWhateverWasMeasured) {
  for (const double time : {0.0, -5.0, 1e3}) {
    const LinkCosts found = costs_of({time, time, time, time, time, time, time, time, time, time, time});
    EXPECT_TRUE(parse_constants(network_text(found)).ok()) << network_text(found);
  }
}

TEST(NetworkCosts, AreOfTheSlowestPair) {
  LinkCosts far = some_costs();
  far.message_ns = 90000;
  LinkCosts narrow = some_costs();
  narrow.long_byte_ns = 8;
  const LinkCosts found = slowest(std::vector<PairCosts>{{{0, 1}, some_costs()}, {{0, 2}, far}, {{1, 2}, narrow}});
  EXPECT_EQ(found.message_ns, 90000);
  EXPECT_EQ(found.long_byte_ns, 8);
  EXPECT_EQ(found.byte_ns, some_costs().byte_ns);
  EXPECT_EQ(network_text(found),
            "network.message_ns=9e+04 network.next_ns=1500 network.send_ns=3500 network.byte_ns=0.5 "
            "network.long_ns=9000 network.long_byte_ns=8");
}

TEST(NetworkCosts, TravelAsALine) {
  const PairCosts pair{{3, 17}, some_costs()};
  const auto read = pair_in(line_of(pair));
  ASSERT_TRUE(read.has_value()) << line_of(pair);
  EXPECT_EQ(read->pair, pair.pair);
  EXPECT_EQ(read->costs, pair.costs);
  for (const char* line :
       {"", "pair", "pair 1 2", "pair 1 2 3 4 5 6 7", "pair 1 2 3 4 5 6 7 8 9", "pair 1 2 3 4 5 6 x",
        "pair 1 2 3 4 5 6 -7", "pair 1 2 3 4 5 6 0", "couple 1 2 3 4 5 6 7", "pair 1  2 3 4 5 6 7"}) {
    EXPECT_FALSE(pair_in(line).has_value()) << line;
  }
  const std::vector<std::string> hosts = {"a", "b", "c"};
  EXPECT_EQ(words_of({{0, 2}, some_costs()}, hosts), "a and c: 8 B in 21.0 us, 64 KiB in 46.4 us, 4000 MB/s");
}

File of_network(std::vector<std::string> names) {
  File file;
  file.constants = network_text(some_costs());
  file.hosts = {std::move(names), "2026-11-27T10:00:00Z", "a and c: slow", "a and b: fast"};
  return file;
}

File of_both() {
  File file = of_network({"a", "b", "c"});
  file.machine = this_machine();
  file.measured_at = "2026-11-25T22:00:00Z";
  file.constants = "near.message_ns=400 turn_ns=3000 " + file.constants;
  return file;
}

TEST(TuningFile, HasTheNodesPartAndTheNetworks) {
  for (const File& file : {of_network({"a", "b", "c"}), of_both()}) {
    const Result<File> read = File::parse(file.text());
    ASSERT_TRUE(read.ok()) << read.status().message() << file.text();
    EXPECT_EQ(read.value().hosts, file.hosts);
    EXPECT_EQ(read.value().constants, file.constants);
    EXPECT_EQ(read.value().machine.cpu, file.machine.cpu);
    EXPECT_EQ(read.value().measured_at, file.measured_at);
  }
  EXPECT_EQ(of_both().of_node(), "near.message_ns=400 turn_ns=3000");
  EXPECT_EQ(of_both().of_network(), network_text(some_costs()));
}

TEST(TuningFile, OfANodeHasToNameItsMachine) {
  File file = of_both();
  file.machine.cpu.clear();
  EXPECT_NE(File::parse(file.text()).status().message().find("names no machine"), std::string::npos);
}

/// Settings with a file of their own.
class NetworkSettings : public testing::Test {
 protected:
  NetworkSettings() : path_(fs::temp_directory_path() / formatted("starling-network-{}", getpid())) {}
  ~NetworkSettings() override { fs::remove(path_); }

  /// What holds for a job over these hosts.
  Constants held(const File& file, const std::vector<std::string>& hosts) {
    std::ofstream(path_) << file.text();
    config_ = config::Store();
    warnings_.clear();
    EXPECT_TRUE(config_.set("TUNE_FILE", path_.string()).ok());
    take_file(config_, &warnings_, hosts);
    return constants_of(config_).value();
  }
  static double near_message(const Constants& constants) { return constants.at(Distance::kNear).message_ns; }
  static double network_message(const Constants& constants) { return constants.at(Distance::kNetwork).message_ns; }

  fs::path path_;
  config::Store config_;
  std::vector<std::string> warnings_;
};

TEST_F(NetworkSettings, HoldBetweenHostsThatWereMeasured) {
  for (const std::vector<std::string>& hosts : {std::vector<std::string>{}, {"a", "b"}, {"c", "b", "a"}}) {
    const Constants constants = held(of_both(), hosts);
    EXPECT_EQ(near_message(constants), 400);
    EXPECT_EQ(network_message(constants), 21000);
    EXPECT_TRUE(warnings_.empty());
    EXPECT_TRUE(knows_network(config_));
    EXPECT_EQ(
        network_origin_of(config_),
        formatted("{}, measured 2026-11-27T10:00:00Z between a, b, c (slowest a and c: slow; fastest a and b: fast)",
                  path_.string()));
    EXPECT_EQ(origin_of(config_), formatted("{}, measured 2026-11-25T22:00:00Z", path_.string()));
  }
  held(of_network({"a", "b"}), {});
  EXPECT_EQ(origin_of(config_), "the defaults") << "within a node";
}

TEST_F(NetworkSettings, AreTheDefaultsBetweenOtherHostsAndTheNodesStay) {
  const Constants constants = held(of_both(), {"a", "d"});
  EXPECT_EQ(near_message(constants), 400);
  EXPECT_EQ(network_message(constants), network_message(default_constants()));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("measured between a,b,c, and d is none of them"), std::string::npos) << warnings_[0];
  EXPECT_NE(warnings_[0].find("'starling tune --host a,d -o "), std::string::npos) << warnings_[0];
  EXPECT_FALSE(knows_network(config_));
  EXPECT_EQ(network_origin_of(config_), "the defaults");
}

TEST_F(NetworkSettings, HoldOnAMachineWhoseOwnConstantsDoNot) {
  File file = of_both();
  file.machine.cores += 1;
  const Constants constants = held(file, {"a", "b"});
  EXPECT_EQ(near_message(constants), near_message(default_constants()));
  EXPECT_EQ(network_message(constants), 21000);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("does not hold on a host: it was measured on"), std::string::npos) << warnings_[0];
  held(file, {"d"});
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_EQ(told_to_others(config_), "");
}

TEST_F(NetworkSettings, OfHostsThatNobodyNamesHoldBetweenAny) {
  File file = of_network({});
  EXPECT_EQ(network_message(held(file, {"x", "y"})), 21000);
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(network_origin_of(config_), path_.string());
}

}  // namespace
}  // namespace starling::tuning::test
