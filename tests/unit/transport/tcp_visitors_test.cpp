// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Callers when a rank has no place for more of them, or no descriptor.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "transport/tcp/visitors.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

/// Rank 1 is called.
class Visiting : public testing::Test {
 protected:
  using Callers = std::vector<std::unique_ptr<RawCaller>>;

  /// As many as there are places, accepted and silent. from: the rank that the first says it is; each: whether the
  /// others say that they are others.
  Callers take_all_places(std::int32_t from = 4, bool each = true) {
    Callers callers;
    for (std::size_t i = 0; i < Visitors::kPlaces; ++i)
      callers.push_back(std::make_unique<RawCaller>(nodes.roster, from + (each ? static_cast<std::int32_t>(i) : 0), 1));
    poll();
    return callers;
  }
  static void say_hello(const Callers& callers) {
    for (const auto& caller : callers) ASSERT_TRUE(send_message(caller->socket.get(), caller->hello));
  }
  void poll() {
    for (int i = 0; i < 100; ++i) nodes.end(1).poll(nodes.inbox(1));
  }
  /// And nothing more has come.
  static bool is_open(const RawCaller& caller) {
    std::byte more{};
    return recv(caller.socket.get(), &more, 1, MSG_DONTWAIT) == -1;
  }
  /// Longer than a silent caller keeps its place when others want it.
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

  TcpNodes nodes{4 + static_cast<std::int32_t>(Visitors::kPlaces)};
};

TEST_F(Visiting, ACallerThatHasSaidHelloKeepsItsPlace) {
  const Callers callers = take_all_places();
  const RawCaller late(nodes.roster, 3, 1);  // of which the rank hears first
  say_hello(callers);
  wait();
  poll();
  EXPECT_EQ(nodes.end(1).strangers(), 0U);
}

/// A rank may compute, or get no processor time, between the system's connect and its hello.
TEST_F(Visiting, ACallerMayBeSilentForSecondsBeforeItSaysHello) {
  RawCaller slow(nodes.roster, 3, 1);
  const std::int64_t until = now_ns() + 4'000'000'000;  // twice the time in which a message must come
  while (now_ns() < until) {
    poll();
    wait();
  }
  EXPECT_TRUE(slow.join(nodes));
  EXPECT_EQ(nodes.end(1).strangers(), 0U);
}

/// What a rank has said may be heard on the network, and said again by a stranger.
TEST_F(Visiting, AHelloThatIsRepeatedDoesNotKeepTheRankWaiting) {
  RawCaller stranger(nodes.roster, 3, 1);
  Answer heard;
  ASSERT_TRUE(send_message(stranger.socket.get(), stranger.hello));
  ASSERT_TRUE(stranger.read(nodes, heard));
  RawCaller right(nodes.roster, 3, 1);
  Answer answer;
  ASSERT_TRUE(send_message(right.socket.get(), right.hello));
  ASSERT_TRUE(right.read(nodes, answer));
  EXPECT_TRUE(is_open(stranger)) << "the stranger's time was over";
  ASSERT_TRUE(send_message(right.socket.get(), right.handshake.confirmation(right.hello, answer.nonce)));
  Welcome welcome;
  EXPECT_TRUE(right.read(nodes, welcome));
  EXPECT_TRUE(stranger.is_turned_away(nodes));
}

TEST_F(Visiting, AHelloThatIsRepeatedInAllPlacesLeavesOneToOthers) {
  const Callers strangers = take_all_places(3, false);
  say_hello(strangers);
  poll();
  RawCaller right(nodes.roster, 2, 1);
  EXPECT_TRUE(right.join(nodes));
  Answer answer;
  EXPECT_TRUE(strangers.back()->read(nodes, answer) && is_open(*strangers.back())) << "the strangers' time was over";
}

TEST_F(Visiting, ARankSleepsWhileNoPlaceIsFree) {
  const Callers callers = take_all_places();
  say_hello(callers);
  poll();
  const RawCaller late(nodes.roster, 3, 1);
  poll();
  wait();
  EXPECT_TRUE(nodes.end(1).wake_source()->arm());
}

TEST_F(Visiting, ARankWithoutDescriptorsSaysSoAndSleepsUntilItHasOne) {
  RawCaller caller(nodes.roster, 3, 1);
  const Descriptor next(dup(caller.socket.get()));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit full = before;
  full.rlim_cur = static_cast<rlim_t>(next.get());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &full), 0);
  poll();
  const bool sleeps = nodes.end(1).wake_source()->arm();
  wait();
  poll();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(sleeps);
  EXPECT_TRUE(caller.join(nodes));
  const std::vector<std::string>& said = nodes.inbox(1).troubles;
  ASSERT_EQ(said.size(), 1U);
  const std::string limit = std::to_string(next.get());
  EXPECT_EQ(said[0],
            "rank 1 cannot take calls of other nodes: this process has opened all descriptors that it may (ulimit "
            "-n): " +
                limit + ". The callers wait until it can");
}

}  // namespace
}  // namespace starling::transport::tcp
