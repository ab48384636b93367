// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Random messages between all ranks, each sent, received and completed in one of the ways that there are, by one thread
// of each rank or by several at once. Each message has a tag of its own, and each byte is checked.
#include <memory>
#include <random>
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/sanitized.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kMixtureRounds = kUnderSanitizer ? 6 : 16;
constexpr int kMixedMessages = 6;  // of each rank in a round

/// What both ends know of a message.
struct Mixed {
  int from, to, tag, bytes, send_way, receive_way;
  bool is_cancelled;  ///< the sender tries to; whether it could is told in a message of the next tag
  [[nodiscard]] std::uint64_t key() const { return key_of(from, to, tag, bytes); }
};

std::vector<Mixed> draw_mixture(std::mt19937_64& random, int ranks, int first_tag) {
  constexpr int kSizes[] = {0, 8, 3000, 20000, 65536, 65536, 65536, 300000};
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<std::uint64_t>(end)); };
  std::vector<Mixed> messages;
  for (int i = 0; i < kMixedMessages * ranks; ++i) {
    const int from = i % ranks;
    messages.push_back({from, below(ranks), first_tag + 2 * i, kSizes[below(8)], below(5), below(6), below(8) == 0});
  }
  return messages;
}

/// The messages of one round that one thread of a rank sends and receives.
class MixedRound {
 public:
  MixedRound(MPI_Comm comm, int rank, std::vector<Mixed> messages)
      : comm_(comm), rank_(rank), messages_(std::move(messages)), told_(messages_.size(), 0), in_(messages_.size()) {}

  /// Nothing blocks before all is sent and all receives that need no message are posted.
  void play(int how, Context& world) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].to == rank_) receive_early(i);
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].from == rank_) send(i);
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].to == rank_) receive_late(i);
    }
    complete(how);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (in_[i]) world.check(in_[i]->holds(messages_[i].key()), "in_[i]->holds()", __FILE__, __LINE__);
    }
    for (MPI_Request& request : persistent_) MPI_Request_free(&request);
  }

 private:
  MPI_Request& next_request() { return requests_.emplace_back(MPI_REQUEST_NULL); }

  void send(std::size_t number) {
    const Mixed& message = messages_[number];
    out_.push_back(pattern(static_cast<std::size_t>(message.bytes), message.key()));
    const void* data = out_.back().data();
    MPI_Request request = MPI_REQUEST_NULL;
    switch (message.is_cancelled ? 0 : message.send_way) {
      case 0: MPI_Isend(data, message.bytes, MPI_BYTE, message.to, message.tag, comm_, &request); break;
      case 1: MPI_Issend(data, message.bytes, MPI_BYTE, message.to, message.tag, comm_, &request); break;
      case 2: MPI_Send_init(data, message.bytes, MPI_BYTE, message.to, message.tag, comm_, &request); break;
      case 3: MPI_Ssend_init(data, message.bytes, MPI_BYTE, message.to, message.tag, comm_, &request); break;
      default: send_strided(message, &request);
    }
    if (!message.is_cancelled && (message.send_way == 2 || message.send_way == 3)) {
      MPI_Start(&request);
      persistent_.push_back(request);
    }
    if (!message.is_cancelled) {
      next_request() = request;
      return;
    }
    MPI_Cancel(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    told_[number] = is_cancelled(status) ? 1 : 0;
    MPI_Isend(&told_[number], 1, MPI_INT, message.to, message.tag + 1, comm_, &next_request());
  }

  /// Each second block of 8 bytes; all sizes are whole blocks.
  void send_strided(const Mixed& message, MPI_Request* request) {
    const std::vector<unsigned char> packed = std::move(out_.back());
    std::vector<unsigned char>& spread = out_.back();
    spread.assign(2 * packed.size(), 0);
    for (std::size_t i = 0; i < packed.size(); ++i) spread[i / 8 * 16 + i % 8] = packed[i];
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_vector(message.bytes / 8, 8, 16, MPI_BYTE, &blocks);
    MPI_Type_commit(&blocks);
    MPI_Isend(spread.data(), 1, blocks, message.to, message.tag, comm_, request);
    MPI_Type_free(&blocks);
  }

  void receive_early(std::size_t number) {
    const Mixed& message = messages_[number];
    if (message.is_cancelled || message.receive_way > 2) return;
    GuardedBuffer& in = make_buffer(number);
    const int source = message.receive_way == 1 ? MPI_ANY_SOURCE : message.from;
    MPI_Request request = MPI_REQUEST_NULL;
    if (message.receive_way == 2) {
      MPI_Recv_init(in.data(), message.bytes, MPI_BYTE, source, message.tag, comm_, &request);
      MPI_Start(&request);
      persistent_.push_back(request);
    } else {
      MPI_Irecv(in.data(), message.bytes, MPI_BYTE, source, message.tag, comm_, &request);
    }
    next_request() = request;
  }

  void receive_late(std::size_t number) {
    const Mixed& message = messages_[number];
    if (!message.is_cancelled && message.receive_way <= 2) return;
    int taken_back = 0;
    if (message.is_cancelled) {
      MPI_Recv(&taken_back, 1, MPI_INT, message.from, message.tag + 1, comm_, MPI_STATUS_IGNORE);
    }
    if (taken_back != 0) return;
    GuardedBuffer& in = make_buffer(number);
    MPI_Message found = MPI_MESSAGE_NULL;
    int flag = 0;
    switch (message.receive_way % 3) {
      case 0:
        MPI_Mprobe(MPI_ANY_SOURCE, message.tag, comm_, &found, MPI_STATUS_IGNORE);
        MPI_Imrecv(in.data(), message.bytes, MPI_BYTE, &found, &next_request());
        break;
      case 1:
        while (!flag) MPI_Improbe(message.from, message.tag, comm_, &flag, &found, MPI_STATUS_IGNORE);
        MPI_Mrecv(in.data(), message.bytes, MPI_BYTE, &found, MPI_STATUS_IGNORE);
        break;
      default:
        while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, message.tag, comm_, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(in.data(), message.bytes, MPI_BYTE, message.from, message.tag, comm_, MPI_STATUS_IGNORE);
    }
  }

  void complete(int how) {
    const int count = static_cast<int>(requests_.size());
    std::vector<int> indices(requests_.size());
    int done = 0;
    int left = count;
    switch (how % 3) {
      case 0: MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE); break;
      case 1:
        while (left > 0 && done != MPI_UNDEFINED) {
          MPI_Waitsome(count, requests_.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
          left -= done;
        }
        break;
      default:
        while (!done) MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE);
    }
  }

  GuardedBuffer& make_buffer(std::size_t number) {
    in_[number] = std::make_unique<GuardedBuffer>(static_cast<std::size_t>(messages_[number].bytes));
    return *in_[number];
  }

  MPI_Comm comm_;
  int rank_;
  std::vector<Mixed> messages_;
  std::vector<int> told_;
  std::vector<std::unique_ptr<GuardedBuffer>> in_;
  std::vector<std::vector<unsigned char>> out_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Request> persistent_;
};

void play_mixture(Context& world, std::uint64_t seed, int thread) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < kMixtureRounds; ++round) {
    const int first_tag = 2 * kMixedMessages * world.size * (kMixtureRounds * thread + round);
    auto messages = draw_mixture(random, world.size, first_tag);
    MixedRound(world.comm, world.rank, std::move(messages)).play(round + world.rank, world);
  }
}

MPI_CASE("random messages are sent, received and completed in every way", 1, 8) {
  play_mixture(world, world.generator(1)(), 0);
}

MPI_CASE("random messages of several threads are sent, received and completed in every way", 1, 8) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  const std::uint64_t seed = world.generator(2)();
  world.run_threads(3, [&](int thread) { play_mixture(world, key_of(seed, thread), thread); });
}

}  // namespace
}  // namespace starling::tests
