// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/port_door.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/random_bytes.hpp"
#include "transport/tcp/socket_address.hpp"

namespace starling::world {
namespace {

using transport::tcp::SocketAddress;

TEST(DoorName, IsReadAsItWasWritten) {
  DoorName name;
  name.key.fill(std::byte{0xa7});
  name.addresses = {"10.0.0.1:4000", "[2001:db8::1]:4001"};
  const auto read = DoorName::parse(name.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key, name.key);
  EXPECT_EQ(read->addresses, name.addresses);
}

TEST(DoorName, WithoutKeyOrAddressIsNone) {
  DoorName name;
  EXPECT_FALSE(DoorName::parse(""));
  EXPECT_FALSE(DoorName::parse(name.text())) << "no address";
  name.addresses = {"10.0.0.1:4000"};
  const std::string good = name.text();
  EXPECT_FALSE(DoorName::parse(good.substr(1)));
  EXPECT_FALSE(DoorName::parse("x" + good.substr(1)));
  EXPECT_FALSE(DoorName::parse(good + ",nowhere"));
  EXPECT_FALSE(DoorName::parse(good + ";"));
}

class PortDoorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = PortDoor::open(config_);
    ASSERT_TRUE(made.ok()) << made.status().message();
    door_ = std::move(made).value();
    if (door_->name().addresses.empty()) GTEST_SKIP() << "this machine has no network but loopback";
  }
  Descriptor call() {
    const auto address = SocketAddress::parse(door_->name().addresses.front());
    Descriptor socket(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(socket.get(), address->data(), address->bytes()), 0);
    return socket;
  }
  /// Serves until a caller is in or a second is over.
  std::optional<PortDoor::Caller> serve() {
    for (int i = 0; i < 1000; ++i) {
      if (auto caller = door_->take()) return caller;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::nullopt;
  }
  /// What a caller does who knows this key.
  void enter(int socket, const transport::tcp::Secret& key) {
    DoorHello hello;
    ASSERT_TRUE(fill_randomly(hello.nonce).ok());
    ASSERT_EQ(send(socket, &hello, sizeof hello, 0), static_cast<ssize_t>(sizeof hello));
    DoorChallenge challenge;
    ASSERT_EQ(recv(socket, &challenge, sizeof challenge, MSG_WAITALL), static_cast<ssize_t>(sizeof challenge));
    auto proofs = DoorProofs::of(key, hello.nonce, challenge.nonce);
    ASSERT_TRUE(proofs.ok());
    proves_itself_ = challenge.proof == proofs.value().of_door;
    secret_ = proofs.value().secret;
    const DoorEntry entry{proofs.value().of_caller};
    ASSERT_EQ(send(socket, &entry, sizeof entry, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof entry));
  }

  config::Store config_;
  std::unique_ptr<PortDoor> door_;
  bool proves_itself_ = false;
  transport::tcp::Secret secret_{};
};

TEST_F(PortDoorTest, LetsInWhoKnowsTheKeyAndNobodyElse) {
  auto wrong = door_->name().key;
  wrong[5] ^= std::byte{1};
  const Descriptor stranger = call();
  std::thread guessing([&] { enter(stranger.get(), wrong); });
  EXPECT_FALSE(serve());
  guessing.join();
  EXPECT_FALSE(proves_itself_) << "a caller with another key must notice";
  const Descriptor friendly = call();
  std::thread knowing([&] { enter(friendly.get(), door_->name().key); });
  const auto caller = serve();
  knowing.join();
  ASSERT_TRUE(caller);
  EXPECT_TRUE(proves_itself_);
  EXPECT_EQ(caller->secret, secret_);
}

TEST_F(PortDoorTest, IsNotHeldUpByAStrangerForLong) {
  const Descriptor silent = call();
  const Descriptor shouting = call();
  ASSERT_EQ(send(shouting.get(), std::string(100, 'x').data(), 100, 0), 100);
  const Descriptor friendly = call();
  std::thread knowing([&] { enter(friendly.get(), door_->name().key); });
  std::optional<PortDoor::Caller> caller;
  for (int seconds = 0; seconds < 20 && !caller; ++seconds) caller = serve();
  knowing.join();
  EXPECT_TRUE(caller);
}

}  // namespace
}  // namespace starling::world
