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

TEST(Advice, NamesCoresThatAreShared) {
  Profile profile;
  JobFacts facts;
  facts.hosts = {"this host"};
  facts.host_of = {0, 0, 0, 0};
  profile.begin(facts);
  EXPECT_NE(report::advice(profile, 2).front().find("4 ranks share 2 cores"), std::string::npos);
  EXPECT_EQ(report::advice(profile, 4).front().find("share"), std::string::npos);
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
