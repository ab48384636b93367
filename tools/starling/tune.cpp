// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling tune: measures the constants of this machine, or with --host those of the network between hosts, by jobs of
// its own, and writes them into a file that the launcher reads for all ranks. What the file has of the other stays.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/small_files.hpp"
#include "base/usable_cores.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "config/report.hpp"
#include "host_words.hpp"
#include "tune_job.hpp"
#include "tune_network.hpp"
#include "tuning/file.hpp"
#include "tuning/settings.hpp"
#include "tuning/words.hpp"

namespace starling::tools {
namespace {

constexpr double kUsualSeconds = 20;
constexpr double kQuickSeconds = 5;

struct TuneOptions {
  std::string path;
  bool quick = false;
  HostWords hosts;
};

using ProbeValues = std::map<std::string, double, std::less<>>;

int tune_failed(const std::string& what) {
  std::fprintf(stderr, "starling tune: %s\n", what.c_str());
  return EXIT_FAILURE;
}

std::string joined(const std::vector<unsigned>& threads) {
  std::string text;
  for (const unsigned thread : threads) text += formatted("{}{}", text.empty() ? "" : ",", thread);
  return text;
}

/// Nothing but these threads for the jobs that this process starts, as if the machine had no others.
bool use_only(const std::vector<unsigned>& threads) {
  const unsigned most = *std::ranges::max_element(threads) + 1;
  cpu_set_t* const set = CPU_ALLOC(most);
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  CPU_ZERO_S(bytes, set);
  for (const unsigned thread : threads) CPU_SET_S(thread, bytes, set);
  const bool used = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return used;
}

/// A job of this program that measures something on these hardware threads.
class ProbeJob {
 public:
  ProbeJob(std::vector<unsigned> threads, double seconds) : threads_(std::move(threads)), seconds_(seconds) {}

  Result<ProbeValues> link() const { return run(2, "link"); }
  Result<ProbeValues> turns() const { return run(2 * static_cast<std::int32_t>(threads_.size()), "turns"); }

 private:
  Result<ProbeValues> run(std::int32_t ranks, const std::string& probe) const {
    if (!use_only(threads_)) return failed(formatted("cannot run on the threads {}", joined(threads_)));
    // With a core for each rank the launcher binds them, and they wait as ranks of programs do.
    const Result<std::string> output = run_tune_job(
        {"-n", formatted("{}", ranks)}, static_cast<int>(30 + 10 * seconds_), {probe, formatted("{}", seconds_)});
    if (!output.ok()) return output.status().copy();
    return values_in(output.value());
  }

  static Result<ProbeValues> failed(const std::string& why) { return Status::error(ErrorClass::kOther, why); }

  static ProbeValues values_in(std::string_view text) {
    ProbeValues values;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      values[std::string(line.substr(0, equals))] = std::strtod(std::string(line.substr(equals + 1)).c_str(), nullptr);
    }
    return values;
  }

  std::vector<unsigned> threads_;
  double seconds_;
};

/// Two hardware threads at each distance that there is among these; two of one core count for no pair where there are
/// others.
std::map<tuning::Distance, std::vector<unsigned>> pairs_among(const std::vector<unsigned>& threads) {
  std::map<tuning::Distance, std::vector<unsigned>> pairs;
  const std::string siblings =
      read_small_file(formatted("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", threads.front()));
  for (std::size_t i = 1; i < threads.size(); ++i) {
    const std::vector<unsigned> pair = {threads.front(), threads[i]};
    const bool of_one_core = read_small_file(formatted("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list",
                                                       threads[i])) == siblings &&
                             !siblings.empty();
    if (!of_one_core) pairs.emplace(tuning::spread_of(pair), pair);
  }
  if (pairs.empty() && threads.size() > 1) pairs.emplace(tuning::Distance::kNear, std::vector{threads[0], threads[1]});
  return pairs;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  char text[32] = {};
  std::tm parts{};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
  return text;
}

/// Measures into constants, and notes at which distances.
Status measure(double seconds, tuning::Constants& constants, tuning::Measured& measured) {
  const std::vector<unsigned> threads = affinity_threads();
  if (threads.empty()) return Status::error(ErrorClass::kOther, "the kernel does not say which cores may be used");
  const auto pairs = pairs_among(threads);
  const double each_s = seconds / static_cast<double>(pairs.size() + 1);
  double line_ns = 0;
  for (const auto& [distance, pair] : pairs) {
    std::fprintf(stderr, "starling tune: measuring between hardware threads %s (%s) ...\n", joined(pair).c_str(),
                 std::string(name(distance)).c_str());
    const Result<ProbeValues> found = ProbeJob(pair, each_s).link();
    if (!found.ok()) return found.status().copy();
    const auto index = static_cast<std::size_t>(distance);
    for (const auto& field : tuning::link_fields()) {
      constants.links[index].*(field.value) = found.value().at(std::string(field.name));
    }
    if (line_ns == 0) {
      line_ns = constants.links[index].line_ns;
      for (const auto& field : tuning::machine_fields()) {
        const auto value = found.value().find(field.name);
        if (value != found.value().end()) constants.*(field.value) = value->second;
      }
    }
    measured[index] = true;
  }
  std::fprintf(stderr, "starling tune: measuring ranks that share a core ...\n");
  const std::vector<unsigned> shared = pairs.empty() ? std::vector{threads.front()} : pairs.begin()->second;
  const Result<ProbeValues> found = ProbeJob(shared, each_s).turns();
  if (!found.ok()) return found.status().copy();
  constants.turn_ns = std::max(1.0, found.value().at("turn_ns") - line_ns);
  return {};
}

/// Before time is spent to measure.
Status make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (!problem && access(folder.c_str(), W_OK) != 0) problem = std::error_code(errno, std::generic_category());
  if (!problem) return {};
  return Status::error(ErrorClass::kOther, formatted("cannot write '{}': {}", path, problem.message()));
}

/// All of it or nothing: a job that starts meanwhile reads the old file or the new one.
Status write_file(const std::string& path, const std::string& text) {
  const std::string beside = formatted("{}.{}", path, getpid());
  std::FILE* const file = std::fopen(beside.c_str(), "w");
  const bool opened = file != nullptr;
  bool written = opened && std::fputs(text.c_str(), file) >= 0;
  if (opened && std::fclose(file) != 0) written = false;
  if (written && std::rename(beside.c_str(), path.c_str()) == 0) return {};
  const std::string why = std::strerror(errno);
  if (opened) unlink(beside.c_str());
  return Status::error(ErrorClass::kOther, formatted("cannot write '{}': {}", path, why));
}

/// What is in a file already, of which a part stays. One that cannot be read has nothing.
tuning::File file_at(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return {};
  Result<tuning::File> file = tuning::File::parse(read_whole_file(path));
  if (file.ok()) return std::move(file).value();
  std::fprintf(stderr, "starling tune: nothing of %s is kept, for it cannot be read: %s\n", path.c_str(),
               file.status().message().c_str());
  return {};
}

/// Puts the node's constants in place of what the file has of the node.
Status measure_node(double seconds, tuning::File& file) {
  tuning::Constants constants = tuning::default_constants();
  tuning::Measured measured{};
  STARLING_TRY(measure(seconds, constants, measured));
  const std::string network = file.of_network();
  file.machine = tuning::this_machine();
  file.measured_at = now_text();
  file.constants = tuning::joined({tuning::text_of(constants, measured), network});
  return {};
}

int tune(const TuneOptions& options) {
  std::vector<std::string> hosts;
  if (options.hosts.named()) {
    Result<std::vector<std::string>> found = hosts_to_tune(options.hosts.words());
    if (!found.ok()) return tune_failed(found.status().message()), kExitUsage;
    hosts = std::move(found).value();
  }
  const std::string path = options.path.empty() ? tuning::usual_path() : options.path;
  const bool to_output = path == "-";
  if (const Status status = to_output ? Status() : make_folder_of(path); !status.ok()) {
    return tune_failed(status.message());
  }
  tuning::File file = to_output ? tuning::File() : file_at(path);
  // What measures shall not go by an older file.
  setenv("STARLING_TUNE_FILE", "none", 1);
  end_tuning_by_signals();
  const double seconds = options.quick ? kQuickSeconds : kUsualSeconds;
  const Status done =
      hosts.empty() ? measure_node(seconds, file) : measure_network(options.hosts.words(), hosts, seconds, file);
  if (const int signal = signal_of_tuning(); signal != 0) {
    constexpr int kExitSignal = 128;
    return tune_failed("a signal has ended it, and no file is written"), kExitSignal + signal;
  }
  if (!done.ok()) return tune_failed(done.message());
  if (!hosts.empty()) file.hosts.measured_at = now_text();
  if (to_output) return std::fputs(file.text().c_str(), stdout), 0;
  if (const Status status = write_file(path, file.text()); !status.ok()) return tune_failed(status.message());
  const bool is_usual = path == tuning::usual_path();
  std::printf("%s is written%s\n", path.c_str(),
              is_usual ? ", and holds from the next job on"
                       : formatted("; STARLING_TUNE_FILE={} makes jobs use it", path).c_str());
  return 0;
}

/// As a rank of a job that measures.
int run_probe(Arguments words) {
  const std::vector<std::string> texts(words.begin(), words.end());
  const Result<std::string> found = config::find_report("tune-probe")->write(config::Store(), texts);
  if (!found.ok()) return tune_failed(found.status().message());
  return std::fputs(found.value().c_str(), stdout) >= 0 ? 0 : 1;
}

}  // namespace

int tune_command(Arguments arguments) {
  CLI::App app(
      "Measures what communication between the cores of this machine costs, or with --host or --hostfile what messages "
      "between these hosts cost, in about 20 s, and writes it into a file by which collective calls choose their "
      "algorithms. What the file has of the other stays. Run it while nothing else uses the machine, or the network.",
      "starling tune");
  TuneOptions options;
  app.add_option("-o,--output", options.path,
                 "the file; - for standard output (default: starling/tune.conf in $XDG_CONFIG_HOME or ~/.config, where "
                 "jobs look for it)")
      ->type_name("FILE");
  options.hosts.add_to(app);
  app.add_flag("--quick", options.quick, "in about 5 s, less exactly");
  if (arguments.size() > 1 && std::string_view(arguments[1]) == "--probe") return run_probe(arguments.subspan(2));
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  return tune(options);
}

}  // namespace starling::tools
