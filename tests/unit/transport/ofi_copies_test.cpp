// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Copies over a provider that keeps registrations: all memory has one key.
#include <gtest/gtest.h>

#include <array>

#include "transport/ofi/copies.hpp"
#include "unit/transport/no_fabric.hpp"

namespace starling::transport::ofi {
namespace {

constexpr Address kPeer(1);
constexpr std::uint64_t kKey = 7;

class OneKey final : public NoFabric {
 public:
  [[nodiscard]] std::size_t longest_read() const noexcept override { return 1000; }
  [[nodiscard]] std::unique_ptr<Registration> register_memory(void* memory, std::size_t /*bytes*/,
                                                              Access /*access*/) override {
    ++registered;
    auto made = std::make_unique<Counted>(*this);
    made->address = reinterpret_cast<std::uint64_t>(memory);
    made->key = kKey;
    return made;
  }
  [[nodiscard]] Outcome read(Place /*from*/, Buffer& buffer, const Read& /*read*/) override {
    reading = &buffer;
    return Outcome::kDone;
  }

  int registered = 0;  ///< and not given up
  Buffer* reading = nullptr;

 private:
  struct Counted final : Registration {
    explicit Counted(OneKey& its) : fabric(its) {}
    ~Counted() override { --fabric.registered; }
    OneKey& fabric;
  };
};

class OfiCopies : public testing::Test, protected Copies::Host {
 protected:
  [[nodiscard]] Place place_of(Address /*peer*/) const override { return 0; }
  [[nodiscard]] bool has_room(Address /*peer*/) const override { return room; }
  void tell_copied(Address peer, const CopyOffer& offer) override {
    EXPECT_EQ(peer, kPeer);
    told.push_back(offer);
  }
  void look() override {}
  CopyOffer offer_of(const std::byte& first) { return copies.offer(kPeer, &first, 10, SingleCopy::Withdrawal::kNever); }

  OneKey fabric;
  Copies copies{fabric, *this};
  std::array<std::byte, 100> memory{};
  std::vector<CopyOffer> told;
  bool room = true;
};

TEST_F(OfiCopies, OfOneKeyAreToldApart) {
  const CopyOffer first = offer_of(memory[0]);
  const CopyOffer second = offer_of(memory[50]);
  ASSERT_FALSE(second.is_none());
  copies.note_copied(kPeer, second);
  EXPECT_EQ(copies.help(kPeer, first), CopyState::kWaiting);
  EXPECT_EQ(copies.help(kPeer, second), CopyState::kDone);
  copies.note_copied(kPeer, first);
  EXPECT_EQ(copies.help(kPeer, first), CopyState::kDone);
  EXPECT_EQ(fabric.registered, 0);
}

TEST_F(OfiCopies, OneBufferIsOfferedToAPeerOnceAtATime) {
  const CopyOffer first = offer_of(memory[0]);
  EXPECT_TRUE(offer_of(memory[0]).is_none());
  EXPECT_EQ(fabric.registered, 1);
  copies.note_copied(kPeer, first);
  EXPECT_EQ(copies.help(kPeer, first), CopyState::kDone);
  EXPECT_EQ(offer_of(memory[0]), first);
}

TEST_F(OfiCopies, TheSenderIsToldWhenTheReceiverHasAll) {
  const CopyOffer offer{{1000, kKey}};
  ASSERT_TRUE(copies.open(kPeer, offer, memory.data(), memory.size()));
  EXPECT_EQ(copies.advance(kPeer, offer), CopyState::kWaiting);
  copies.note_read(*fabric.reading, false);
  EXPECT_TRUE(told.empty()) << "the sender may make an equal offer before this one is over";
  EXPECT_EQ(copies.advance(kPeer, offer), CopyState::kDone);
  EXPECT_EQ(told, std::vector{offer});
}

TEST_F(OfiCopies, TheSenderIsToldOfAMessageOfWhichNothingIsWanted) {
  const CopyOffer offer{{1000, kKey}};
  ASSERT_TRUE(copies.open(kPeer, offer, memory.data(), 0));
  EXPECT_EQ(copies.advance(kPeer, offer), CopyState::kDone);
  EXPECT_EQ(told, std::vector{offer});
  EXPECT_EQ(fabric.reading, nullptr);
}

TEST_F(OfiCopies, NothingIsRegisteredThatCannotBeAnnounced) {
  room = false;
  EXPECT_TRUE(offer_of(memory[0]).is_none());
  EXPECT_EQ(fabric.registered, 0);
}

TEST_F(OfiCopies, TakenBackAreNotConfusedWithLaterOnes) {
  const CopyOffer first = offer_of(memory[0]);
  EXPECT_EQ(copies.take_back(kPeer, first), CopyState::kGone);
  EXPECT_EQ(fabric.registered, 0);
  EXPECT_TRUE(offer_of(memory[0]).is_none()) << "the peer may still tell of the first";
  copies.note_copied(kPeer, first);
  const CopyOffer again = offer_of(memory[0]);
  EXPECT_EQ(again, first);
  EXPECT_EQ(copies.help(kPeer, again), CopyState::kWaiting);
  copies.note_copied(kPeer, again);
  EXPECT_EQ(copies.take_back(kPeer, again), CopyState::kDone);
}

}  // namespace
}  // namespace starling::transport::ofi
