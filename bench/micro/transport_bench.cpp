// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Packets over TCP beside bare sockets with the same options, between two threads over the loopback interface. Short
// blocks of one and of the other take turns, so that both see the same machine; counters are medians over the blocks:
// microseconds for half a round trip, or millions of messages a second in one direction, of the bare sockets (bare) and
// of the transport (ours), and ours over bare (ratio).
#include <benchmark/benchmark.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "transport/tcp/listed_roster.hpp"
#include "transport/tcp/tcp_transport.hpp"

namespace {

using namespace starling;
using namespace starling::transport;
using transport::tcp::TcpTransport;

tcp::Settings settings() {
  auto found = tcp::settings_of(config::Store());
  if (!found.ok()) std::abort();
  return std::move(found).value();
}

/// Two connected sockets.
class BareSockets {
 public:
  explicit BareSockets(std::size_t bytes) : data_{std::vector<char>(bytes), std::vector<char>(bytes)} {
    auto listener = std::move(tcp::Listener::open(tcp::SocketAddress::loopback(), {})).value();
    const tcp::SocketAddress at = listener.address();
    ends_[0] = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(ends_[0].get(), at.data(), at.bytes()) != 0) std::abort();
    ends_[1] = listener.accept();
    for (const Descriptor& end : ends_) tcp::set_socket_options(end.get(), settings());
  }

  void send(std::size_t end) {
    const std::vector<char>& data = data_[end];
    for (std::size_t at = 0; at < data.size();) {
      const ssize_t sent = ::send(ends_[end].get(), data.data() + at, data.size() - at, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) at += static_cast<std::size_t>(sent);
    }
  }
  void receive(std::size_t end) {
    std::vector<char>& data = data_[end];
    for (std::size_t at = 0; at < data.size();) {
      const ssize_t got = recv(ends_[end].get(), data.data() + at, data.size() - at, MSG_DONTWAIT);
      if (got > 0) at += static_cast<std::size_t>(got);
    }
  }
  /// As much as fits the memory at once, as a reader of a stream does.
  void receive_all(std::size_t end, std::size_t messages) {
    std::vector<char> memory(65'536);
    for (std::size_t left = messages * data_[end].size(); left != 0;) {
      const ssize_t got = recv(ends_[end].get(), memory.data(), std::min(memory.size(), left), MSG_DONTWAIT);
      if (got > 0) left -= static_cast<std::size_t>(got);
    }
  }
  void finish(std::size_t /*end*/) {}

 private:
  Descriptor ends_[2];
  std::vector<char> data_[2];
};

/// Puts what arrives where the receiver wants it, as p2p does with data that a receive waits for.
struct Buffer final : Sink {
  explicit Buffer(std::size_t message_bytes) : memory(message_bytes) {}
  void on_packet(PeerId, const Packet& packet) override {
    if (packet.payload.data() != place()) std::copy(packet.payload.begin(), packet.payload.end(), place());
    in_message = (in_message + packet.payload.size()) % memory.size();
    bytes += packet.payload.size();
  }
  std::byte* destination(PeerId, const PacketHeader&, const std::uint64_t (&)[2], std::size_t) override {
    return place();
  }
  std::byte* place() { return memory.data() + in_message; }

  std::vector<std::byte> memory;
  std::size_t in_message = 0;
  std::size_t bytes = 0;
};

/// Two ranks of a job.
class TwoRanks {
 public:
  explicit TwoRanks(std::size_t bytes) : buffers_{Buffer(bytes), Buffer(bytes)}, data_(bytes) {
    roster_.job = 1;
    for (int rank = 0; rank < 2; ++rank) {
      listeners_.push_back(std::move(tcp::Listener::open(tcp::SocketAddress::loopback(), {})).value());
      roster_.ranks.push_back({listeners_.back().address()});
    }
    for (std::size_t rank = 0; rank < 2; ++rank) {
      ends_[rank] = std::move(TcpTransport::create({roster_, std::span(&listeners_[rank], 1)}, settings(),
                                                   WorldRank(rank), PeerId(0)))
                        .value();
    }
    // Joined before the clock runs.
    while (!ends_[0]->try_send(Address(1), {}, nullptr, 0)) poll_both();
    for (int i = 0; i < 1000; ++i) poll_both();
  }

  void send(std::size_t rank) {
    for (std::size_t at = 0; at < data_.size();) {
      const std::size_t bytes = std::min(data_.size() - at, TcpTransport::kMaxPayload);
      if (ends_[rank]->try_send(Address(1 - static_cast<std::int32_t>(rank)), {}, data_.data() + at, bytes)) {
        at += bytes;
      } else {
        ends_[rank]->poll(buffers_[rank]);
      }
    }
  }
  void receive(std::size_t rank) { receive_all(rank, 1); }
  void receive_all(std::size_t rank, std::size_t messages) {
    expected_[rank] += messages * data_.size();
    while (buffers_[rank].bytes < expected_[rank]) ends_[rank]->poll(buffers_[rank]);
  }
  /// What was sent leaves.
  void finish(std::size_t rank) { ends_[rank]->poll(buffers_[rank]); }

 private:
  void poll_both() {
    for (std::size_t rank = 0; rank < 2; ++rank) ends_[rank]->poll(buffers_[rank]);
  }

  tcp::ListedRoster roster_;
  std::vector<tcp::Listener> listeners_;
  std::unique_ptr<TcpTransport> ends_[2];
  Buffer buffers_[2];
  std::size_t expected_[2] = {};
  std::vector<std::byte> data_;
};

/// The other thread: it does what is asked of it, with one work at a time.
class Helper {
 public:
  template <typename Work>
  explicit Helper(Work work)
      : thread_([this, work] {
          for (std::uint32_t done = 0; done != kStop;) {
            const std::uint32_t asked = asked_.load(std::memory_order_acquire);
            if (asked == done) continue;
            done = asked;
            if (done != kStop) work(done % 2 == 0);
          }
        }) {}
  ~Helper() {
    asked_ = kStop;
    thread_.join();
  }
  /// Asks for the next work: the bare sockets' and the transport's in turn.
  void ask() { asked_.fetch_add(1, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kStop = UINT32_MAX;
  std::atomic<std::uint32_t> asked_{0};
  std::thread thread_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void report(benchmark::State& state, const std::vector<double>& bare, const std::vector<double>& ours) {
  if (ours.empty()) return;
  state.counters["bare"] = median(bare);
  state.counters["ours"] = median(ours);
  state.counters["ratio"] = median(ours) / median(bare);
}

template <typename Way>
double half_round_trip_us(Way& way, std::size_t rounds) {
  const std::int64_t begin = now_ns();
  for (std::size_t i = 0; i < rounds; ++i) {
    way.send(0);
    way.receive(0);
  }
  return static_cast<double>(now_ns() - begin) / static_cast<double>(rounds) / 2000;
}

template <typename Way>
void echo(Way& way, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) {
    way.receive(1);
    way.send(1);
    way.finish(1);
  }
}

void half_round_trip(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const std::size_t rounds = std::clamp<std::size_t>((1 << 20) / bytes, 4, 200);
  BareSockets sockets(bytes);
  TwoRanks ranks(bytes);
  Helper helper([&](bool is_ours) { is_ours ? echo(ranks, rounds) : echo(sockets, rounds); });
  std::vector<double> bare;
  std::vector<double> ours;
  for ([[maybe_unused]] auto block : state) {
    helper.ask();
    bare.push_back(half_round_trip_us(sockets, rounds));
    helper.ask();
    ours.push_back(half_round_trip_us(ranks, rounds));
  }
  report(state, bare, ours);
}

constexpr std::size_t kRateMessages = 312 * 64;
/// After which a rank does something else than send.
constexpr std::size_t kBurst = 64;

template <typename Way>
double millions_per_second(Way& way, std::atomic<bool>& received) {
  const std::int64_t begin = now_ns();
  for (std::size_t i = 0; i < kRateMessages; ++i) {
    way.send(0);
    if (i % kBurst == kBurst - 1) way.finish(0);
  }
  while (!received.exchange(false)) way.finish(0);
  return static_cast<double>(kRateMessages) * 1000 / static_cast<double>(now_ns() - begin);
}

void message_rate(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  BareSockets sockets(bytes);
  TwoRanks ranks(bytes);
  std::atomic<bool> received{false};
  Helper helper([&](bool is_ours) {
    is_ours ? ranks.receive_all(1, kRateMessages) : sockets.receive_all(1, kRateMessages);
    received = true;
  });
  std::vector<double> bare;
  std::vector<double> ours;
  for ([[maybe_unused]] auto block : state) {
    helper.ask();
    bare.push_back(millions_per_second(sockets, received));
    helper.ask();
    ours.push_back(millions_per_second(ranks, received));
  }
  report(state, bare, ours);
}

BENCHMARK(half_round_trip)->Arg(8)->Arg(1024)->Arg(65'536)->Arg(1 << 20)->UseRealTime();
BENCHMARK(message_rate)->Arg(8)->UseRealTime();

}  // namespace
