// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A host that goes without a word is found, and a peer that lives is not taken for one. The hosts are network
// namespaces of the rank's threads, joined by a pair of virtual cards; they go with the threads. Needs root.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <thread>

#include "base/format.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kDeadAfterMs = 2000;
/// Longer than a silent peer may live.
constexpr std::int64_t kLongerMs = 3500;

bool run(const std::string& command) { return std::system((command + " 2>/dev/null").c_str()) == 0; }

/// Two hosts with one rank each, 10.99.0.1 and 10.99.0.2, by a pair of virtual cards far0 and far1. Each rank's thread
/// polls it all the time but while it is busy.
class TwoHosts {
 public:
  TwoHosts() {
    for (std::size_t rank = 0; rank < 2; ++rank) threads_[rank] = std::thread([this, rank] { live(rank); });
    for (const std::size_t rank : {0U, 1U}) entered_[rank].get_future().wait();
    const std::string there = formatted("/proc/{}/task/{}/ns/net", getpid(), ids_[1]);
    are_joined_ = enters_[0] && enters_[1] &&
                  on(0, [&] { return run("ip link add far0 type veth peer name far1 netns " + there); }) &&
                  bring_up(0) && bring_up(1);
    if (!are_joined_) return;
    roster_.job = 5;
    roster_.hosts = {"alder", "birch"};
    EXPECT_TRUE(fill_randomly(roster_.secret).ok());
    for (const int rank : {0, 1}) on(rank, [&] { return listen(rank); });
    for (const int rank : {0, 1}) on(rank, [&] { return start(rank); });
  }
  ~TwoHosts() {
    for (const int rank : {0, 1}) on(rank, [&] { return (ends_[rank].reset(), true); });
    for (const int rank : {0, 1}) on(rank, [&] { return !(ended_[rank] = true); });
    for (std::thread& thread : threads_) thread.join();
  }
  TwoHosts(const TwoHosts&) = delete;
  TwoHosts& operator=(const TwoHosts&) = delete;

  /// False without the right to make them.
  [[nodiscard]] bool are_joined() const { return are_joined_; }

  /// Runs the work on the thread of a rank, between two polls.
  bool on(int rank, const std::function<bool()>& work) {
    std::promise<bool> done;
    std::future<bool> result = done.get_future();
    works_[rank] = [&] { done.set_value(work()); };
    has_work_[rank].store(true, std::memory_order_release);
    return result.get();
  }
  TcpTransport& end(int rank) { return *ends_[rank]; }
  /// Sends with polls in between, on the rank's thread.
  bool send(int from, std::size_t bytes) {
    const std::vector<std::byte> payload(bytes);
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (!on(from, [&] { return end(from).try_send_words(Address(1 - from), {}, {1, 0}, payload.data(), bytes); })) {
      if (std::chrono::steady_clock::now() > until) return false;
    }
    return true;
  }
  /// Sends until the other's window, and the own buffer, are full.
  void fill(int from) {
    const std::vector<std::byte> payload(100'000);
    for (int tries = 0; tries < 100;) {
      const bool sent =
          on(from, [&] { return end(from).try_send_words(Address(1 - from), {}, {}, payload.data(), payload.size()); });
      tries = sent ? 0 : tries + 1;
    }
  }
  bool cut() {
    return on(0, [] { return run("ip link set far0 down"); });
  }
  bool await(const std::function<bool()>& holds, std::chrono::milliseconds at_most) const {
    const auto until = std::chrono::steady_clock::now() + at_most;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }
  bool has_lost(int rank) { return is_lost_[rank].load(std::memory_order_acquire); }
  [[nodiscard]] std::size_t received(int rank) const { return received_[rank].load(std::memory_order_acquire); }
  /// Why a rank has lost the other.
  std::string loss(int rank) {
    std::string why;
    on(rank, [&] { return (why = sinks_[rank].why, true); });
    return why;
  }

 private:
  struct CountingSink final : Sink {
    void on_packet(PeerId /*peer*/, const Packet& /*packet*/) override { ++packets; }
    void on_lost(PeerId /*peer*/, LostBy by, const Status& status) override {
      why = status.message();
      EXPECT_EQ(by, LostBy::kSilence) << why;
    }
    std::size_t packets = 0;
    std::string why;
  };

  void live(std::size_t rank) {
    enters_[rank] = unshare(CLONE_NEWNET) == 0;
    ids_[rank] = static_cast<long>(syscall(SYS_gettid));
    entered_[rank].set_value();
    while (!ended_[rank]) {
      if (has_work_[rank].load(std::memory_order_acquire)) {
        has_work_[rank].store(false, std::memory_order_relaxed);
        works_[rank]();
      }
      if (ends_[rank])
        look(rank);
      else
        std::this_thread::sleep_for(1ms);
    }
  }
  /// A poll, or a sleep as an idle rank's.
  void look(std::size_t rank) {
    if (!ends_[rank]->poll(sinks_[rank]) && ends_[rank]->wake_source()->arm()) {
      pollfd watched{ends_[rank]->wake_source()->descriptor(), POLLIN, 0};
      ::poll(&watched, 1, 2);
    }
    received_[rank].store(sinks_[rank].packets, std::memory_order_release);
    if (!sinks_[rank].why.empty()) is_lost_[rank].store(true, std::memory_order_release);
  }
  bool bring_up(int rank) {
    return on(rank, [rank] {
      return run(formatted("ip addr add 10.99.0.{}/24 dev far{}", rank + 1, rank)) &&
             run(formatted("ip link set far{} up", rank)) && run("ip link set lo up");
    });
  }
  bool listen(int rank) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(0x0a630001U + static_cast<std::uint32_t>(rank));
    auto listener = Listener::open(SocketAddress::of(reinterpret_cast<const sockaddr*>(&at)).value(), {});
    EXPECT_TRUE(listener.ok()) << listener.status().message();
    roster_.ranks.push_back({listener.value().address()});
    listeners_.push_back(std::move(listener).value());
    return true;
  }
  bool start(int rank) {
    Settings settings;
    settings.dead_after_ms = kDeadAfterMs;
    ends_[rank] = TcpTransport::create({roster_, std::span(&listeners_[static_cast<std::size_t>(rank)], 1)}, settings,
                                       WorldRank(rank), PeerId(0))
                      .value();
    return true;
  }

  std::thread threads_[2];
  std::promise<void> entered_[2];
  bool enters_[2] = {};
  long ids_[2] = {};
  bool are_joined_ = false;
  std::function<void()> works_[2];
  std::atomic<bool> has_work_[2] = {};
  std::atomic<bool> is_lost_[2] = {};
  std::atomic<std::size_t> received_[2] = {};
  bool ended_[2] = {};
  ListedRoster roster_;
  std::vector<Listener> listeners_;
  std::unique_ptr<TcpTransport> ends_[2];
  CountingSink sinks_[2];
};

#define SKIP_UNLESS_JOINED(hosts) \
  if (!(hosts).are_joined()) GTEST_SKIP() << "needs root, to make network namespaces, and the command ip"

/// Both have lost the other in time, and say it as they should.
void expect_loss_of_both(TwoHosts& hosts) {
  const auto at_most = std::chrono::milliseconds(kDeadAfterMs) + 1s + 500ms;  // a machine that is busy
  EXPECT_TRUE(hosts.await([&] { return hosts.has_lost(0); }, at_most));
  const std::string why = hosts.loss(0);
  for (const char* part : {"rank 0 has had no answer from the host of rank 1 on birch for ", "over interface far0",
                           "10.99.0.1", "STARLING_NET_DEAD_AFTER_MS"})
    EXPECT_NE(why.find(part), std::string::npos) << part << " is not in: " << why;
}

TEST(TcpSilence, AnIdleConnectionToAHostThatIsGoneEnds) {
  TwoHosts hosts;
  SKIP_UNLESS_JOINED(hosts);
  ASSERT_TRUE(hosts.send(0, 8) && hosts.send(1, 8));
  ASSERT_TRUE(hosts.await([&] { return hosts.received(0) == 1 && hosts.received(1) == 1; }, 5s));
  ASSERT_TRUE(hosts.cut());
  expect_loss_of_both(hosts);
}

TEST(TcpSilence, AConnectionWithDataUnderWayToAHostThatIsGoneEnds) {
  TwoHosts hosts;
  SKIP_UNLESS_JOINED(hosts);
  ASSERT_TRUE(hosts.send(0, 8));
  ASSERT_TRUE(hosts.await([&] { return hosts.received(1) == 1; }, 5s));
  ASSERT_TRUE(hosts.cut());
  ASSERT_TRUE(hosts.send(0, 1000));
  expect_loss_of_both(hosts);
}

TEST(TcpSilence, AHostThatGoesWhileItsRankDoesNotReadIsFound) {
  TwoHosts hosts;
  SKIP_UNLESS_JOINED(hosts);
  ASSERT_TRUE(hosts.send(0, 8));
  std::thread busy([&] { hosts.on(1, [] { return (std::this_thread::sleep_for(6s), true); }); });
  std::this_thread::sleep_for(100ms);
  hosts.fill(0);
  ASSERT_TRUE(hosts.cut());
  // The system asks a peer that does not read more and more seldom.
  EXPECT_TRUE(hosts.await([&] { return hosts.has_lost(0); }, 5s));
  busy.join();
}

TEST(TcpSilence, APeerThatDoesNotReadOrComputesIsAlive) {
  TwoHosts hosts;
  SKIP_UNLESS_JOINED(hosts);
  ASSERT_TRUE(hosts.send(0, 8));
  // In this time rank 1 is in no call: its window is full first, and rank 0 looks for silence all the time.
  std::thread busy(
      [&] { hosts.on(1, [] { return (std::this_thread::sleep_for(std::chrono::milliseconds(kLongerMs)), true); }); });
  std::this_thread::sleep_for(100ms);
  hosts.fill(0);
  busy.join();
  EXPECT_FALSE(hosts.has_lost(0)) << hosts.loss(0);
  EXPECT_FALSE(hosts.has_lost(1)) << hosts.loss(1);
  // Then rank 0 computes, and has to find out nothing when it comes back.
  EXPECT_TRUE(hosts.on(0, [] { return (std::this_thread::sleep_for(std::chrono::milliseconds(kLongerMs)), true); }));
  ASSERT_TRUE(hosts.send(0, 8) && hosts.send(1, 8));
  EXPECT_TRUE(hosts.await([&] { return hosts.received(0) == 1; }, 5s));
  EXPECT_FALSE(hosts.has_lost(0)) << hosts.loss(0);
}

/// A connection to itself, over a network that can be switched off, of a thread with a network namespace of its own.
void look_after_being_held_up() {
  if (unshare(CLONE_NEWNET) != 0 || !run("ip link set lo up")) GTEST_SKIP() << "needs root, and the command ip";
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto listener = Listener::open(SocketAddress::of(reinterpret_cast<const sockaddr*>(&at)).value(), {});
  ASSERT_TRUE(listener.ok()) << listener.status().message();
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress there = listener.value().address();
  ASSERT_EQ(connect(socket.get(), there.data(), there.bytes()), 0);
  const Descriptor other = listener.value().accept();
  Silence silence;
  std::int64_t now = now_ns();
  const auto look_after = [&](std::int64_t ms) { return silence.look(socket.get(), now += ms * 1'000'000); };
  silence.expect(now);
  ASSERT_EQ(write(socket.get(), "x", 1), 1);
  look_after(0);
  EXPECT_FALSE(silence.expects()) << "it was acknowledged at once";
  ASSERT_TRUE(run("ip link set lo down"));
  silence.expect(now);
  ASSERT_EQ(write(socket.get(), "x", 1), 1);
  std::this_thread::sleep_for(1s);
  EXPECT_GE(look_after(1000), 900);
  EXPECT_EQ(look_after(3000), 0) << "nobody knows whether an answer was held up as well";
  EXPECT_GE(look_after(1000), 900) << "none was";
  ASSERT_TRUE(run("ip link set lo up"));
  EXPECT_EQ(look_after(3000), 0);
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (silence.expects() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(100ms);
    look_after(100);
  }
  EXPECT_FALSE(silence.expects()) << "it has come";
}

TEST(TcpSilence, WhoWasHeldUpLooksTwice) { std::thread(look_after_being_held_up).join(); }

TEST(TcpSilence, AnIdleRankIsNotWokenToLook) {
  TcpNodes nodes(2);
  nodes.send(0, 1, 1, 8);
  ASSERT_TRUE(nodes.await(1, 1));
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush() && nodes.end(1).flush(); }));
  // It looks once after it has sent, and then no more.
  int wakes = 0;
  for (int i = 0; i < 3; ++i) {
    for (int polls = 0; polls < 20; ++polls) nodes.end(0).poll(nodes.inbox(0));
    ASSERT_TRUE(nodes.end(0).wake_source()->arm());
    pollfd watched{nodes.end(0).wake_source()->descriptor(), POLLIN, 0};
    wakes += ::poll(&watched, 1, 1200);
  }
  EXPECT_LE(wakes, 1);
}

}  // namespace
}  // namespace starling::transport::tcp
