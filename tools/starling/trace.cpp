// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling trace: what the traces of mpiexec --trace tell, in a terminal.
#include <cstdio>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "commands.hpp"
#include "launch/record/site_names.hpp"
#include "trace/convert.hpp"
#include "trace/perfetto/trace_reader.hpp"
#include "trace/profile/profile.hpp"
#include "trace/profile/summary_text.hpp"

namespace starling::tools {
namespace {

int refuse(const Status& status) {
  std::fprintf(stderr, "starling trace: %s\n", status.message().c_str());
  return 1;
}

int summarize(const std::string& path) {
  trace::Profile profile;
  if (const Status status = trace::perfetto::read_trace(path, profile); !status.ok()) return refuse(status);
  std::fputs(trace::summary_text(profile).c_str(), stdout);
  return 0;
}

int report(const std::string& path, const std::string& page) {
  if (const Status status = trace::check_trace_path(page); !status.ok()) return refuse(status);
  const Status status = trace::report_trace(path, page);
  return status.ok() ? 0 : refuse(status);
}

int convert(const std::string& log, const std::string& path) {
  if (const Status status = trace::check_trace_path(path); !status.ok()) return refuse(status);
  launch::SiteNames names;
  std::vector<std::string> notes;
  const Status status = trace::convert_log(log, path, &notes, names.namer());
  for (const std::string& note : notes) std::fprintf(stderr, "starling trace: %s\n", note.c_str());
  return status.ok() ? 0 : refuse(status);
}

}  // namespace

int trace_command(Arguments arguments) {
  CLI::App app(
      "What the traces of 'mpiexec --trace FILE' tell. https://ui.perfetto.dev draws them; they stay on your "
      "machine.",
      "starling trace");
  app.require_subcommand(1);
  std::string path, log, page;
  CLI::App* summary = app.add_subcommand("summary",
                                         "the time of each rank in MPI by cause, who made others wait, the lines of "
                                         "the program that take it, which ranks talk "
                                         "most, what is left out");
  summary->add_option("file", path, "what mpiexec --trace has written")->required()->type_name("FILE");
  CLI::App* converter =
      app.add_subcommand("convert", "make a recording that a killed mpiexec has left (FILE.log) into a trace");
  converter->add_option("log", log, "the recording")->required()->type_name("LOG");
  converter->add_option("file", path, "the trace to be written")->required()->type_name("FILE");
  CLI::App* reporter = app.add_subcommand("report", "make a trace into a page of HTML, as mpiexec --report does");
  reporter->add_option("file", path, "what mpiexec --trace has written")->required()->type_name("FILE");
  reporter->add_option("page", page, "the page to be written")->required()->type_name("FILE.html");
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  if (reporter->parsed()) return report(path, page);
  return summary->parsed() ? summarize(path) : convert(log, path);
}

}  // namespace starling::tools
