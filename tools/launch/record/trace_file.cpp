// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/record/trace_file.hpp"

#include <unistd.h>

#include <ctime>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "launch/record/site_names.hpp"
#include "launch/report/report.hpp"
#include "observe/event_ring.hpp"
#include "trace/convert.hpp"

namespace starling::launch {
namespace {

std::int64_t real_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Status TraceFile::begin(const TraceRequest& wanted, const TracedJob& job) {
  constexpr std::uint64_t kMebibyte = 1024 * 1024;
  file_ = wanted.file;
  report_ = wanted.report;
  log_path_ = (file_.empty() ? report_ : file_) + ".log";
  Result<EventLogFile> log = EventLogFile::create(log_path_, wanted.limit_mib * kMebibyte);
  if (!log.ok()) return std::move(log).status();
  log_ = std::move(log).value();
  observe::LogHead head;
  head.world_ranks = job.ranks;
  head.mode = static_cast<std::uint32_t>(wanted.all_calls ? observe::TraceMode::kAll : observe::TraceMode::kLong);
  head.nodes = job.nodes;
  head.flags = job.flags;
  head.began_at_ns = real_time_ns();
  head.began_ns = now_ns();
  log_.begin(head);
  return {};
}

std::string TraceFile::finish(bool quiet) {
  std::string lines;
  const auto say = [&](const std::string& text) { lines += launcher_words({}, text); };
  if (!log_.failure().ok()) say(formatted("{}. The trace ends there", log_.failure().message()));
  SiteNames names;
  std::vector<std::string> notes;
  Status made = file_.empty() ? Status() : trace::convert_log(log_path_, file_, &notes, names.namer());
  if (made.ok() && !report_.empty()) {
    if (!file_.empty()) notes.clear();  // the same once more
    made = trace::report_log(log_path_, report_, &notes, names.namer());
  }
  if (!made.ok()) {
    const std::string& wanted = file_.empty() ? report_ + ".pftrace" : file_;
    say(formatted("{}. What was recorded is in {}: 'starling trace convert {} {}' makes it into a trace",
                  made.message(), log_path_, log_path_, wanted));
    return lines;
  }
  unlink(log_path_.c_str());
  if (!quiet) {
    for (const std::string& note : notes) say("trace: " + note);
  }
  return lines;
}

}  // namespace starling::launch
