// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling see: runs the launcher of another MPI, such that the other commands see the job.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "config/config.hpp"
#include "launch/events/signal_source.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/start/environment.hpp"
#include "launch/start/job_settings.hpp"
#include "launch/start/program.hpp"
#include "launch/supervise/guardian.hpp"
#include "launcher_process.hpp"
#include "observe/job/launcher_socket.hpp"
#include "observe/join.hpp"
#include "see/join_server.hpp"
#include "see/other_mpi.hpp"
#include "trace/convert.hpp"

namespace starling::tools {
namespace {

struct SeeOptions {
  std::string mpi;
  std::string on_deadlock;
  std::string note_after;
  std::vector<std::string> command;
  see::JoinServer::Settings server;
};

int refuse(const std::string& message, int exit_code) {
  std::fprintf(stderr, "starling see: %s\n", message.c_str());
  return exit_code;
}

/// The launcher of the other MPI, from its start to its end, beside the socket to which its ranks come.
class SeenRun {
 public:
  SeenRun(const SeeOptions& options, std::string library, launch::GuardianChannel& guardian,
          const launch::Inherited& inherited)
      : options_(options),
        library_(std::move(library)),
        guardian_(guardian),
        inherited_(inherited),
        server_(loop_, settings(options, inherited),
                [](const std::string& lines) { std::fputs(lines.c_str(), stderr); }),
        signals_(loop_, [this](const launch::SignalEvent&) { reap(); }) {}

  /// The exit status.
  int run(const std::string& path) {
    const std::string name = observe::see_socket_name();
    if (!server_.start(name))
      return refuse(formatted("no socket for the ranks: {}", std::strerror(errno)), EXIT_FAILURE);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    signals_.start(children);
    if (const int error = start(path, name); error != 0)
      return refuse(formatted("'{}' cannot be started: {}", path, std::strerror(error)), EXIT_FAILURE);
    guardian_.serve(loop_, [this](const launch::PassedSignal& passed) {
      if (passed.signal != SIGTSTP && passed.signal != SIGCONT) server_.expect_end();
      // The terminal has told the launcher itself, which is in its group.
      if (!passed.from_terminal) kill(launcher_, passed.signal);
    });
    if (!loop_.run()) return refuse(formatted("cannot wait for anything: {}", std::strerror(errno)), EXIT_FAILURE);
    server_.finish();
    return exit_code_;
  }

 private:
  static see::JoinServer::Settings settings(const SeeOptions& options, const launch::Inherited& inherited) {
    see::JoinServer::Settings made = options.server;
    made.inherited = inherited;
    return made;
  }

  int start(const std::string& path, const std::string& socket_name) {
    launch::Environment environment = launch::Environment::inherited(false);
    const char* const before = std::getenv("LD_PRELOAD");
    environment.set("LD_PRELOAD", before != nullptr && *before != '\0' ? library_ + ":" + before : library_);
    environment.set(observe::kJoinVariable, socket_name);
    std::vector<std::string> words = options_.command;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    launch::ChildPlan plan;
    plan.path = path.c_str();
    plan.arguments = arguments.data();
    plan.environment = environment.pointers();
    plan.group = guardian_.group();
    plan.inherited = inherited_;
    const launch::Child child = launch::spawn(plan);
    launcher_ = child.pid;
    return child.error;
  }

  void reap() {
    int status = 0;
    pid_t process = 0;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
      if (process != launcher_) continue;
      exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      loop_.stop();
    }
  }

  const SeeOptions& options_;
  std::string library_;
  launch::GuardianChannel& guardian_;
  const launch::Inherited& inherited_;
  launch::EventLoop loop_;
  see::JoinServer server_;
  launch::SignalSource signals_;
  pid_t launcher_ = -1;
  int exit_code_ = EXIT_FAILURE;
};

/// What is said by itself, as the options want it, or else the settings.
Status read_watch(const SeeOptions& options, launch::WatchSettings* watch) {
  config::Store store;
  std::vector<std::string> warnings;
  STARLING_TRY(store.read_environment(&warnings));
  launch::JobSpec wanted;
  wanted.quiet = watch->quiet;
  if (!options.on_deadlock.empty()) {
    Result<launch::OnDeadlock> parsed = launch::parse_on_deadlock(options.on_deadlock, "--on-deadlock");
    if (!parsed.ok()) return std::move(parsed).status();
    if (parsed.value() == launch::OnDeadlock::kEnd)
      return Status::error(ErrorClass::kArg,
                           "--on-deadlock=end ends what is proven, and of another MPI's messages too little is seen to "
                           "prove a deadlock. Use say or nothing");
    wanted.on_deadlock = parsed.value();
  }
  if (!options.note_after.empty()) {
    Result<std::int64_t> parsed = launch::parse_note_after(options.note_after);
    if (!parsed.ok()) return std::move(parsed).status();
    wanted.note_after_ms = parsed.value();
  }
  Result<launch::WatchSettings> made = launch::watch_settings(wanted, store);
  if (!made.ok()) return std::move(made).status();
  *watch = made.value();
  // Of a setting that holds for all jobs: nothing is proven here, so it ends nothing.
  if (watch->on_deadlock == launch::OnDeadlock::kEnd) watch->on_deadlock = launch::OnDeadlock::kSay;
  return {};
}

void add_trace_options(CLI::App& app, launch::TraceRequest* trace) {
  constexpr std::uint32_t kMostMib = 1 << 20;
  app.add_option("--trace", trace->file,
                 "record when ranks wait and what they send, and write a timeline into FILE for "
                 "https://ui.perfetto.dev; starling trace summary FILE shows it here");
  app.add_option("--report", trace->report, "record the same, and write a page into FILE, for any browser");
  app.add_option_function<std::string>(
         "--trace-calls", [trace](const std::string& which) { trace->all_calls = which == "all"; },
         "time collectives and calls that wait or move more than 1 KiB, and count the others (long, as without the "
         "option); or time every call (all)")
      ->check(CLI::IsMember({"long", "all"}));
  app.add_option("--trace-limit", trace->limit_mib, "record no more than so many MiB on the disk (1024)")
      ->check(CLI::Range(std::uint32_t{1}, kMostMib));
}

Status check_trace(const launch::TraceRequest& trace) {
  for (const std::string& file : {trace.file, trace.report})
    if (!file.empty()) STARLING_TRY(trace::check_trace_path(file));
  return {};
}

int run_seen(const SeeOptions& options, Arguments arguments) {
  const launch::Program program = launch::find_program(options.command.front(), "");
  if (program.exit_code != 0) return refuse(program.problem, program.exit_code);
  const Result<std::string> mpi =
      options.mpi.empty() ? see::mpi_of_launcher(program.path) : Result<std::string>(options.mpi);
  if (!mpi.ok()) return refuse(mpi.status().message(), kExitUsage);
  const Result<std::string> library = see::library_for(mpi.value());
  if (!library.ok()) return refuse(library.status().message(), kExitUsage);
  return launch::run_guarded(launch::Typing::kLeave,
                             [&](launch::GuardianChannel& guardian, const launch::Inherited& inherited) {
                               take_worker_title(arguments);
                               return SeenRun(options, library.value(), guardian, inherited).run(program.path);
                             });
}

}  // namespace

int see_command(Arguments arguments) {
  CLI::App app(
      "Runs a launcher of Open MPI or MPICH with all its words, such that 'starling ps', 'why', 'top' and 'stack' see "
      "its "
      "job as they see one of Starling's: starling see mpirun -n 4 ./program",
      "starling see");
  SeeOptions options;
  app.prefix_command();
  app.add_option("--mpi", options.mpi, "the MPI of the program: openmpi or mpich; where the launcher does not tell")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app.add_flag("--quiet", options.server.notes.quiet,
               "no notes about a job that does not get on, and about ranks that die");
  app.add_option("--on-deadlock", options.on_deadlock,
                 "say: a note when ranks wait and nothing completes, as without the option; nothing: none. "
                 "STARLING_LAUNCH_ON_DEADLOCK says the same");
  app.add_option(
      "--note-after", options.note_after,
      "when a rank has kept others waiting for so many seconds, say which and where it is (60; 0 or never: do "
      "not say)");
  add_trace_options(app, &options.server.trace);
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  options.command = app.remaining();
  if (options.command.empty())
    return refuse("what shall be run? Write the launcher and its words behind it: starling see mpirun -n 4 ./program",
                  kExitUsage);
  if (const Status read = read_watch(options, &options.server.notes); !read.ok())
    return refuse(read.message(), kExitUsage);
  if (const Status can = check_trace(options.server.trace); !can.ok()) return refuse(can.message(), kExitUsage);
  open_missing_standard_descriptors();
  return run_seen(options, arguments);
}

}  // namespace starling::tools
