// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a rank sleeps and is woken (memory/doorbell.hpp, progress/engine.hpp): nobody sleeps over a message, with
// membarrier and where the kernel refuses it.
#include <cstring>

#include "progress/engine.hpp"
#include "transport/shm/incoming.hpp"
#include "transport/shm/outgoing.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::sleep_test {
namespace {

using transport::shm::Incoming;
using transport::shm::Outgoing;
using transport::shm::Postbox;

constexpr LocalRank kSleeper(0);

/// What the sleeper's engine polls: the ring of one sender.
struct Inbox final : progress::Poller, transport::Sink {
  Inbox(Node& node, LocalRank sender)
      : fences(node.segment->header().sender_fences != 0),
        in(*node.segment, kSleeper, sender, PeerId(sender.value), back) {}
  bool poll() override { return in.poll(*this, 64, fences); }
  void on_packet(PeerId /*peer*/, const transport::Packet& /*packet*/) override { ++packets; }

  bool fences;
  Outgoing back;
  Incoming in;
  int packets = 0;
};

void send(Outgoing& out, int packets, bool fences) {
  for (int i = 0; i < packets; ++i) {
    Postbox* box = out.next(1);
    out.publish(*box, {}, transport::shm::Form::kInline, 0, 1, fences);
  }
}

/// So many ranks send so many packets each to one that sleeps whenever there is nothing.
Model sleeper(Node& node, std::uint32_t senders, int packets) {
  return [&node, senders, packets](Execution& execution) {
    node.share(execution);
    auto& engine = execution.make<progress::Engine>(*node.segment, kSleeper, node.config);
    std::vector<Inbox*> inboxes;
    for (std::uint32_t i = 1; i <= senders; ++i) {
      const LocalRank sender(i);
      node.share_connection(execution, kSleeper, sender);
      auto& out = execution.make<Outgoing>();
      EXPECT_TRUE(out.open(*node.segment, kSleeper, sender, nullptr).ok());
      inboxes.push_back(&execution.make<Inbox>(node, sender));
      engine.add(*inboxes.back());
      execution.thread("sender", [&out, packets, fences = inboxes.back()->fences] { send(out, packets, fences); });
    }
    execution.thread("sleeper", [&engine, inboxes, packets] {
      engine.wait([&] {
        for (const Inbox* inbox : inboxes) {
          if (inbox->packets < packets) return false;
        }
        return true;
      });
    });
  };
}

TEST(Sleep, EndsWithAMessage) {
  Node node(2);
  expect_right(sleeper(node, 1, 1));
}

TEST(Sleep, EndsWithAMessageWhereMembarrierIsRefused) {
  Node node(2);
  node.have_senders_fence();
  expect_right(sleeper(node, 1, 1), without_membarrier());
}

TEST(Sleep, NeedsMembarrierOrFences) {
  Node node(2);
  EXPECT_NE(explore(sleeper(node, 1, 1), without_membarrier()).wrong.find("wait for ever"), std::string::npos);
}

}  // namespace
}  // namespace starling::weak::sleep_test
