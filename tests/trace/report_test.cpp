// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The page of a traced job: what it says, and that it needs nothing else.
#include <gtest/gtest.h>

#include <sstream>

#include "told_calls.hpp"
#include "trace/profile/profile.hpp"
#include "trace/profile/quantities.hpp"
#include "trace/report/advice.hpp"
#include "trace/report/page.hpp"

namespace starling::trace::test {
namespace {

LogBuilder job_with_a_late_rank(std::uint32_t ranks) {
  LogBuilder log(ranks);
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) members.push_back(rank);
  log.communicator(0, "MPI_COMM_WORLD", members);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto number = static_cast<std::int32_t>(rank);
    log.collective(number, Function::kAllreduce, 1, rank == 2 ? 900'000 : 100'000, 910'000);
    log.traffic(number, (number + 1) % static_cast<std::int32_t>(ranks), 10 + rank, 1000 << rank % 16);
    log.count(number, Function::kAllreduce, 1);
    log.used(number, (rank + 1) << 20, 800'000, 3);
  }
  return log;
}

std::string page_of(const LogBuilder& log) {
  const TemporaryFile log_file(".log"), page_file(".html");
  log.write(log_file.path());
  std::vector<std::string> notes;
  EXPECT_TRUE(report_log(log_file.path(), page_file.path(), &notes).ok());
  std::ifstream file(page_file.path());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Page, SaysWhoIsLateAndWhatToTry) {
  const std::string page = page_of(job_with_a_late_rank(4));
  EXPECT_NE(page.find("Rank 2 is late more than all others together"), std::string::npos);
  EXPECT_NE(page.find("<td>rank 2</td><td>2.4 ms</td>"), std::string::npos);
  EXPECT_NE(page.find("4.0 MiB"), std::string::npos) << "the memory of rank 3";
  EXPECT_EQ(count(page, "<section>"), count(page, "</section>"));
  EXPECT_EQ(count(page, "<svg"), count(page, "</svg>"));
}

TEST(Page, AddsUpTheTimeOfACallSite) {
  LogBuilder log(2);
  for (const std::int32_t rank : {0, 1}) {
    log.module(rank, "/apps/solver", 0x1000, 0x2000);
    log.call(rank, Function::kSend, 0, 400'000);
    log.called_at(rank, 0x1010);
    log.call(rank, Function::kSend, 500'000, 600'000);
    log.called_at(rank, 0x1020);
  }
  const std::string page = page_of(log);
  EXPECT_NE(page.find("<td>MPI_Send in solver+0x10</td><td>2</td><td>800 us</td><td>80 %</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>MPI_Send in solver+0x20</td><td>2</td><td>200 us</td><td>20 %</td>"), std::string::npos);
}

TEST(Page, NeedsNoNetworkAndNoScript) {
  const std::string page = page_of(job_with_a_late_rank(4));
  for (const char* outside : {"http:", "https:", "<script", "<link", "<img", "url(", "@import"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(page.find("@media print"), std::string::npos);
}

TEST(Page, OfManyRanksStaysSmall) {
  const std::string page = page_of(job_with_a_late_rank(1000));
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_NE(page.find("ranks 0 to 15"), std::string::npos) << "several ranks share a square of the matrix";
}

TEST(Page, ShowsTheMemoryOfEveryRank) {
  const std::string page = page_of(job_with_a_late_rank(100));
  const std::string table = page.substr(page.find("Memory and processors"));
  for (int rank = 0; rank < 100; ++rank)
    EXPECT_NE(table.find("<td>rank " + std::to_string(rank) + "</td>"), std::string::npos) << rank;
  EXPECT_EQ(table.find("more ranks"), std::string::npos);
  EXPECT_NE(table.find("class=\"wide tall\""), std::string::npos) << "so long a table scrolls";
}

TEST(Page, OfAnEmptyRecordingSaysSo) {
  const std::string page = page_of(LogBuilder(2));
  EXPECT_NE(page.find("Nobody made others wait"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST(Page, IsTheSameOfALogAndOfItsTrace) {
  const LogBuilder log = job_with_a_late_rank(5);
  const TemporaryFile log_file(".log"), trace_file(".pftrace"), page_file(".html");
  log.write(log_file.path());
  std::vector<std::string> notes;
  ASSERT_TRUE(convert_log(log_file.path(), trace_file.path(), &notes).ok());
  ASSERT_TRUE(report_trace(trace_file.path(), page_file.path()).ok());
  std::ifstream file(page_file.path());
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), page_of(log));
}

TEST(Page, ShowsWhatTheMachinesHad) {
  LogBuilder log(3, 2);
  log.place(2, 1);
  for (const std::int32_t rank : {0, 1, 2}) {
    log.call(rank, Function::kSend, 0, 1'000'000);
    log.used(rank, 64 << 20, 500'000, 0);
  }
  log.swapped(1, 32 << 20, 2500);
  log.swapped(0, 0, 500);
  log.machine(0, {8, 100, 40, 2500, 7});
  log.machine(1, {4, 0, 0, 0, 0});
  const std::string page = page_of(log);
  EXPECT_NE(page.find("<td>2</td><td>8</td><td>3.0</td><td>in 40 % of its periods</td><td>7</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>1</td><td>4</td><td>-</td><td>no limit</td><td>0</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>rank 1</td><td>64 MiB</td><td>32 MiB</td>"), std::string::npos);
  EXPECT_NE(page.find("which allows 2.50 cores, stopped them in 40 % of its periods"), std::string::npos);
  EXPECT_NE(page.find("32 MiB of the memory of rank 1 was in swap"), std::string::npos);
  EXPECT_EQ(page.find("share 8 cores"), std::string::npos);
}

/// Four ranks on a host, each with so many running threads.
Profile profile_on(std::uint64_t cores, std::uint64_t running_thousandths) {
  Profile profile;
  JobFacts facts;
  facts.hosts = {"this host"};
  facts.host_of = {0, 0, 0, 0};
  profile.begin(facts);
  for (const std::int32_t rank : {0, 1, 2, 3}) {
    RankTotals totals;
    totals.rank = rank;
    totals.usage.running_thousandths = running_thousandths;
    profile.totals(totals);
  }
  HostTotals host;
  host.cores = cores;
  profile.totals(host);
  return profile;
}

TEST(Advice, NamesCoresThatAreShared) {
  EXPECT_NE(report::advice(profile_on(2, 1000)).front().find("4 ranks share 2 cores"), std::string::npos);
  EXPECT_NE(report::advice(profile_on(8, 4000))
                .front()
                .find("The 4 ranks run 16.0 threads at once on 8 cores. Set "
                      "OMP_NUM_THREADS=2,"),
            std::string::npos);
  EXPECT_EQ(report::advice(profile_on(4, 1000)).front().find("cores"), std::string::npos);
}

TEST(Quantities, AreWrittenAsPeopleReadThem) {
  EXPECT_EQ(time_text(0), "0");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(23'400), "23 us");
  EXPECT_EQ(time_text(1'940'000'000), "1.9 s");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(2048), "2.0 KiB");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(share_text(1, 1000), "<1 %");
  EXPECT_EQ(share_text(1, 0), "-");
}

}  // namespace
}  // namespace starling::trace::test
