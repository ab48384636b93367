// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The same messages again and again, as programs do: often enough that the library tries other ways to send them.
#include <vector>

#include "support/mpi_cases.hpp"
#include "support/pattern.hpp"
#include "support/repeats.hpp"

namespace starling::tests {
namespace {

/// Messages of one size in all the ways in which ranks of a ring send them.
class Repeated {
 public:
  Repeated(Context& context, int bytes)
      : world(context),
        bytes_(bytes),
        next_((world.rank + 1) % world.size),
        before_((world.rank + world.size - 1) % world.size) {}

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      switch (round / 64 % 4) {  // long enough each to be a habit
        case 0: exchange(round); break;
        case 1: window(round); break;
        case 2: unexpected(round); break;
        default: strided(round); break;
      }
    }
  }

 private:
  static constexpr int kTag = 7;
  static constexpr int kLater = 8;

  [[nodiscard]] std::vector<unsigned char> message(int from, int round) const {
    std::vector<unsigned char> data(static_cast<std::size_t>(bytes_));
    fill_pattern(data.data(), data.size(), key_of(from, bytes_, round));
    return data;
  }
  void check(const std::vector<unsigned char>& in, int round) {
    CHECK_EQ(first_wrong_byte(in.data(), in.size(), key_of(before_, bytes_, round)), -1);
  }

  void exchange(int round) {
    const auto out = message(world.rank, round);
    std::vector<unsigned char> in(out.size());
    MPI_Status status;
    MPI_Sendrecv(out.data(), bytes_, MPI_BYTE, next_, kTag, in.data(), bytes_, MPI_BYTE, MPI_ANY_SOURCE, kTag,
                 world.comm, &status);
    CHECK_EQ(status.MPI_SOURCE, before_);
    check(in, round);
  }

  void window(int round) {
    constexpr int kMessages = 5;
    const auto out = message(world.rank, round);
    std::vector<std::vector<unsigned char>> in(kMessages, std::vector<unsigned char>(out.size()));
    std::vector<MPI_Request> requests(2 * kMessages);
    for (std::size_t i = 0; i < kMessages; ++i) {
      MPI_Irecv(in[i].data(), bytes_, MPI_BYTE, before_, kTag, world.comm, &requests[i]);
      MPI_Isend(out.data(), bytes_, MPI_BYTE, next_, kTag, world.comm, &requests[kMessages + i]);
    }
    MPI_Waitall(2 * kMessages, requests.data(), MPI_STATUSES_IGNORE);
    for (const auto& each : in) check(each, round);
  }

  /// The letter overtakes nothing: the message has come, and is found by a probe.
  void unexpected(int round) {
    const auto out = message(world.rank, round);
    std::vector<unsigned char> in(out.size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), bytes_, MPI_BYTE, next_, kTag, world.comm, &request);
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, next_, kLater, nullptr, 0, MPI_BYTE, before_, kLater, world.comm,
                 MPI_STATUS_IGNORE);
    MPI_Status status;
    MPI_Message found = MPI_MESSAGE_NULL;
    MPI_Mprobe(before_, kTag, world.comm, &found, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK_EQ(count, bytes_);
    MPI_Mrecv(in.data(), bytes_, MPI_BYTE, &found, &status);
    check(in, round);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  /// Received with gaps.
  void strided(int round) {
    const auto out = message(world.rank, round);
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Type_vector(bytes_ / 4, 4, 8, MPI_BYTE, &gaps);
    MPI_Type_commit(&gaps);
    std::vector<unsigned char> apart(2 * out.size());
    MPI_Sendrecv(out.data(), bytes_, MPI_BYTE, next_, kTag, apart.data(), 1, gaps, before_, kTag, world.comm,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&gaps);
    std::vector<unsigned char> in(out.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = apart[i / 4 * 8 + i % 4];
    check(in, round);
  }

  Context& world;
  int bytes_;
  int next_;
  int before_;
};

MPI_CASE("a message that is repeated again and again is whole each time", 1, 8) {
  for (const int bytes : {9'000, 20'000, 32'768}) {
    Repeated(world, bytes).run(repeats(world, 2048, 256));
  }
}

}  // namespace
}  // namespace starling::tests
