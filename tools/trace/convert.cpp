// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/convert.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "api/functions.hpp"
#include "base/format.hpp"
#include "trace/analysis/clock_correction.hpp"
#include "trace/analysis/timeline.hpp"
#include "trace/file/output_file.hpp"
#include "trace/log/log_clock.hpp"
#include "trace/log/trace_log.hpp"
#include "trace/perfetto/trace_reader.hpp"
#include "trace/perfetto/trace_writer.hpp"
#include "trace/profile/profile.hpp"
#include "trace/report/page.hpp"

namespace starling::trace {
namespace {

JobFacts facts_of(const TraceLog& log) {
  JobFacts facts;
  for (const LoggedNode& node : log.nodes()) facts.hosts.push_back(node.name);
  for (const LoggedRank& rank : log.ranks()) {
    facts.host_of.push_back(rank.facts.node);
    facts.process_of.push_back(rank.facts.process);
  }
  facts.communicators[0] = "MPI_COMM_WORLD";
  for (const LoggedCommunicator& each : log.communicators())
    if (!each.name.empty()) facts.communicators[each.context] = each.name;
  return facts;
}

std::vector<std::string> gaps_of(const TraceLog& log) {
  std::vector<std::string> said;
  if (log.cut()) said.push_back("the recording ends in the middle; what comes before holds");
  std::uint64_t lost = 0, left_out = 0;
  for (const LoggedRank& rank : log.ranks()) lost += rank.lost;
  for (const LoggedNode& node : log.nodes()) left_out += node.left_out;
  if (lost > 0)
    said.push_back(
        formatted("{} events were overwritten before they could be read: the ranks made them too fast", lost));
  if (left_out > 0)
    said.push_back(formatted("{} events were left out, for the recording had reached its limit", left_out));
  return said;
}

constexpr std::string_view kSeenFromOutside =
    "the job was of another MPI and seen from outside: only calls that wait or communicate are counted; messages that "
    "collectives and windows consist of are not known; a send that ends after its receive has begun has waited for it";

std::string_view name_of(std::uint32_t function) { return mpi::function_name(static_cast<mpi::Function>(function)); }

/// Tells a sink all of a log. Appends what is missing to notes.
Status tell_log(const std::string& path, TimelineSink& sink, std::vector<std::string>* notes,
                const SiteNamer& name_site) {
  Result<TraceLog> log = TraceLog::open(path);
  if (!log.ok()) return std::move(log).status();
  LogClock clock(log.value());
  std::vector<std::string> said = gaps_of(log.value());
  for (std::string& each : correct_clocks(log.value(), &clock)) said.push_back(std::move(each));
  sink.begin(facts_of(log.value()));
  Timeline(log.value(), clock, name_of, name_site).tell(sink);
  if (log.value().is_seen()) sink.note(kSeenFromOutside);
  for (const std::string& each : said) sink.note(each);
  notes->insert(notes->end(), said.begin(), said.end());
  return Status();
}

Status write_page(const Profile& profile, const std::string& path) {
  OutputFile file(path);
  file.write(report::page(profile));
  return file.close();
}

}  // namespace

Status check_trace_path(const std::string& path) {
  struct stat facts {};
  const bool exists = ::stat(path.c_str(), &facts) == 0;
  const auto refuse = [&](const char* why) {
    return Status::error(ErrorClass::kIo, formatted("{} cannot be written: {}", path, why));
  };
  if (exists && S_ISDIR(facts.st_mode)) return refuse("it is a folder");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return refuse(std::strerror(errno));
  ::close(file);
  if (!exists) ::unlink(path.c_str());
  return Status();
}

Status convert_log(const std::string& log_path, const std::string& trace_path, std::vector<std::string>* notes,
                   const SiteNamer& name_site) {
  OutputFile file(trace_path);
  perfetto::TraceWriter writer(file);
  STARLING_TRY(tell_log(log_path, writer, notes, name_site));
  writer.finish();
  return file.close();
}

Status report_log(const std::string& log_path, const std::string& page_path, std::vector<std::string>* notes,
                  const SiteNamer& name_site) {
  Profile profile;
  STARLING_TRY(tell_log(log_path, profile, notes, name_site));
  return write_page(profile, page_path);
}

Status report_trace(const std::string& trace_path, const std::string& page_path) {
  Profile profile;
  STARLING_TRY(perfetto::read_trace(trace_path, profile));
  return write_page(profile, page_path);
}

}  // namespace starling::trace
