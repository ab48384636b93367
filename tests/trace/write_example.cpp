// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace, and a page, for the tests in Python: write_example FILE.pftrace RANKS STEPS [FILE.html]. Each rank
// sends to the next and receives from the one before; then all meet in MPI_Allreduce. Rank 2 is late, and the last rank
// has a second thread.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "log_builder.hpp"
#include "trace/convert.hpp"

namespace {

using namespace starling::trace::test;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kStep = 20'000;
constexpr std::uint64_t kProgram = 0x400000;  // where it lies in each rank

void add_step(LogBuilder& log, std::int32_t ranks, std::uint64_t step) {
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    const std::uint64_t begin = step * kStep + (rank == 2 ? 3000 : 0);
    const std::uint64_t came = std::max(begin + 1000, step * kStep + (from == 2 ? 3700 : 700));
    log.sent(rank, to, step + 1, begin, 2048);
    log.call(rank, Function::kSend, begin, begin + 500);
    log.received(rank, from, step + 1, came, 2048);
    log.wait(rank, Function::kRecv, AwaitedAs::kReceive, from, begin + 600, came + 10);
    log.call(rank, Function::kRecv, begin + 600, came + 20);
    log.collective(rank, Function::kAllreduce, step + 1, begin + 5000, step * kStep + 9000);
    log.called_at(rank, kProgram + 0x40);
  }
  Event other = LogBuilder::event(EventKind::kCall, Function::kIprobe, step * kStep, step * kStep + 100);
  other.thread = 1;
  log.add(ranks - 1, other);
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const std::int32_t ranks = std::atoi(words[2]);
  const auto steps = static_cast<std::uint64_t>(std::atol(words[3]));
  LogBuilder log(static_cast<std::uint32_t>(ranks));
  std::vector<std::uint32_t> members;
  for (std::int32_t rank = 0; rank < ranks; ++rank) members.push_back(static_cast<std::uint32_t>(rank));
  log.communicator(0, "MPI_COMM_WORLD", members);
  log.machine(0, {4, 200, 30, 4000, 0});
  for (std::uint64_t step = 0; step < steps; ++step) add_step(log, ranks, step);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    log.traffic(rank, (rank + 1) % ranks, steps, steps * 2048);
    log.count(rank, Function::kSend, steps);
    log.used(rank, 48 << 20, static_cast<std::int64_t>(steps * kStep / 2), 3);
    log.module(rank, "/apps/solver", kProgram, kProgram + 0x1000);
  }
  const std::string log_path = std::string(words[1]) + ".log";
  log.write(log_path);
  std::vector<std::string> notes;
  starling::Status status = starling::trace::convert_log(log_path, words[1], &notes);
  if (status.ok() && count > 4) status = starling::trace::report_log(log_path, words[4], &notes);
  std::remove(log_path.c_str());
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
