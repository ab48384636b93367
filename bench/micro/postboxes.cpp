// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether a postbox should point to several buffers: two threads, a ring of 64-byte postboxes and a ring of buffers of
// 8 KiB between them, as src/transport/shm has them, but a postbox is published when it has 1, 2, 4 or 8 buffers. Half
// a round trip of a message in microseconds, and a stream of such messages in GB/s; the numbers of buffers take turns,
// medians. docs/adr/0011-one-buffer-a-postbox.md has the decision.
//   postboxes [ROUNDS]
// Source: Sun HPC ClusterTools, "Sun MPI Implementation", Postboxes and Buffers.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kBuffer = 8192;
constexpr std::uint64_t kBuffers = 16;  // 128 KiB, the default pool
constexpr std::uint64_t kPostboxes = 128;
constexpr std::size_t kMostBuffers = 8;

struct alignas(64) Postbox {
  std::atomic<std::uint64_t> sequence{0};
  std::uint32_t bytes = 0;
  std::uint32_t buffers = 0;
  std::array<std::uint16_t, kMostBuffers> places{};
};
static_assert(sizeof(Postbox) == 64);

/// One direction.
class Channel {
 public:
  /// `at_once` buffers in a postbox.
  void send(const std::byte* data, std::size_t bytes, std::size_t at_once) {
    while (bytes > 0) {
      Postbox& box = boxes_[sent_ % kPostboxes];
      while (sent_ - boxes_taken_.load(std::memory_order_acquire) >= kPostboxes) pause();
      box.bytes = static_cast<std::uint32_t>(std::min(bytes, at_once * kBuffer));
      box.buffers = static_cast<std::uint32_t>((box.bytes + kBuffer - 1) / kBuffer);
      for (std::uint32_t i = 0; i < box.buffers; ++i, ++filled_) {
        while (filled_ - buffers_taken_.load(std::memory_order_acquire) >= kBuffers) pause();
        const std::size_t piece = std::min(bytes, kBuffer);
        box.places[i] = static_cast<std::uint16_t>(filled_ % kBuffers);
        std::memcpy(buffers_[box.places[i]].data(), data, piece);
        data += piece;
        bytes -= piece;
      }
      box.sequence.store(++sent_, std::memory_order_release);
    }
  }
  void receive(std::byte* data, std::size_t bytes) {
    while (bytes > 0) {
      const Postbox& box = boxes_[received_ % kPostboxes];
      while (box.sequence.load(std::memory_order_acquire) != received_ + 1) pause();
      ++received_;
      std::size_t left = box.bytes;
      for (std::uint32_t i = 0; i < box.buffers; ++i) {
        const std::size_t piece = std::min(left, kBuffer);
        std::memcpy(data, buffers_[box.places[i]].data(), piece);
        // Each buffer is free at once, or a message longer than the pool could not pass.
        buffers_taken_.store(++emptied_, std::memory_order_release);
        data += piece;
        bytes -= piece;
        left -= piece;
      }
      boxes_taken_.store(received_, std::memory_order_release);
    }
  }

 private:
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::array<Postbox, kPostboxes> boxes_;
  alignas(64) std::array<std::array<std::byte, kBuffer>, kBuffers> buffers_{};
  alignas(64) std::atomic<std::uint64_t> boxes_taken_{0};
  alignas(64) std::atomic<std::uint64_t> buffers_taken_{0};
  alignas(64) std::uint64_t sent_ = 0;
  std::uint64_t filled_ = 0;
  alignas(64) std::uint64_t received_ = 0;
  std::uint64_t emptied_ = 0;
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void bind_to(std::initializer_list<unsigned> numbers) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const unsigned core : numbers) CPU_SET(core, &cores);
  pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
}

struct Figures {
  double half_round_us;
  double stream_gbs;
};

Figures measure(std::size_t bytes, std::size_t at_once) {
  constexpr int kTrips = 300;
  constexpr std::size_t kStreamed = std::size_t{64} << 20;
  const auto there = std::make_unique<Channel>();
  const auto back = std::make_unique<Channel>();
  const int messages = static_cast<int>(kStreamed / bytes);
  bind_to({0, 1});  // which the other begins with
  std::thread other([&] {
    bind_to({1});
    std::vector<std::byte> data(bytes);
    for (int i = 0; i < kTrips; ++i) {
      there->receive(data.data(), bytes);
      back->send(data.data(), bytes, at_once);
    }
    for (int i = 0; i < messages; ++i) there->receive(data.data(), bytes);
    back->send(data.data(), 1, 1);
  });
  bind_to({0});
  std::vector<std::byte> data(bytes);
  const double begin = seconds();
  for (int i = 0; i < kTrips; ++i) {
    there->send(data.data(), bytes, at_once);
    back->receive(data.data(), bytes);
  }
  const double turned = seconds();
  for (int i = 0; i < messages; ++i) there->send(data.data(), bytes, at_once);
  back->receive(data.data(), 1);
  const double ended = seconds();
  other.join();
  return {(turned - begin) / kTrips / 2 * 1e6, static_cast<double>(kStreamed) / (ended - turned) * 1e-9};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  constexpr std::size_t kAtOnce[] = {1, 2, 4, 8};
  std::printf("%8s | half a round trip, us, with 1, 2, 4, 8 buffers a postbox | stream, GB/s\n", "bytes");
  for (const std::size_t bytes : {16'384, 32'768, 65'536, 131'072, 1'048'576}) {
    std::map<std::size_t, std::pair<std::vector<double>, std::vector<double>>> found;
    for (int round = 0; round < rounds; ++round) {
      for (const std::size_t at_once : kAtOnce) {
        const Figures figures = measure(bytes, at_once);
        found[at_once].first.push_back(figures.half_round_us);
        found[at_once].second.push_back(figures.stream_gbs);
      }
    }
    std::printf("%8zu |", bytes);
    for (const std::size_t at_once : kAtOnce) std::printf(" %8.2f", median(found[at_once].first));
    std::printf(" |");
    for (const std::size_t at_once : kAtOnce) std::printf(" %6.2f", median(found[at_once].second));
    std::printf("\n");
  }
  return 0;
}
