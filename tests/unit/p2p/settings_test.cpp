// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Each variable of the protocols does what it says: with the setting ignored its test fails.
#include <algorithm>
#include <set>
#include <tuple>

#include "transport/shm/postbox.hpp"
#include "unit/p2p/two_ranks.hpp"

namespace starling::p2p {
namespace {

/// Two ranks of one thread, which poll only when they are told to.
class TwoRanks {
 public:
  explicit TwoRanks(const Settings& settings) {
    for (const auto& [name, value] : settings) EXPECT_TRUE(config_.set(name, value).ok()) << name;
    nodes_ = std::make_unique<TestNodes>(2, config_, nullptr);
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      const transport::Surroundings around = nodes_->around(WorldRank(rank), config_);
      around.segment.rank(around.local_rank()).pid.store(getpid());
      segment = &around.segment;
      progress_[rank] = std::make_unique<progress::Engine>(around.segment, around.local_rank(), config_);
      p2p_[rank] = PointToPoint::create(*progress_[rank], around).value();
      const std::vector<ProcessId> members = {process_of(WorldRank(0)), process_of(WorldRank(1))};
      worlds_[rank] = Ref<comm::Communicator>::adopt(
          new comm::Communicator(0, Ref<comm::Group>::adopt(new comm::Group(members)), rank, {}));
    }
  }
  ~TwoRanks() {
    for (auto& each : p2p_) each.reset();
    for (auto& each : progress_) each.reset();
  }

  Message message(std::int32_t rank, std::vector<unsigned char>& data) {
    return {data.data(),
            static_cast<std::int64_t>(data.size()),
            &datatype::predefined(datatype::Basic::kByte),
            1 - rank,
            0,
            worlds_[rank].get()};
  }
  Request* isend(std::vector<unsigned char>& data, SendMode mode = SendMode::kStandard) {
    return p2p_[0]->isend(message(0, data), mode);
  }
  Request* ireceive(std::vector<unsigned char>& data, bool is_operand = false) {
    Message wanted = message(1, data);
    wanted.is_operand = is_operand;
    return p2p_[1]->ireceive(wanted);
  }
  void poll(std::int32_t rank) { progress_[rank]->poll(); }
  /// Both, until the requests are complete.
  void finish(std::initializer_list<Request*> requests) {
    const auto done = [&] { return std::ranges::all_of(requests, [](Request* each) { return each->complete(); }); };
    while (!done()) {
      poll(0);
      poll(1);
    }
    for (Request* each : requests) each->dispose();
  }

  /// Messages that rank 1 keeps aside.
  [[nodiscard]] std::int64_t unexpected() const { return p2p_[1]->pending().unexpected_messages; }
  /// How far rank 1 has told rank 0 that it has taken its packets.
  [[nodiscard]] std::uint64_t consumed() const {
    return transport::shm::view(*segment, LocalRank(1), LocalRank(0)).head->receiver.consumed.load();
  }

  /// The postboxes from rank 0 to rank 1 that have ever been used, while the ring has not gone around.
  [[nodiscard]] std::int64_t packets_sent() const {
    const auto parts = transport::shm::view(*segment, LocalRank(1), LocalRank(0));
    const std::uint32_t slots = segment->header().geometry.ring_slots;
    return std::count_if(parts.postboxes, parts.postboxes + slots,
                         [](const transport::shm::Postbox& box) { return box.sequence.load() != 0; });
  }

  memory::JobSegment* segment = nullptr;

 private:
  config::Store config_;
  std::unique_ptr<TestNodes> nodes_;
  std::unique_ptr<progress::Engine> progress_[2];
  std::unique_ptr<PointToPoint> p2p_[2];
  Ref<comm::Communicator> worlds_[2];
};

TEST(ProtocolSettings, EagerLimitIsTheLargestMessageThatLeavesUnasked) {
  for (const auto& [limit, leaves] : {std::pair("1k", false), std::pair("64k", true)}) {
    TwoRanks ranks(Settings{{"EAGER_LIMIT", limit}});
    std::vector<unsigned char> out(40'000, 1);
    std::vector<unsigned char> in(40'000, 0);
    Request* const send = ranks.isend(out);
    EXPECT_EQ(send->complete(), leaves) << limit;
    ranks.finish({send, ranks.ireceive(in)});
    EXPECT_EQ(in, out);
  }
}

TEST(ProtocolSettings, EagerCopiesSayWhetherAMessageOfMoreThanFourKibibytesIsCopiedOnce) {
  constexpr int kMessages = 1000;  // with a trial among them
  for (const auto& [word, bytes, least, most] :
       {std::tuple("never", 20'000, 0, 0), std::tuple("always", 20'000, kMessages, kMessages),
        std::tuple("learn", 20'000, 100, 700), std::tuple("never", 5000, 0, 0),
        std::tuple("always", 5000, kMessages, kMessages), std::tuple("learn", 5000, 100, 700),
        std::tuple("always", 4096, 0, 0)}) {
    TwoRanks ranks(Settings{{"EAGER_COPIES", word}});
    std::vector<unsigned char> out(static_cast<std::size_t>(bytes), 1);
    int copied_once = 0;
    for (int i = 0; i < kMessages; ++i) {
      std::vector<unsigned char> in(out.size(), 0);
      Request* const receive = i % 2 == 0 ? ranks.ireceive(in) : nullptr;
      Request* const send = ranks.isend(out);
      copied_once += send->complete() ? 0 : 1;
      ranks.poll(1);
      ranks.poll(0);
      EXPECT_TRUE(send->complete()) << "it waits for no receive";
      ranks.finish({send, receive != nullptr ? receive : ranks.ireceive(in)});
      EXPECT_EQ(in, out);
    }
    EXPECT_GE(copied_once, least) << word << " " << bytes;
    EXPECT_LE(copied_once, most) << word << " " << bytes;
  }
}

TEST(ProtocolSettings, OfManyEagerMessagesThatAreCopiedOnceTheSenderCopiesItsShare) {
  TwoRanks ranks(Settings{{"EAGER_COPIES", "always"}});
  constexpr int kMessages = 4;
  std::vector<unsigned char> out(20'000, 1);
  std::vector<std::vector<unsigned char>> in(kMessages, std::vector<unsigned char>(out.size(), 0));
  std::vector<Request*> receives;
  std::vector<Request*> sends;
  for (std::vector<unsigned char>& buffer : in) receives.push_back(ranks.ireceive(buffer));
  for (int i = 0; i < kMessages; ++i) sends.push_back(ranks.isend(out));
  const auto completed = [&] {
    return std::ranges::count_if(sends, [](const Request* send) { return send->complete(); });
  };
  ranks.poll(1);
  EXPECT_LE(completed(), 1) << "the receiver has copied more than the last one by itself";
  for (int i = 0; i < 2 * kMessages; ++i) ranks.poll(0);
  EXPECT_GE(completed(), kMessages - 1) << "the sender does not copy";
  for (int i = 0; i < kMessages; ++i)
    ranks.finish({sends[static_cast<std::size_t>(i)], receives[static_cast<std::size_t>(i)]});
  for (const std::vector<unsigned char>& buffer : in) EXPECT_EQ(buffer, out);
}

TEST(ProtocolSettings, AMessageThatShallBeCopiedOnceIsUnlessTheSettingForbidsIt) {
  for (const auto& [word, once] : {std::pair("learn", true), std::pair("never", false)}) {
    TwoRanks ranks(Settings{{"EAGER_COPIES", word}});
    std::vector<unsigned char> out(20'000, 1);
    std::vector<unsigned char> in(out.size(), 0);
    Request* const send = ranks.isend(out, SendMode::kCopiedOnce);
    EXPECT_EQ(send->complete(), !once) << word;
    ranks.finish({send, ranks.ireceive(in)});
    EXPECT_EQ(in, out);
  }
}

TEST(Protocol, TheReceiverCopiesAnOperandAloneUnlessItIsLong) {
  for (const auto& [bytes, is_operand, alone] :
       {std::tuple(100'000, true, true), std::tuple(100'000, false, false), std::tuple(1'000'000, true, false)}) {
    for (const bool is_early : {true, false}) {
      TwoRanks ranks({});
      std::vector<unsigned char> out(static_cast<std::size_t>(bytes), 1);
      std::vector<unsigned char> in(out.size(), 0);
      Request* const early = is_early ? ranks.ireceive(in, is_operand) : nullptr;
      Request* const send = ranks.isend(out);
      ranks.poll(1);
      Request* const receive = is_early ? early : ranks.ireceive(in, is_operand);
      EXPECT_EQ(receive->complete(), alone) << bytes << (is_operand ? ", an operand" : "");
      ranks.finish({send, receive});
      EXPECT_EQ(in, out);
    }
  }
}

TEST(ProtocolSettings, AWordThatEagerCopiesDoNotKnowIsRefused) {
  config::Store config;
  ASSERT_TRUE(config.set("EAGER_COPIES", "perhaps").ok());
  const TestNodes nodes(1, config, nullptr);
  const transport::Surroundings around = nodes.around(WorldRank(0), config);
  progress::Engine progress(around.segment, around.local_rank(), config);
  const auto made = PointToPoint::create(progress, around);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("STARLING_EAGER_COPIES=perhaps"), std::string::npos);
  EXPECT_NE(made.status().message().find("learn, always, never"), std::string::npos);
}

TEST(ProtocolSettings, CreditBytesAreWhatAReceiverKeepsOfASenderBeforeMessagesAreOnlyAnnounced) {
  for (const auto& [credit, stops] : {std::pair("10k", true), std::pair("64m", false)}) {
    TwoRanks ranks(Settings{{"CREDIT_BYTES", credit}});
    constexpr int kMessages = 200;
    std::vector<unsigned char> out(1000, 1);
    std::vector<Request*> sends;
    int announced = 0;
    for (int i = 0; i < kMessages; ++i) {
      sends.push_back(ranks.isend(out));
      ranks.poll(1);
      announced += sends.back()->complete() ? 0 : 1;
    }
    if (stops) {
      EXPECT_GT(announced, kMessages / 2);
    } else {
      EXPECT_EQ(announced, 0);
    }
    for (Request* send : sends) {
      std::vector<unsigned char> in(1000, 0);
      ranks.finish({send, ranks.ireceive(in)});
      EXPECT_EQ(in, out);
    }
  }
}

TEST(ProtocolSettings, ALongMessageAboveTheCyclicSizeHasTwoPiecesUnderWayAndOthersFillThePool) {
  for (const auto& [above, pieces] : {std::pair("0", 32), std::pair("64k", 2), std::pair("4m", 32)}) {
    TwoRanks ranks(Settings{{"SHM_SINGLE_COPY", "0"}, {"CYCLIC_ABOVE", above}});
    std::vector<unsigned char> out(1 << 20, 3);
    std::vector<unsigned char> in(1 << 20, 0);
    Request* const receive = ranks.ireceive(in);
    Request* const send = ranks.isend(out);
    constexpr int kAnnouncement = 1;
    ASSERT_EQ(ranks.packets_sent(), kAnnouncement);
    ranks.poll(1);  // it asks for the data
    ranks.poll(0);
    EXPECT_EQ(ranks.packets_sent(), kAnnouncement + pieces) << "above " << above;
    ranks.finish({send, receive});
    EXPECT_EQ(in, out);
  }
}

TEST(Streams, AReceiverTakesOneMessageForEachReceive) {
  TwoRanks ranks(Settings{});
  constexpr int kMessages = 12;  // less than a quarter of the ring
  std::vector<std::vector<unsigned char>> out;
  for (int i = 0; i < kMessages; ++i) out.emplace_back(8, static_cast<unsigned char>(i));
  for (auto& each : out) ranks.isend(each)->dispose();
  std::vector<unsigned char> in(8);
  for (const auto& each : out) {
    Request* const receive = ranks.ireceive(in);
    ranks.poll(1);
    ASSERT_TRUE(receive->complete());
    EXPECT_EQ(in, each);
    EXPECT_EQ(ranks.unexpected(), 0) << "what nobody waits for stays where it is";
    receive->dispose();
  }
  EXPECT_EQ(ranks.consumed(), 0U) << "a few messages are not worth the transfer of a cache line";
  ranks.poll(1);
  EXPECT_EQ(ranks.consumed(), static_cast<std::uint64_t>(kMessages)) << "a receiver with nothing else to do says it";
}

TEST(Streams, AProbeSeesEverythingThatCame) {
  TwoRanks ranks(Settings{});
  constexpr int kMessages = 12;
  std::vector<unsigned char> out(8);
  std::vector<unsigned char> in(8);
  for (int i = 0; i < kMessages; ++i) ranks.isend(out)->dispose();
  ranks.poll(1);
  EXPECT_EQ(ranks.unexpected(), kMessages) << "no receive is posted, as where a program only probes";
  for (int i = 0; i < kMessages; ++i) ranks.finish({ranks.ireceive(in)});
}

TEST(Streams, AReceiverOfManyTellsTheSenderOnTheWay) {
  TwoRanks ranks(Settings{});
  const std::uint32_t slots = ranks.segment->header().geometry.ring_slots;
  std::vector<unsigned char> out(8);
  std::vector<unsigned char> in(8);
  for (std::uint32_t i = 0; i < slots; ++i) ranks.isend(out)->dispose();
  for (std::uint32_t i = 0; i < slots; ++i) {
    Request* const receive = ranks.ireceive(in);
    ranks.poll(1);
    ASSERT_TRUE(receive->complete());
    receive->dispose();
    EXPECT_LT(i + 1 - ranks.consumed(), slots / 4);
  }
}

}  // namespace
}  // namespace starling::p2p
