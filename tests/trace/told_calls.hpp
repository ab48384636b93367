// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ToldCalls: a timeline as a test looks at it. A log is made into a file, and that is read again.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log_builder.hpp"
#include "trace/convert.hpp"
#include "trace/model/timeline_sink.hpp"
#include "trace/perfetto/trace_reader.hpp"

namespace starling::trace::test {

/// A name for a file of this test, which is removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& suffix)
      : path_(testing::TempDir() + "test-trace-" + std::to_string(::getpid()) + suffix) {}
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class ToldCalls final : public TimelineSink {
 public:
  void begin(const JobFacts& told) override { facts = told; }
  void function(std::uint32_t number, std::string_view name) override { names[number] = name; }
  void site(std::uint32_t number, std::string_view text) override { sites[number] = text; }
  void call(const Call& call) override { calls.push_back(call); }
  void message(std::int32_t rank, std::uint32_t /*thread*/, const MessageEnd& end) override {
    messages.emplace_back(rank, end);
  }
  void totals(const RankTotals& told) override { all_totals.push_back(told); }
  void totals(const HostTotals& told) override { hosts.push_back(told); }
  void note(std::string_view sentence) override { notes.emplace_back(sentence); }

  /// The calls of a rank to a function, in order.
  [[nodiscard]] std::vector<Call> of(std::int32_t rank, std::string_view function) const {
    std::vector<Call> found;
    for (const Call& each : calls)
      if (each.rank == rank && names.at(each.function) == function) found.push_back(each);
    return found;
  }

  JobFacts facts;
  std::map<std::uint32_t, std::string> names;
  std::map<std::uint32_t, std::string> sites{{0, ""}};
  std::vector<Call> calls;
  std::vector<std::pair<std::int32_t, MessageEnd>> messages;
  std::vector<RankTotals> all_totals;
  std::vector<HostTotals> hosts;
  std::vector<std::string> notes;
};

inline ToldCalls converted(const LogBuilder& log, const SiteNamer& name_site = nullptr) {
  const TemporaryFile log_file(".log"), trace_file(".pftrace");
  log.write(log_file.path());
  std::vector<std::string> notes;
  const Status made = convert_log(log_file.path(), trace_file.path(), &notes, name_site);
  EXPECT_TRUE(made.ok()) << made.message();
  ToldCalls told;
  const Status read = perfetto::read_trace(trace_file.path(), told);
  EXPECT_TRUE(read.ok()) << read.message();
  return told;
}

}  // namespace starling::trace::test
