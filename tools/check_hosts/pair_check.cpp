// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pair_check.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/format.hpp"

namespace starling::check_hosts {
namespace {

constexpr double kDeadlineS = 10;
/// The rank that answers waits longer, so that only one of the two reports.
constexpr double kPatienceS = 2;

}  // namespace

bool PairCheck::fails(int code) {
  if (code == MPI_SUCCESS) return false;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  problem_ = std::string(text, static_cast<std::size_t>(length));
  return true;
}

bool PairCheck::wait_for(MPI_Request request) {
  const double deadline_s = kDeadlineS + (calls_ ? 0 : kPatienceS);
  constexpr double kQuickS = 0.02;  // what takes longer is no measurement, and keeps no core
  constexpr auto kRest = std::chrono::milliseconds(1);
  const double began = MPI_Wtime();
  while (true) {
    int done = 0;
    if (fails(MPI_Test(&request, &done, MPI_STATUS_IGNORE))) return false;
    if (done != 0) return true;
    const double waited_s = MPI_Wtime() - began;
    if (waited_s > deadline_s) {
      problem_ = formatted("did not arrive within {:.0f} s", kDeadlineS);
      return false;
    }
    if (waited_s > kQuickS) std::this_thread::sleep_for(kRest);
  }
}

bool PairCheck::send_and_wait(const Message& message) {
  MPI_Request request = MPI_REQUEST_NULL;
  return !fails(MPI_Isend(buffer_.data(), message.bytes, MPI_CHAR, partner_, 0, MPI_COMM_WORLD, &request)) &&
         wait_for(request);
}

bool PairCheck::receive(const Message& message) {
  MPI_Request request = MPI_REQUEST_NULL;
  return !fails(MPI_Irecv(buffer_.data(), message.bytes, MPI_CHAR, partner_, 0, MPI_COMM_WORLD, &request)) &&
         wait_for(request);
}

bool PairCheck::exchange(const Message& message) {
  buffer_.assign(static_cast<std::size_t>(message.bytes), 'x');
  fastest_us_ = 0;
  for (int round = 0; round < message.rounds; ++round) {
    const double began = MPI_Wtime();
    const bool arrived =
        calls_ ? send_and_wait(message) && receive(message) : receive(message) && send_and_wait(message);
    if (!arrived) return false;
    const double half_us = (MPI_Wtime() - began) * 1e6 / 2;
    if (round == 0) first_us_ = half_us;
    fastest_us_ = round == 0 ? half_us : std::min(fastest_us_, half_us);
  }
  return true;
}

}  // namespace starling::check_hosts
