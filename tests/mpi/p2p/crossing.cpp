// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks send to all at once, messages of all sizes that a network sends without a question, in one packet or in
// many, to receives that are there, that come later, that are too short, that are freed, and that follow a probe.
#include <cstdint>
#include <deque>
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/pattern.hpp"
#include "support/unordered_reads.hpp"

namespace starling::tests {
namespace {

enum class Arrival : std::uint8_t { kPosted, kLate, kProbed, kTooShort, kFreed, kLateTooShort };
constexpr int kArrivals = 6;
constexpr int kCrossing = 2 * kArrivals;

/// From, to and number of a message.
struct Crossing {
  int from;
  int to;
  int number;

  [[nodiscard]] Arrival how() const { return static_cast<Arrival>(number % kArrivals); }
  [[nodiscard]] std::uint64_t key() const { return key_of(from, to, number); }
  /// The same for both ends; two of five as a rule above what sockets have room for at first.
  [[nodiscard]] int bytes(std::uint64_t round) const {
    const std::uint64_t random = key_of(from, to, number, round);
    return static_cast<int>(random % (random % 5 < 2 ? 1'200'000 : 70'000));
  }
  [[nodiscard]] int room(std::uint64_t round) const {
    const bool is_too_short = how() == Arrival::kTooShort || how() == Arrival::kLateTooShort;
    return is_too_short ? bytes(round) / 2 : bytes(round);
  }
};

class CrossingReceives {
 public:
  CrossingReceives(Context& world, std::uint64_t round) : world_(world), round_(round) {
    for (int from = 0; from < world.size; ++from) {
      for (int number = 0; number < kCrossing; ++number) {
        const Crossing name{from, world.rank, number};
        all_.push_back({name, GuardedBuffer(static_cast<std::size_t>(name.room(round))), MPI_REQUEST_NULL});
      }
    }
  }

  void post() {
    for (One& one : all_) {
      const Arrival how = one.name.how();
      if (how == Arrival::kPosted || how == Arrival::kTooShort || how == Arrival::kFreed) post(one);
      if (how == Arrival::kFreed) MPI_Request_free(&one.request);
    }
  }

  void post_late() {
    Context& world = world_;
    for (One& one : all_) {
      if (one.name.how() == Arrival::kLate || one.name.how() == Arrival::kLateTooShort) post(one);
      if (one.name.how() != Arrival::kProbed) continue;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(one.name.from, one.name.number, world.comm, &message, &status);
      int bytes = -1;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      CHECK_EQ(bytes, one.name.bytes(round_));
      MPI_Imrecv(one.buffer.data(), bytes, MPI_BYTE, &message, &one.request);
    }
  }

  void finish() {
    Context& world = world_;
    for (One& one : all_) {
      const Arrival how = one.name.how();
      if (how == Arrival::kFreed) {
        int flag = 0;
        while (!is_there(one)) MPI_Iprobe(MPI_ANY_SOURCE, kCrossing, world.comm, &flag, MPI_STATUS_IGNORE);
        continue;
      }
      MPI_Status status;
      const int error = MPI_Wait(&one.request, &status);
      int error_class = MPI_SUCCESS;
      MPI_Error_class(error, &error_class);
      const bool is_cut = one.name.room(round_) < one.name.bytes(round_);
      CHECK_EQ(error_class, is_cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
      CHECK(is_right(one));
    }
  }

 private:
  struct One {
    Crossing name;
    GuardedBuffer buffer;
    MPI_Request request;
  };

  void post(One& one) {
    const Crossing& name = one.name;
    MPI_Irecv(one.buffer.data(), name.room(round_), MPI_BYTE, name.from, name.number, world_.comm, &one.request);
  }
  static bool is_right(const One& one) { return one.buffer.holds(one.name.key()); }
  /// The same while the progress thread may be receiving.
  static bool is_there(const One& one) {
    const UnorderedReads reads;
    return is_right(one);
  }

  Context& world_;
  std::uint64_t round_;
  std::deque<One> all_;
};

/// CrossingSends all of a rank's messages; every second request is freed at once.
struct CrossingSends {
  CrossingSends(const Context& world, std::uint64_t round) {
    for (int number = 0; number < kCrossing; ++number) {
      for (int to = 0; to < world.size; ++to) {
        const Crossing name{world.rank, to, number};
        data.push_back(pattern(static_cast<std::size_t>(name.bytes(round)), name.key()));
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(data.back().data(), name.bytes(round), MPI_BYTE, to, number, world.comm, &request);
        if ((number + to) % 2 == 0) {
          MPI_Request_free(&request);
        } else {
          requests.push_back(request);
        }
      }
    }
  }

  std::deque<std::vector<unsigned char>> data;
  std::vector<MPI_Request> requests;
};

MPI_CASE("messages of all sizes that cross arrive, whatever becomes of their receives", 2, 4) {
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  for (std::uint64_t round = 0; round < 4; ++round) {
    CrossingReceives receives(world, round);
    receives.post();
    CrossingSends sends(world, round);
    receives.post_late();
    receives.finish();
    MPI_Waitall(static_cast<int>(sends.requests.size()), sends.requests.data(), MPI_STATUSES_IGNORE);
    MPI_Barrier(world.comm);  // all that was sent has arrived
  }
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
}

}  // namespace
}  // namespace starling::tests
