// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling top: what each rank of a running job does and uses, twice a second.
#include <time.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "job_choice.hpp"
#include "top_screen.hpp"
#include "top_source.hpp"
#include "top_view.hpp"

namespace starling::tools {
namespace {

struct TopOptions {
  std::string job;
  double interval_s = 0.5;
  std::int64_t tables = 0;  ///< that are printed as text; 0: until the job ends
  bool once = false;
  bool matrix = false;
};

void pause_for(std::int64_t ns) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const timespec time{ns / kNsPerSecond, ns % kNsPerSecond};
  nanosleep(&time, nullptr);
}

int say_ended(const observe::FoundJob& job) {
  std::puts(formatted("job {} has ended", job.id).c_str());
  return 0;
}

void print_table(const TopSource& source) {
  std::puts(observe::printable(source.title(), 0).c_str());
  std::puts(observe::printable(source.sentence(), 0).c_str());
  std::puts(observe::table_heading(0).c_str());
  std::vector<observe::RankRow> rows = source.rows();
  sort_rows(rows, observe::RankOrder::kRank, false);
  for (const observe::RankRow& row : rows) std::puts(observe::table_line(row, 0).c_str());
}

void print_matrix(const TopSource& source) {
  constexpr std::size_t kColumns = 200;
  constexpr std::size_t kLines = 100;
  for (const std::string& line : source.matrix_lines(kColumns, kLines)) std::puts(line.c_str());
}

/// Tables as text, one after the other.
int print_tables(TopSource& source, const TopOptions& options, std::int64_t interval_ns) {
  for (std::int64_t printed = 0; options.tables == 0 || printed < options.tables; ++printed) {
    const std::int64_t next = now_ns() + interval_ns;
    while (now_ns() < next) {
      pause_for(std::min(source.pause_ns(), std::max<std::int64_t>(next - now_ns(), 1)));
      source.look();
    }
    if (!source.refresh(TopSource::Wait::kForAnswers)) return say_ended(source.job());
    if (printed > 0) std::puts("");
    print_table(source);
    if (options.matrix) print_matrix(source);
    if (std::fflush(stdout) != 0) return 1;
  }
  return 0;
}

int show(TopSource& source, std::int64_t interval_ns) {
  TopView::End end = TopView::End::kUser;
  {
    Screen screen;
    end = TopView(screen, source, interval_ns).run();
  }
  if (end == TopView::End::kJob) return say_ended(source.job());
  const int signal = Screen::ending_signal();
  if (signal != 0 && signal != SIGINT) std::raise(signal);
  return 0;
}

}  // namespace

int top_command(Arguments arguments) {
  CLI::App app(
      "Shows what each rank of a running job does and uses, twice a second: its call, since when and for whom it "
      "waits, "
      "how much of its time it is in MPI, calls, messages and bytes a second, processor and memory. The job does not "
      "notice. Keys are listed at the bottom of the screen. Where the output is no terminal, tables follow one "
      "another.",
      "starling top");
  TopOptions options;
  app.add_option("job", options.job,
                 "the process number of mpiexec, as 'starling ps' lists it; may be left out where one job runs")
      ->type_name("JOB");
  app.add_flag("--once", options.once, "print one table, as text");
  app.add_option("-n,--tables", options.tables, "print so many tables, as text")
      ->type_name("COUNT")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31));
  app.add_option("-i,--interval", options.interval_s, "seconds between refreshes (0.5)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 60.0));
  app.add_flag("--matrix", options.matrix, "below each printed table who has sent how much to whom");
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  if (options.once) options.tables = 1;
  const Result<observe::FoundJob> job = choose_job(options.job);
  if (!job.ok()) {
    std::fprintf(stderr, "starling top: %s\n", job.status().message().c_str());
    return 1;
  }
  constexpr double kNsPerSecond = 1e9;
  const auto interval_ns = static_cast<std::int64_t>(options.interval_s * kNsPerSecond);
  TopSource source(job.value(), interval_ns);
  if (options.tables > 0 || options.matrix || !Screen::is_possible()) return print_tables(source, options, interval_ns);
  return show(source, interval_ns);
}

}  // namespace starling::tools
