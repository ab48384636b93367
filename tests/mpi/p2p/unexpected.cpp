// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Long queues: matching must stay fast with 100,000 messages or receives waiting.
//
// The bound is far above what constant-time matching needs and below what a walk of the queue for each message costs
// (100,000 messages, 50,000 steps each, some nanoseconds a step). It is on processor time: other work on the machine
// does not count. Under a sanitizer there are fewer, and only the order is tested.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "support/clocks.hpp"
#include "support/mpi_cases.hpp"
#include "support/outbox.hpp"
#include "support/sanitized.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kUnexpected = kUnderSanitizer ? 20000 : 100000;
constexpr int kTags = 3 * kUnexpected / 10;
constexpr double kSecondsAllowed = kUnderSanitizer ? 50.0 : 5.0;

enum class Order { kForward, kBackward, kRandom };

/// The tag of message i is i % kTags; messages with one tag are received in their order.
std::vector<int> receive_order(Context& world, Order order) {
  std::vector<int> tags(kUnexpected);
  for (int i = 0; i < kUnexpected; ++i) tags[static_cast<std::size_t>(i)] = i % kTags;
  auto random = world.generator();
  if (order == Order::kBackward) std::reverse(tags.begin(), tags.end());
  if (order == Order::kRandom) std::shuffle(tags.begin(), tags.end(), random);
  return tags;
}

void receive_unexpected(Context& world, Order order) {
  if (world.rank == 0) {
    std::vector<MPI_Request> requests(kUnexpected);
    std::vector<int> values(kUnexpected);
    std::iota(values.begin(), values.end(), 0);
    for (std::size_t i = 0; i < kUnexpected; ++i) {
      MPI_Isend(&values[i], 1, MPI_INT, 1, static_cast<int>(i % kTags), world.comm, &requests[i]);
    }
    MPI_Send(nullptr, 0, MPI_INT, 1, kTags, world.comm);
    MPI_Waitall(kUnexpected, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  const std::vector<int> tags = receive_order(world, order);
  MPI_Recv(nullptr, 0, MPI_INT, 0, kTags, world.comm, MPI_STATUS_IGNORE);
  std::vector<int> next(kTags);
  std::iota(next.begin(), next.end(), 0);
  const double begin = thread_processor_s();
  for (const int tag : tags) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, 0, tag, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(value, next[static_cast<std::size_t>(tag)]);
    next[static_cast<std::size_t>(tag)] += kTags;
  }
  CHECK(thread_processor_s() - begin < kSecondsAllowed);
}

MPI_CASE("very many unexpected messages are received in their order", 2, 2) {
  receive_unexpected(world, Order::kForward);
}
MPI_CASE("very many unexpected messages are received last tag first", 2, 2) {
  receive_unexpected(world, Order::kBackward);
}
MPI_CASE("very many unexpected messages are received in random order", 2, 2) {
  receive_unexpected(world, Order::kRandom);
}

MPI_CASE("very many unexpected messages from many senders meet wildcards", 3, 8) {
  const int each = kUnexpected / (world.size - 1);
  if (world.rank != 0) {
    Outbox outbox;
    for (int i = 0; i < each; ++i) outbox.send(i, 0, i % 100, world.comm);
    MPI_Send(nullptr, 0, MPI_INT, 0, 100, world.comm);
    return;
  }
  std::vector<int> next(static_cast<std::size_t>(world.size), 0);
  const double begin = thread_processor_s();
  // The markers come last from each sender, so everything before them is unexpected by then.
  for (int peer = 1; peer < world.size; ++peer) {
    MPI_Recv(nullptr, 0, MPI_INT, peer, 100, world.comm, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < each * (world.size - 1); ++i) {
    int value = -1;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &status);
    CHECK_EQ(value, next[static_cast<std::size_t>(status.MPI_SOURCE)]++);
  }
  CHECK(thread_processor_s() - begin < 2 * kSecondsAllowed);
}

MPI_CASE("very many posted receives are matched last tag first", 2, 2) {
  if (world.rank == 0) {
    MPI_Recv(nullptr, 0, MPI_INT, 1, kTags, world.comm, MPI_STATUS_IGNORE);
    for (int i = kUnexpected - 1; i >= 0; --i) MPI_Send(&i, 1, MPI_INT, 1, i % kTags, world.comm);
    return;
  }
  std::vector<int> values(kUnexpected, -1);
  std::vector<MPI_Request> requests(kUnexpected);
  for (std::size_t i = 0; i < kUnexpected; ++i) {
    MPI_Irecv(&values[i], 1, MPI_INT, 0, static_cast<int>(i % kTags), world.comm, &requests[i]);
  }
  const double begin = thread_processor_s();
  MPI_Send(nullptr, 0, MPI_INT, 0, kTags, world.comm);
  MPI_Waitall(kUnexpected, requests.data(), MPI_STATUSES_IGNORE);
  CHECK(thread_processor_s() - begin < kSecondsAllowed);
  for (int i = 0; i < kUnexpected; ++i) CHECK_EQ(values[static_cast<std::size_t>(i)] % kTags, i % kTags);
}

}  // namespace
}  // namespace starling::tests
