// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every protocol, under every configuration that changes how messages travel.
#include <sys/stat.h>

#include <optional>
#include <random>

#include "support/pattern.hpp"
#include "support/sanitized.hpp"
#include "unit/p2p/two_ranks.hpp"

namespace starling::p2p {
namespace {

struct Case {
  const char* name;
  Settings settings;
  std::optional<transport::loop::Settings> network{};  ///< each rank stands on a node of its own

  void run(std::int32_t ranks, const std::function<void(TestRank&)>& body) const {
    run_ranks(ranks, settings, body, network ? &*network : nullptr);
  }
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"defaults", {}},
      {"tiny_ring", {{"SHM_RING_SLOTS", "4"}, {"SHM_FRAGMENT", "512"}}},
      {"sender_pool", {{"SHM_SEND_POOL", "256k"}, {"SHM_CACHED", "0"}}},
      {"no_single_copy", {{"SHM_SINGLE_COPY", "0"}}},
      {"cyclic", {{"SHM_SINGLE_COPY", "0"}, {"CYCLIC_ABOVE", "16k"}}},
      {"copied_once", {{"EAGER_COPIES", "always"}}},
      {"eager_only_copied_once", {{"EAGER_COPIES", "always"}, {"EAGER_LIMIT", "1g"}, {"SHM_FRAGMENT", "64"}}},
      {"rendezvous_only", {{"EAGER_LIMIT", "0"}}},
      {"eager_only", {{"EAGER_LIMIT", "1g"}}},
      {"no_credit", {{"CREDIT_BYTES", "0"}}},
      {"full_connections", {{"SHM_FULL_CONNECTIONS", "1"}}},
      {"sleepers", {{"WAIT", "sleep"}}},
      {"yielders", {{"WAIT", "yield"}}},
      {"nodes", {}, transport::loop::Settings()},
      {"nodes_cyclic_sleepers", {{"CYCLIC_ABOVE", "16k"}, {"WAIT", "sleep"}}, transport::loop::Settings()},
      {"slow_network", {}, transport::loop::Settings{.delay_us = 30, .delay = transport::loop::Delay::kRandom}},
      {"nodes_in_parts", {}, transport::loop::Settings{.max_payload = 40'000, .whole_up_to = 100}},
      {"nodes_at_once",
       {{"EAGER_LIMIT", "1g"}},
       transport::loop::Settings{.max_payload = 40'000, .whole_up_to = 100, .at_once = 1 << 20}},
      {"narrow_network", {}, transport::loop::Settings{.max_payload = 2000, .link_packets = 3}},
  };
  return all;
}

class Protocols : public ::testing::TestWithParam<Case> {};

void fill(std::vector<unsigned char>& data, std::uint64_t key) {
  tests::fill_pattern(data.data(), data.size(), tests::key_of(key));
}

std::vector<std::int64_t> border_sizes() {
  std::vector<std::int64_t> sizes = {0, 1, 7, 8, 39, 40, 41, 511, 512, 513};
  for (std::int64_t size = 1024; size <= 1 << 20; size *= 2) {
    for (std::int64_t delta : {-1, 0, 1}) sizes.push_back(size + delta);
  }
  return sizes;
}

TEST_P(Protocols, CarryEverySizeIntactInBothModesAndBothOrders) {
  GetParam().run(2, [](TestRank& self) {
    std::int32_t tag = 0;
    for (std::int64_t size : border_sizes()) {
      for (SendMode mode : {SendMode::kStandard, SendMode::kSynchronous}) {
        std::vector<unsigned char> expected(static_cast<std::size_t>(size));
        fill(expected, static_cast<std::uint64_t>(tag));
        if (self.rank == 0) {
          EXPECT_TRUE(self.p2p.send(self.bytes(expected.data(), size, 1, tag), mode).ok());
        } else {
          std::vector<unsigned char> got(expected.size());
          Completion completion;
          EXPECT_TRUE(self.p2p.receive(self.bytes(got.data(), size, kAnySource, tag), &completion).ok());
          EXPECT_EQ(got, expected) << size;
          EXPECT_EQ(completion.bytes, size);
          EXPECT_EQ(completion.source, 0);
        }
        ++tag;
      }
    }
  });
}

/// By how much the memory of the segment grows while so many messages of 16 MiB are sent through buffers.
std::uint64_t footprint_of_a_stream(const Settings& settings, int messages) {
  std::uint64_t growth = 0;
  run_ranks(2, settings, [&growth, messages](TestRank& self) {
    constexpr std::int64_t kBytes = 16 << 20;
    const auto real_bytes = [&] {
      struct stat info {};
      fstat(self.segment.descriptor(), &info);
      return static_cast<std::uint64_t>(info.st_blocks) * 512;
    };
    std::vector<unsigned char> data(kBytes);
    // Both directions are open before.
    unsigned char letter = 0;
    for (std::int32_t from = 0; from < 2; ++from) {
      if (self.rank == from) {
        EXPECT_TRUE(self.p2p.send(self.bytes(&letter, 1, 1 - from, 1), SendMode::kStandard).ok());
      } else {
        EXPECT_TRUE(self.p2p.receive(self.bytes(&letter, 1, from, 1), nullptr).ok());
      }
    }
    const std::uint64_t before = real_bytes();
    for (int i = 0; i < messages; ++i) {
      if (self.rank == 0) {
        EXPECT_TRUE(self.p2p.send(self.bytes(data.data(), kBytes, 1, 2), SendMode::kStandard).ok());
      } else {
        EXPECT_TRUE(self.p2p.receive(self.bytes(data.data(), kBytes, 0, 2), nullptr).ok());
      }
    }
    if (self.rank == 0) growth = real_bytes() - before;
  });
  return growth;
}

TEST(CyclicMessages, KeepToTwoSetsOfBuffers) {
  constexpr std::uint64_t kSet = 64 * 1024;
  Settings settings = {{"SHM_SINGLE_COPY", "0"}, {"SHM_FRAGMENT", "64k"}, {"SHM_CONNECTION_POOL", "2m"}};
  EXPECT_GT(footprint_of_a_stream(settings, 2), 4 * kSet) << "others use all of the pool";
  settings.emplace_back("CYCLIC_ABOVE", "64k");
  EXPECT_LE(footprint_of_a_stream(settings, kUnderSanitizer ? 4 : 64), 2 * kSet) << "1 GiB";
}

TEST_P(Protocols, CarryManyMessagesBothWaysAtOnce) {
  GetParam().run(3, [](TestRank& self) {
    constexpr int kMessages = 60;
    std::mt19937 random(7);  // the same sizes on every rank
    std::vector<std::vector<unsigned char>> buffers;
    std::vector<Request*> requests;
    std::vector<std::pair<std::size_t, std::uint64_t>> to_check;
    buffers.reserve(static_cast<std::size_t>(kMessages * self.size * self.size));
    for (std::int32_t from = 0; from < self.size; ++from) {
      for (std::int32_t to = 0; to < self.size; ++to) {
        for (int i = 0; i < kMessages; ++i) {
          const std::int64_t size = random() % (random() % 3 == 0 ? 150'000 : 200);
          const std::uint64_t key = static_cast<std::uint64_t>(from * 1000 + to * 100 + i);
          if (self.rank != from && self.rank != to) continue;
          if (self.rank == to) {
            buffers.emplace_back(static_cast<std::size_t>(size));
            requests.push_back(self.p2p.ireceive(self.bytes(buffers.back().data(), size, from, i)));
            to_check.emplace_back(buffers.size() - 1, key);
          }
          if (self.rank == from) {
            buffers.emplace_back(static_cast<std::size_t>(size));
            fill(buffers.back(), key);
            requests.push_back(self.p2p.isend(self.bytes(buffers.back().data(), size, to, i), SendMode::kStandard));
          }
        }
      }
    }
    for (Request* request : requests) {
      self.p2p.wait(*request);
      EXPECT_TRUE(request->failure.ok()) << request->failure.message();
      request->dispose();
    }
    for (const auto& [index, key] : to_check) {
      std::vector<unsigned char> expected(buffers[index].size());
      fill(expected, key);
      EXPECT_EQ(buffers[index], expected);
    }
    const PointToPoint::Pending left = self.p2p.pending();
    EXPECT_EQ(left.posted_receives + left.unexpected_messages + left.unexpected_bytes + left.sends, 0);
  });
}

TEST_P(Protocols, MixLongMessagesThatAreCopiedDirectlyWithOnesThatMustBeSent) {
  GetParam().run(2, [](TestRank& self) {
    constexpr std::int64_t kBytes = 24'000;
    constexpr int kWindow = 7;  // several at a time
    auto strided = datatype::Datatype::vector(kBytes / 8, 8, 16, datatype::predefined(datatype::Basic::kByte));
    ASSERT_TRUE(strided.ok());
    strided.value()->commit();
    constexpr int kRounds = kUnderSanitizer ? 40 : 300;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::vector<unsigned char>> buffers(kWindow, std::vector<unsigned char>(2 * kBytes));
      std::vector<Request*> requests;
      for (int i = 0; i < kWindow; ++i) {
        auto& buffer = buffers[static_cast<std::size_t>(i)];
        Message message = self.bytes(buffer.data(), kBytes, 1 - self.rank, i);
        if (self.rank == 0) {
          fill(buffer, static_cast<std::uint64_t>(round * kWindow + i));
          requests.push_back(self.p2p.isend(message, SendMode::kStandard));
          continue;
        }
        if ((round + i) % 3 == 0) {  // such a receive cannot be copied into
          message.count = 1;
          message.type = strided.value().get();
        }
        requests.push_back(self.p2p.ireceive(message));
      }
      for (int i = 0; i < kWindow; ++i) {
        self.p2p.wait(*requests[static_cast<std::size_t>(i)]);
        requests[static_cast<std::size_t>(i)]->dispose();
        if (self.rank == 0) continue;
        std::vector<unsigned char> expected(2 * kBytes);
        fill(expected, static_cast<std::uint64_t>(round * kWindow + i));
        const auto& got = buffers[static_cast<std::size_t>(i)];
        const bool is_strided = (round + i) % 3 == 0;
        for (std::size_t at : {std::size_t{0}, std::size_t{kBytes / 2 + 3}, std::size_t{kBytes - 1}}) {
          ASSERT_EQ(got[is_strided ? at / 8 * 16 + at % 8 : at], expected[at]) << round << ", message " << i;
        }
      }
    }
  });
}

/// bytes: of a message. Both ranks send, and receive before or after the messages come.
void refuse_halfway(const Settings& settings, std::int64_t bytes) {
  run_ranks(2, settings, [bytes](TestRank& self) {
    const auto size = static_cast<std::size_t>(bytes);
    const std::int32_t peer = 1 - self.rank;
    for (int round = 0; round < 6; ++round) {
      std::vector<unsigned char> out(size);
      std::vector<unsigned char> in(size);
      std::vector<unsigned char> expected(size);
      fill(out, static_cast<std::uint64_t>(round * 2 + self.rank));
      fill(expected, static_cast<std::uint64_t>(round * 2 + peer));
      const bool is_expected = round % 2 == 0;
      Request* receive = is_expected ? self.p2p.ireceive(self.bytes(in.data(), bytes, peer, round)) : nullptr;
      Request* send = self.p2p.isend(self.bytes(out.data(), bytes, peer, round), SendMode::kStandard);
      unsigned char letter = 0;  // comes after the message
      EXPECT_TRUE(self.p2p.send(self.bytes(&letter, 1, peer, 100), SendMode::kStandard).ok());
      EXPECT_TRUE(self.p2p.receive(self.bytes(&letter, 1, peer, 100), nullptr).ok());
      if (!is_expected) receive = self.p2p.ireceive(self.bytes(in.data(), bytes, peer, round));
      for (Request* request : {receive, send}) {
        self.p2p.wait(*request);
        EXPECT_TRUE(request->failure.ok()) << request->failure.message();
        request->dispose();
      }
      EXPECT_EQ(in, expected) << "round " << round;
      // From now on the peer's number belongs to nobody: what was permitted when it was probed fails when it is used.
      if (round == 1) self.segment.rank(LocalRank(peer)).pid.store(1 << 30);
    }
  });
}

TEST(SingleCopy, SendsTheMessageThroughBuffersWhenTheKernelRefusesHalfway) {
  refuse_halfway({}, 1 << 20);
  refuse_halfway({{"EAGER_COPIES", "always"}}, 30'000);
}

TEST(SingleCopy, LetsBothSidesSendEagerMessagesBeforeTheyReceive) {
  for (const char* copies : {"learn", "always"}) {
    run_ranks(2, {{"EAGER_COPIES", copies}}, [](TestRank& self) {
      const std::int32_t peer = 1 - self.rank;
      for (int round = 0; round < 3000; ++round) {
        const std::int64_t bytes = round % 2 == 0 ? 20'000 : 5000;
        std::vector<unsigned char> out(static_cast<std::size_t>(bytes), static_cast<unsigned char>(round + self.rank));
        std::vector<unsigned char> in(static_cast<std::size_t>(bytes));
        EXPECT_TRUE(self.p2p.send(self.bytes(out.data(), bytes, peer, 1), SendMode::kStandard).ok());
        EXPECT_TRUE(self.p2p.receive(self.bytes(in.data(), bytes, peer, 1), nullptr).ok());
        EXPECT_EQ(std::count(in.begin(), in.end(), static_cast<unsigned char>(round + peer)), bytes);
      }
    });
  }
}

TEST_P(Protocols, CutALongMessageAtTheReceiversCapacityAndSaySo) {
  GetParam().run(2, [](TestRank& self) {
    for (std::int64_t size : {30, 4000, 20'000, 300'000}) {
      std::vector<unsigned char> data(static_cast<std::size_t>(size), 5);
      if (self.rank == 0) {
        EXPECT_TRUE(self.p2p.send(self.bytes(data.data(), size, 1, 1), SendMode::kStandard).ok());
        continue;
      }
      std::vector<unsigned char> got(static_cast<std::size_t>(size), 9);
      Completion completion;
      const Status status = self.p2p.receive(self.bytes(got.data(), size / 2, 0, 1), &completion);
      EXPECT_EQ(status.error_class(), ErrorClass::kTruncate);
      EXPECT_NE(status.message().find(std::to_string(size)), std::string::npos) << status.message();
      EXPECT_EQ(completion.bytes, size / 2);
      EXPECT_EQ(std::count(got.begin(), got.end(), 5), size / 2) << "bytes behind the receive's end were written";
    }
  });
}

TEST_P(Protocols, TakeBackOnlySendsThatNobodyHasMatched) {
  GetParam().run(2, [](TestRank& self) {
    std::vector<unsigned char> data(100'000, 3);
    const auto size = static_cast<std::int64_t>(data.size());
    unsigned char go = 0;
    if (self.rank == 0) {
      Request* request = self.p2p.isend(self.bytes(data.data(), size, 1, 5), SendMode::kSynchronous);
      EXPECT_TRUE(self.p2p.send(self.bytes(&go, 1, 1, 6), SendMode::kStandard).ok());
      request->cancel();
      self.p2p.wait(*request);  // rank 1 receives tag 5 only after tag 7, so the cancel finds it unmatched
      EXPECT_TRUE(request->completion.cancelled);
      request->dispose();
      EXPECT_TRUE(self.p2p.send(self.bytes(&go, 1, 1, 7), SendMode::kStandard).ok());
      EXPECT_TRUE(self.p2p.send(self.bytes(data.data(), 10, 1, 5), SendMode::kStandard).ok());
    } else {
      Completion completion;
      EXPECT_TRUE(self.p2p.receive(self.bytes(&go, 1, 0, 6), &completion).ok());
      EXPECT_TRUE(self.p2p.receive(self.bytes(&go, 1, 0, 7), &completion).ok());
      EXPECT_TRUE(self.p2p.receive(self.bytes(data.data(), size, 0, 5), &completion).ok());
      EXPECT_EQ(completion.bytes, 10) << "the cancelled message was received";
    }
  });
}

/// The row of the rank in the segment of its node.
observe::TrafficCount sent_by(const TestRank& self, std::int32_t to) {
  const LocalRank here(self.network != nullptr ? 0 : self.rank);
  return self.segment.traffic().count(here, WorldRank(to)).read();
}

TEST_P(Protocols, CountTheMessagesAndBytesToEachRank) {
  static constexpr std::int32_t kMessages = 100;
  for (const std::int64_t size : {0, 8, 1000, 100'000}) {
    GetParam().run(3, [size](TestRank& self) {
      std::vector<char> data(static_cast<std::size_t>(size));
      if (self.rank == 1) {
        for (std::int32_t i = 0; i < kMessages; ++i) {
          EXPECT_TRUE(self.p2p.receive(self.bytes(data.data(), size, 0, 1), nullptr).ok());
        }
      }
      if (self.rank != 0) return;
      for (std::int32_t i = 0; i < kMessages; ++i) {
        EXPECT_TRUE(self.p2p.send(self.bytes(data.data(), size, 1, 1), SendMode::kStandard).ok());
      }
      EXPECT_EQ(sent_by(self, 1).messages, kMessages);
      EXPECT_EQ(sent_by(self, 1).bytes, static_cast<std::uint64_t>(kMessages * size));
      EXPECT_EQ(sent_by(self, 2).messages, 0u);
    });
  }
}

TEST(Peers, SayWhichRankNoTransportReaches) {
  const config::Store config;
  const auto segment = memory::JobSegment::create(transport::shm::geometry(1, config)).value();
  const memory::Placement placement({{{WorldRank(0)}, 1}, {{WorldRank(1)}, 1}}, 0);
  progress::Engine progress(*segment, LocalRank(0), config);
  const auto made = PointToPoint::create(progress, {*segment, placement, WorldRank(0), config});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("cannot reach rank 1 on node 1"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Configurations, Protocols, ::testing::ValuesIn(cases()),
                         [](const auto& protocol_case) { return std::string(protocol_case.param.name); });

}  // namespace
}  // namespace starling::p2p
