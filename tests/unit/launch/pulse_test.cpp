// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The pulse of a process, felt by itself over the loopback interface.
#include "launch/link/pulse.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "base/clock.hpp"

namespace starling::launch {
namespace {

using namespace std::chrono_literals;

std::vector<transport::tcp::InterfaceAddress> loopback() {
  return {{"lo", transport::tcp::SocketAddress::loopback(), 8, 0, true}};
}

/// Feels until something holds; whether it did in time.
bool feel_until(Pulse& pulse, const std::function<bool(std::int64_t answered_ns)>& holds) {
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!holds(pulse.feel(now_ns()))) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

TEST(Pulse, IsFeltWhileTheProcessDoesNotServeItsDoors) {
  EventLoop loop;  // never runs
  Doors doors(loop);
  doors.open(loopback(), {});
  ASSERT_EQ(doors.addresses().size(), 1u);
  Pulse pulse;
  pulse.set_doors(doors.addresses());
  const std::int64_t begin = now_ns();
  EXPECT_TRUE(feel_until(pulse, [&](std::int64_t answered) { return answered >= begin; }));
  // TCP goes on asking.
  EXPECT_TRUE(feel_until(pulse, [&](std::int64_t answered) { return answered >= begin + 1'500'000'000; }));
  pulse.rest();
  const std::int64_t rested = now_ns();
  EXPECT_TRUE(feel_until(pulse, [&](std::int64_t answered) { return answered >= rested; }));
}

TEST(Pulse, IsFeltWhileTheDoorsAreServed) {
  EventLoop loop;
  Doors doors(loop);
  doors.open(loopback(), {});
  Pulse pulse;
  pulse.set_doors(doors.addresses());
  const std::int64_t begin = now_ns();
  EXPECT_TRUE(feel_until(pulse, [&](std::int64_t answered) {
    loop.after(1'000'000, [&loop] { loop.stop(); });
    EXPECT_TRUE(loop.run());
    return answered >= begin + 500'000'000;
  }));
}

TEST(Pulse, EndsWithTheProcess) {
  EventLoop loop;
  auto doors = std::make_unique<Doors>(loop);
  doors->open(loopback(), {});
  Pulse pulse;
  pulse.set_doors(doors->addresses());
  EXPECT_TRUE(feel_until(pulse, [](std::int64_t answered) { return answered != 0; }));
  doors.reset();
  std::int64_t last = 0;
  // A second later than its last answer: TCP would have asked again.
  EXPECT_TRUE(feel_until(pulse,
                         [&last](std::int64_t answered) {
                           last = answered;
                           return now_ns() - answered > 2'500'000'000;
                         }))
      << "answered " << now_ns() - last << " ns ago";
}

TEST(Pulse, HasNoDoorsWhereNobodyIsOrThePortsAreTaken) {
  EventLoop loop;
  Doors doors(loop);
  doors.open(loopback(), {});
  const std::uint16_t port = transport::tcp::SocketAddress::parse(doors.addresses()[0])->port();
  Doors others(loop);
  others.open(loopback(), {port, port});
  EXPECT_TRUE(others.addresses().empty());
  Pulse pulse;
  pulse.set_doors(std::vector<std::string>{"", "nonsense"});
  EXPECT_EQ(pulse.feel(now_ns()), 0);
}

}  // namespace
}  // namespace starling::launch
