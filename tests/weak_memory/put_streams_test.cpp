// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The streams of puts (rma/target/put_stream.hpp): each put is carried out once, in its order, by the target or, when
// that is busy, by the origin's kernel; what is done is there; a stream passes from one owner to the next; and nobody
// sleeps for an end that has come.
#include "rma/target/put_streams.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>

#include "weak_memory/node.hpp"

namespace starling::weak::put_streams_test {
namespace {

using rma::PutStream;

constexpr LocalRank kTarget(0);
using Place = std::array<std::uint64_t, 8>;
/// Lines of a stream that a model may come to.
constexpr std::uint32_t kUsed = 8;

void name_stream(Execution& execution, PutStream& stream) {
  execution.share(stream);
  execution.name(&stream.owner, "owner");
  execution.name(&stream.asker, "asker");
  execution.name(&stream.taken, "taken");
  execution.name(&stream.done, "done");
  for (std::uint32_t i = 0; i < kUsed; ++i) execution.name(&stream.lines[i].state, "state");
}

struct Window {
  Place place{};
  PutStream stream;

  void share(Execution& execution) {
    execution.share(place);
    name_stream(execution, stream);
  }
};

/// As PutStreams::open, add and close do.
struct Origin {
  bool open(PutStream& stream) {
    std::uint32_t nobody = 0;
    if (!stream.owner.compare_exchange_strong(nobody, 2, std::memory_order_acquire, std::memory_order_relaxed)) {
      return false;
    }
    head = stream.head;
    return true;
  }
  void put(Window& window, std::size_t at, std::uint64_t value) {
    const auto address = reinterpret_cast<std::uint64_t>(&window.place[at]);
    head = window.stream.add(head, address, &value, sizeof value, PutStream::Filling::kThroughCache);
  }
  [[nodiscard]] bool is_done(const PutStream& stream) const {
    return stream.done.load(std::memory_order_acquire) == head;
  }
  void close(PutStream& stream) const {
    stream.head = head;
    stream.owner.store(0, std::memory_order_release);
  }
  std::uint32_t head = 0;
};

void serve_until(Node& node, PutStream& stream, std::uint32_t position) {
  while (stream.done.load(std::memory_order_acquire) != position) {
    if (!stream.serve(*node.segment)) look_again();
  }
}

/// One origin, whose puts a target with so many threads carries out.
Model puts(Node& node, int count, int threads) {
  return [&node, count, threads](Execution& execution) {
    node.share(execution);
    auto& window = execution.make<Window>();
    window.share(execution);
    execution.thread("origin", [&window, count] {
      Origin origin;
      require(origin.open(window.stream), "the stream is free");
      for (int i = 0; i < count; ++i) origin.put(window, 0, static_cast<std::uint64_t>(i) + 1);
      while (!origin.is_done(window.stream)) look_again();
      require(window.place[0] == static_cast<std::uint64_t>(count), "the last put is there");
      origin.close(window.stream);
    });
    for (int i = 0; i < threads; ++i) {
      execution.thread("target", [&node, &window, count] {
        serve_until(node, window.stream, static_cast<std::uint32_t>(count));
        require(window.place[0] == static_cast<std::uint64_t>(count), "the last put is there");
      });
    }
  };
}

TEST(PutStreams, AreCarriedOutByTheTarget) {
  Node node(2);
  expect_right(puts(node, 2, 1));
}

/// Two origins, one after the other.
Model owners(Node& node) {
  return [&node](Execution& execution) {
    node.share(execution);
    auto& window = execution.make<Window>();
    window.share(execution);
    for (std::size_t i = 0; i < 2; ++i) {
      execution.thread("origin", [&window, i] {
        Origin origin;
        while (!origin.open(window.stream)) look_again();
        origin.put(window, i, i + 1);
        while (!origin.is_done(window.stream)) look_again();
        require(window.place[i] == i + 1, "the put is there");
        origin.close(window.stream);
      });
    }
    execution.thread("target", [&node, &window] {
      serve_until(node, window.stream, 2);
      require(window.place[0] == 1 && window.place[1] == 2, "both puts are there");
    });
  };
}

TEST(PutStreams, PassFromOneOwnerToTheNext) {
  Node node(3);
  expect_right(owners(node));
}

/// A rank with all that its puts need.
struct Rank {
  Rank(Node& node, LocalRank rank)
      : engine(*node.segment, rank, node.config),
        service(rma::TargetService::create(engine, node.config).value()),
        streams(engine, *service, [](LocalRank, const void* from, std::span<const transport::RemoteRun> to) {
          for (const transport::RemoteRun& run : to) {
            std::memcpy(reinterpret_cast<void*>(run.address), from, run.bytes);
            from = static_cast<const std::byte*>(from) + run.bytes;
          }
          return true;
        }) {
    EXPECT_TRUE(service->open_for_others().ok());
  }
  progress::Engine engine;
  std::unique_ptr<rma::TargetService> service;
  rma::PutStreams streams;
};

/// A target that looks so often and then computes for ever: its origin has to come to an end by itself.
Model busy_target(Node& node, int puts, int looks) {
  return [&node, puts, looks](Execution& execution) {
    node.share(execution);
    auto& place = execution.make<Place>();
    execution.share(place);
    auto& target = execution.make<Rank>(node, kTarget);
    auto& origin = execution.make<Rank>(node, LocalRank(1));
    PutStream& stream = origin.service->handler_of(kTarget).puts;
    name_stream(execution, stream);
    execution.thread("target", [&target, looks] {
      for (int i = 0; i < looks; ++i) target.engine.poll();
    });
    execution.thread("origin", [&origin, &place, puts] {
      for (int i = 1; i <= puts; ++i) {
        const auto value = static_cast<std::uint64_t>(i);
        require(origin.streams.put(kTarget, reinterpret_cast<std::uint64_t>(&place[0]), &value, sizeof value),
                "the put begins");
      }
      require(origin.streams.finish(kTarget).ok(), "the puts end");
      require(place[0] == static_cast<std::uint64_t>(puts), "the last put is there");
    });
  };
}

TEST(PutStreams, EndWhereTheTargetTurnsToOtherThings) {
  Node node(2);
  expect_right(busy_target(node, 1, 1));
  EXPECT_EQ(explore(busy_target(node, 1, 2)).wrong, "");
}

TEST(PutStreams, EndWhereTheTargetTurnsToOtherThingsAndMembarrierIsRefused) {
  Node node(2);
  node.have_senders_fence();
  expect_right(busy_target(node, 1, 1), without_membarrier());
}

TEST(PutStreams, EndWhereTheTargetTurnsToOtherThingsAfterTwoPuts) {
  Node node(2);
  EXPECT_EQ(explore(busy_target(node, 2, 1)).wrong, "");
}

}  // namespace
}  // namespace starling::weak::put_streams_test
