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

  /// As many as there are places, accepted and silent.
  Callers take_all_places() {
    Callers callers;
    for (std::size_t i = 0; i < Visitors::kPlaces; ++i)
      callers.push_back(std::make_unique<RawCaller>(nodes.roster, 3, 1));
    poll();
    return callers;
  }
  static void say_hello(const Callers& callers) {
    for (const auto& caller : callers) ASSERT_TRUE(send_message(caller->socket.get(), caller->hello));
  }
  void poll() {
    for (int i = 0; i < 100; ++i) nodes.end(1).poll(nodes.inbox(1));
  }
  /// Longer than a silent caller keeps its place when others want it.
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

  TcpNodes nodes{4};
};

TEST_F(Visiting, ACallerThatHasSaidHelloKeepsItsPlace) {
  const Callers callers = take_all_places();
  const RawCaller late(nodes.roster, 3, 1);  // of which the rank hears first
  say_hello(callers);
  wait();
  poll();
  EXPECT_EQ(nodes.end(1).strangers(), 0U);
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

TEST_F(Visiting, ARankWithoutDescriptorsSleepsUntilItHasOne) {
  RawCaller caller(nodes.roster, 3, 1);
  const Descriptor next(dup(caller.socket.get()));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit full = before;
  full.rlim_cur = static_cast<rlim_t>(next.get());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &full), 0);
  poll();
  const bool sleeps = nodes.end(1).wake_source()->arm();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(sleeps);
  EXPECT_TRUE(caller.join(nodes));
}

}  // namespace
}  // namespace starling::transport::tcp
