// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Files: what is written is read again; cut, damaged and foreign files are refused or read as far as they go.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>
#include <sstream>

#include "told_calls.hpp"
#include "trace/analysis/clock_correction.hpp"
#include "trace/profile/profile.hpp"
#include "trace/profile/summary_text.hpp"

namespace starling::trace::test {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

LogBuilder small_job() {
  LogBuilder log(2);
  log.communicator(0, "MPI_COMM_WORLD", {0, 1});
  log.sent(0, 1, 1, 10'000, 4096);
  log.call(0, Function::kSend, 10'000, 12'000);
  log.received(1, 0, 1, 11'000, 4096);
  log.wait(1, Function::kRecv, AwaitedAs::kReceive, 0, 5'000, 11'100);
  log.call(1, Function::kRecv, 5'000, 11'200);
  log.collective(0, Function::kBarrier, 1, 20'000, 40'500);
  log.collective(1, Function::kBarrier, 1, 40'000, 40'400);
  log.traffic(0, 1, 1000, 5'000'000);
  log.count(0, Function::kSend, 1000);
  log.count(0, Function::kBarrier, 1);
  return log;
}

std::string trace_of(const LogBuilder& log) {
  const TemporaryFile log_file(".log"), trace_file(".pftrace");
  log.write(log_file.path());
  std::vector<std::string> notes;
  EXPECT_TRUE(convert_log(log_file.path(), trace_file.path(), &notes).ok());
  return text_of(trace_file.path());
}

Status read_text(const std::string& text, TimelineSink& sink) {
  const TemporaryFile file(".read");
  write(file.path(), text);
  return perfetto::read_trace(file.path(), sink);
}

TEST(TraceFile, SaysWhereTheProgramCalls) {
  LogBuilder log(3);
  // The same program lies elsewhere in each rank; of rank 2 it is not known where.
  for (const std::int32_t rank : {0, 1})
    log.module(rank, "/apps/solver", 0x1000U * (rank + 1U), 0x1000U * (rank + 1U) + 0x900);
  for (const std::int32_t rank : {0, 1, 2}) {
    const auto base = 0x1000U * (static_cast<std::uint64_t>(rank) + 1);
    log.call(rank, Function::kSend, 1'000, 2'000);
    log.called_at(rank, base + 0x40);
    log.call(rank, Function::kSend, 3'000, 5'000);
    log.called_at(rank, base + 0x80);
    log.call(rank, Function::kSend, 6'000, 7'000);
  }
  std::vector<SiteAddress> asked;
  const ToldCalls told = converted(log, [&](const SiteAddress& at) {
    asked.push_back(at);
    return at.address == 0x40 ? std::string("iterate at solver.c:88") : std::string();
  });
  EXPECT_EQ(asked, (std::vector<SiteAddress>{{"/apps/solver", "ab", 0x40}, {"/apps/solver", "ab", 0x80}}));
  for (const std::int32_t rank : {0, 1, 2}) {
    const std::vector<Call> sends = told.of(rank, "MPI_Send");
    ASSERT_EQ(sends.size(), 3U);
    EXPECT_EQ(told.sites.at(sends[0].site), rank < 2 ? "iterate at solver.c:88" : "");
    EXPECT_EQ(told.sites.at(sends[1].site), rank < 2 ? "solver+0x80" : "");
    EXPECT_EQ(sends[2].site, 0U);
  }
}

TEST(TraceFile, KeepsMessagesCollectivesAndTotals) {
  const ToldCalls told = converted(small_job());
  const Call send = told.of(0, "MPI_Send").at(0), receive = told.of(1, "MPI_Recv").at(0);
  ASSERT_EQ(send.messages.size(), 1U);
  ASSERT_EQ(receive.messages.size(), 1U);
  EXPECT_EQ(send.messages[0].at_ns, 10'000);
  EXPECT_EQ(receive.messages[0].at_ns, 11'000);
  EXPECT_EQ(send.messages[0].peer, 1);
  EXPECT_EQ(send.messages[0].tag, 7);
  EXPECT_EQ(send.messages[0].bytes, 4096U);
  EXPECT_NE(send.messages[0].flow, 0U);
  EXPECT_EQ(send.messages[0].flow, receive.messages[0].flow);
  EXPECT_TRUE(told.of(0, "MPI_Barrier").at(0).collective);
  EXPECT_EQ(told.of(0, "MPI_Barrier")[0].number, 1U);
  ASSERT_EQ(told.all_totals.size(), 1U);
  EXPECT_EQ(told.all_totals[0].traffic.at(0).messages, 1000U);
  EXPECT_EQ(told.all_totals[0].calls.size(), 2U);
}

TEST(TraceFile, IsReadAsFarAsItGoesWhereverItIsCut) {
  const std::string whole = trace_of(small_job());
  bool any = false;
  for (std::size_t size = whole.size() / 8; size < whole.size(); size += 13) {
    ToldCalls told;
    const Status status = read_text(whole.substr(0, size), told);
    if (!status.ok()) continue;  // not even the job's track is there
    any = true;
    EXPECT_LE(told.calls.size(), 4U);
    if (told.notes.empty()) continue;  // cut between two packets
    EXPECT_NE(told.notes.back().find("ends in the middle"), std::string::npos) << told.notes.back();
  }
  EXPECT_TRUE(any);
}

TEST(TraceFile, OfRandomDamageIsRefusedOrReadWithoutHarm) {
  const std::string whole = trace_of(small_job());
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = whole;
    for (int change = 0; change < 3; ++change) damaged[random() % damaged.size()] = static_cast<char>(random());
    Profile profile;
    const bool read = read_text(damaged, profile).ok();
    EXPECT_TRUE(!read || !summary_text(profile).empty());
  }
}

TEST(TraceFile, OfAnotherProgramIsRefused) {
  Profile profile;
  EXPECT_NE(read_text("", profile).message().find("it is empty"), std::string::npos);
  for (const std::string& text : {std::string("#!/bin/sh\n"), std::string(5000, '\0'), std::string("\x0A\x02\x50\x01")})
    EXPECT_NE(read_text(text, profile).message().find("not a trace that mpiexec --trace has written"),
              std::string::npos);
  EXPECT_NE(perfetto::read_trace("/", profile).message().find("it is a folder"), std::string::npos);
  EXPECT_FALSE(perfetto::read_trace("/nowhere/at/all", profile).ok());
}

TEST(TraceFile, ThatCannotBeWrittenIsSaidToBe) {
  const TemporaryFile log_file(".log");
  LogBuilder log = small_job();
  log.write(log_file.path());
  std::vector<std::string> notes;
  const Status folder = convert_log(log_file.path(), "/", &notes);
  EXPECT_NE(folder.message().find("cannot be written"), std::string::npos);
  EXPECT_NE(check_trace_path("/").message().find("it is a folder"), std::string::npos);
  EXPECT_FALSE(check_trace_path("/nowhere/at/all").ok());
  struct stat facts {};
  if (::stat("/dev/full", &facts) != 0) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_EQ(convert_log(log_file.path(), "/dev/full", &notes).error_class(), ErrorClass::kNoSpace);
}

TEST(TraceLog, ThatIsCutIsReadAsFarAsItGoes) {
  const std::string whole = small_job().text();
  const TemporaryFile log_file(".log"), trace_file(".pftrace");
  for (std::size_t size = 64; size <= whole.size(); size += 40) {
    write(log_file.path(), whole.substr(0, size));
    std::vector<std::string> notes;
    EXPECT_TRUE(convert_log(log_file.path(), trace_file.path(), &notes).ok()) << size;
  }
  write(log_file.path(), "no log");
  std::vector<std::string> notes;
  EXPECT_NE(convert_log(log_file.path(), trace_file.path(), &notes).message().find("not the log"), std::string::npos);
}

TEST(TraceLog, WithoutEventsMakesAnEmptyTrace) {
  const ToldCalls told = converted(LogBuilder(3));
  EXPECT_TRUE(told.calls.empty());
}

TEST(TraceLog, OfLostEventsIsSaidToBeIncomplete) {
  LogBuilder log = small_job();
  log.lost(1, 12);
  const ToldCalls told = converted(log);
  ASSERT_EQ(told.notes.size(), 1U);
  EXPECT_NE(told.notes[0].find("12 events were overwritten"), std::string::npos);
}

TEST(Clocks, AreInterpolatedBetweenTheOffsetsAtStartAndEnd) {
  LogBuilder log(2, 2);
  log.place(1, 1);
  log.offset(1, 0, 1'000'000);          // the second host is 1 ms ahead at first
  log.offset(1, 1'000'000, 1'100'000);  // and 1.1 ms at the end
  log.call(1, Function::kTestall, 1'050'000 + 500'000, 1'050'000 + 510'000);
  const ToldCalls told = converted(log);
  EXPECT_NEAR(static_cast<double>(told.of(1, "MPI_Testall").at(0).begin_ns), 500'000, 2);
}

TEST(Clocks, NoMessageArrivesBeforeItWasSent) {
  LogBuilder log(2, 2);
  log.place(1, 1);
  log.sent(0, 1, 1, 100'000, 4096);
  log.call(0, Function::kSend, 100'000, 100'500);
  log.received(1, 0, 1, 60'000, 4096);  // by a clock that is at least 40 us behind
  log.call(1, Function::kRecv, 50'000, 61'000);
  const ToldCalls told = converted(log);
  EXPECT_GE(told.of(1, "MPI_Recv").at(0).messages.at(0).at_ns, told.of(0, "MPI_Send").at(0).messages.at(0).at_ns);
  ASSERT_EQ(told.notes.size(), 1U);
  EXPECT_NE(told.notes[0].find("was moved by 40.0 us"), std::string::npos) << told.notes[0];
}

TEST(Clocks, AreMovedSoThatNoTripTakesLessThanNothing) {
  const ShortestTrips trips = {{{0, 1}, -40}, {{1, 0}, 90}, {{1, 2}, -10}, {{2, 0}, 70}, {{0, 2}, 5}};
  const std::vector<std::int64_t> shifts = host_shifts(3, trips);
  EXPECT_EQ(shifts[0], 0);
  for (const auto& [way, took] : trips)
    EXPECT_GE(took + shifts[static_cast<std::size_t>(way.second)] - shifts[static_cast<std::size_t>(way.first)], 0);
  EXPECT_EQ(host_shifts(2, {{{0, 1}, -40}, {{1, 0}, 10}}).size(), 2U);  // nothing can mend this
}

TEST(Summary, SaysWhoMadeOthersWaitAndWhatIsLeftOut) {
  const std::string trace = trace_of(small_job());
  Profile profile;
  ASSERT_TRUE(read_text(trace, profile).ok());
  const std::string text = summary_text(profile);
  EXPECT_NE(text.find("2 ranks on 1 host"), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "20 us in all; the longest wait 20 us, of rank 0\n                      20 us in 1 wait of MPI_Barrier"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("rank 0 to rank 1"), std::string::npos) << text;
  EXPECT_NE(text.find("1,000 messages    4.8 MiB"), std::string::npos) << text;
  EXPECT_NE(text.find("calls were only counted"), std::string::npos) << text;
}

}  // namespace
}  // namespace starling::trace::test
