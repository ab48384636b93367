// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The copy descriptors (transport/shm/postbox.hpp, shm_single_copy.hpp): both ends copy pieces of one message, each
// piece is copied once, and a descriptor and the memory of both ends are free when their owners think so.
#include <array>
#include <atomic>

#include "transport/shm/shm_single_copy.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::single_copy_test {
namespace {

using transport::CopyOffer;
using transport::CopyState;
using transport::SingleCopy;
using transport::shm::address_of;
using transport::shm::Connections;
using transport::shm::PeerMemory;
using transport::shm::ShmSingleCopy;

constexpr LocalRank kSender(0);
constexpr LocalRank kReceiver(1);
/// A message has two pieces, and is long enough to be shared.
constexpr std::size_t kPiece = 32 * 1024;
constexpr std::size_t kBytes = 2 * kPiece;

struct End {
  End(Node& node, LocalRank self)
      : connections(*node.segment, self, 0),
        memory(*node.segment, self, true),
        copy(connections, memory, node.config) {}
  Connections connections;
  PeerMemory memory;
  ShmSingleCopy copy;
};

/// The memory of both ends. Of each piece the first bytes are judged.
struct Message {
  alignas(64) std::array<unsigned char, kBytes> from{};
  alignas(64) std::array<unsigned char, kBytes> to{};

  void share(Execution& execution) {
    for (auto* memory : {&from, &to}) {
      for (std::size_t piece = 0; piece < kBytes; piece += kPiece) execution.share(memory->data() + piece, 8);
    }
  }
  void fill(int number) { from[0] = from[kPiece] = static_cast<unsigned char>(number); }
  [[nodiscard]] bool holds(int number) const { return to[0] == number && to[kPiece] == number; }
};

/// Stands for the packets that tell the receiver of an offer and the sender of an answer.
struct Told {
  std::atomic<int> offers{0};
  std::atomic<int> answers{0};
  CopyOffer offer;

  void tell(const CopyOffer& now, int number) {
    offer = now;
    offers.store(number, std::memory_order_release);
  }
  CopyOffer await(int number) {
    while (offers.load(std::memory_order_acquire) < number) look_again();
    return offer;
  }
};

struct Copying {
  Copying(Execution& execution, Node& node)
      : sender(execution.make<End>(node, kSender)),
        receiver(execution.make<End>(node, kReceiver)),
        message(execution.make<Message>()),
        told(execution.make<Told>()) {
    node.share(execution);
    node.share_connection(execution, kReceiver, kSender);
    message.share(execution);
    execution.share(told.offer);
    // The sender opens its connection before.
    EXPECT_NE(sender.connections.copy_descriptors_to(kReceiver), nullptr);
  }

  CopyOffer offer(SingleCopy::Withdrawal withdrawal = SingleCopy::Withdrawal::kNever) const {
    return sender.copy.offer(address_of(kReceiver), message.from.data(), message.from.size(), withdrawal);
  }
  void help_until_done(const CopyOffer& offer) const {
    while (true) {
      const CopyState state = sender.copy.help(address_of(kReceiver), offer);
      if (state == CopyState::kDone) return;
      require(state == CopyState::kMoved || state == CopyState::kWaiting, "the copy goes on");
      if (state == CopyState::kWaiting) look_again();
    }
  }
  /// Whether the message came; copied by the receiver alone.
  bool take(const CopyOffer& offer) const {
    const CopyState state = receiver.copy.take(address_of(kSender), offer, message.to.data(), kBytes);
    require(state == CopyState::kDone || state == CopyState::kGone, "the copy is permitted");
    return state == CopyState::kDone;
  }
  /// Whether the message came.
  bool receive(const CopyOffer& offer) const {
    if (!receiver.copy.open(address_of(kSender), offer, message.to.data(), kBytes)) return false;
    while (true) {
      const CopyState state = receiver.copy.advance(address_of(kSender), offer);
      if (state == CopyState::kDone) break;
      require(state == CopyState::kMoved || state == CopyState::kWaiting, "the copy goes on");
      if (state == CopyState::kWaiting) look_again();
    }
    return true;
  }

  End& sender;
  End& receiver;
  Message& message;
  Told& told;
};

enum class Receives { kTogether, kAlone };

/// Messages one after the other, from one buffer into one buffer. Of those that the receiver copies alone the memory is
/// its sender's own again after that.
Model messages(Node& node, int count, Receives how) {
  return [&node, count, how](Execution& execution) {
    const Copying copying(execution, node);
    execution.thread("sender", [copying, count, how] {
      for (int i = 1; i <= count; ++i) {
        copying.message.fill(i);
        const CopyOffer offer = copying.offer();
        copying.told.tell(offer, i);
        copying.help_until_done(offer);
        if (how == Receives::kAlone) copying.message.fill(100);
        // The next message is sent when the receiver has asked for it, so that the offers can lie in one place.
        while (i < count && copying.told.answers.load(std::memory_order_relaxed) < i) look_again();
      }
    });
    execution.thread("receiver", [copying, count, how] {
      for (int i = 1; i <= count; ++i) {
        const CopyOffer offer = copying.told.await(i);
        const bool came = how == Receives::kAlone ? copying.take(offer) : copying.receive(offer);
        require(came, "nobody takes the message back");
        require(copying.message.holds(i), "the bytes are the message's");
        if (how == Receives::kTogether) copying.receiver.copy.close(address_of(kSender), offer);
        copying.told.answers.store(i, std::memory_order_relaxed);
      }
    });
  };
}

TEST(SingleCopies, AreTakenByTheReceiver) {
  Node node(2);
  expect_right(messages(node, 1, Receives::kAlone));
}

TEST(SingleCopies, AreSharedByBothEnds) {
  Node node(2);
  expect_right(messages(node, 1, Receives::kTogether));
}

/// The sender takes its message back while the receiver may be opening it.
Model withdrawal(Node& node, Receives how) {
  return [&node, how](Execution& execution) {
    const Copying copying(execution, node);
    execution.thread("sender", [copying] {
      copying.message.fill(1);
      const CopyOffer offer = copying.offer(SingleCopy::Withdrawal::kPossible);
      copying.told.tell(offer, 1);
      const CopyState state = copying.sender.copy.take_back(address_of(kReceiver), offer);
      if (state == CopyState::kMoved || state == CopyState::kWaiting) copying.help_until_done(offer);
      // Its memory is its own again.
      copying.message.fill(2);
      copying.told.answers.store(state == CopyState::kGone ? 1 : 2, std::memory_order_relaxed);
    });
    execution.thread("receiver", [copying, how] {
      const CopyOffer offer = copying.told.await(1);
      const bool came = how == Receives::kAlone ? copying.take(offer) : copying.receive(offer);
      if (came) {
        require(copying.message.holds(1), "what came is the message");
        if (how == Receives::kTogether) copying.receiver.copy.close(address_of(kSender), offer);
      }
      while (copying.told.answers.load(std::memory_order_relaxed) == 0) look_again();
      require(came == (copying.told.answers.load(std::memory_order_relaxed) == 2), "both know whether it came");
    });
  };
}

TEST(SingleCopies, AreTakenBackOrNot) {
  Node node(2);
  expect_right(withdrawal(node, Receives::kTogether));
}

TEST(SingleCopies, AreTakenBackOrTakenByTheReceiver) {
  Node node(2);
  expect_right(withdrawal(node, Receives::kAlone));
}

}  // namespace
}  // namespace starling::weak::single_copy_test
