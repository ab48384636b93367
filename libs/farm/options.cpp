// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <starling/farm/options.hpp>
#include <stdexcept>

namespace starling::farm {
namespace {

constexpr double kMostSeconds = 1e9;

template <class T>
T number(const std::string& name, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("--farm-" + name + " wants a number, not '" + text + "'");
  }
  return value;
}

std::vector<int> numbers(const std::string& name, const std::string& text) {
  std::vector<int> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    all.push_back(number<int>(name, text.substr(at, comma - at)));
    at = comma + 1;
  }
  return all;
}

template <class T>
T word(const std::string& name, const std::string& text, const std::map<std::string, T>& words) {
  const auto found = words.find(text);
  if (found != words.end()) return found->second;
  std::string known;
  for (const auto& [each, value] : words) known += (known.empty() ? "" : ", ") + each;
  throw std::invalid_argument("--farm-" + name + " wants one of " + known + ", not '" + text + "'");
}

struct Entry {
  const char* help;
  std::function<void(Options&, const std::string&)> set;
};

const std::map<std::string, Entry>& table() {
  static const std::map<std::string, Entry> entries{
      {"threads",
       {"N: Calculate threads of each process; -1: every usable core",
        [](Options& o, const std::string& v) { o.threads = number<int>("threads", v); }}},
      {"order",
       {"any | input: how results reach Output",
        [](Options& o, const std::string& v) {
          o.order = word<Order>("order", v, {{"any", Order::kAny}, {"input", Order::kInput}});
        }}},
      {"attempts",
       {"N: failures after which a task goes into quarantine",
        [](Options& o, const std::string& v) { o.attempts = number<int>("attempts", v); }}},
      {"tree", {"FILE: the tree of processes, TOML", [](Options& o, const std::string& v) { o.tree_file = v; }}},
      {"inputs",
       {"RANK,RANK...: where an Input runs; the root",
        [](Options& o, const std::string& v) { o.inputs = numbers("inputs", v); }}},
      {"outputs",
       {"RANK,RANK...: where an Output runs; the root",
        [](Options& o, const std::string& v) { o.outputs = numbers("outputs", v); }}},
      {"journal", {"FILE: note there what Output has taken", [](Options& o, const std::string& v) { o.journal = v; }}},
      {"time-limit",
       {"SECONDS: stop Input then, and finish what is under way",
        [](Options& o, const std::string& v) { o.time_limit_s = number<double>("time-limit", v); }}},
      {"task-limit",
       {"SECONDS: a task that takes longer has failed, and is tried elsewhere",
        [](Options& o, const std::string& v) { o.task_limit_s = number<double>("task-limit", v); }}},
      {"expected",
       {"N: tasks in all, for the time left",
        [](Options& o, const std::string& v) { o.expected = number<std::uint64_t>("expected", v); }}},
      {"progress",
       {"auto | off | lines: a bar on a terminal and lines elsewhere, nothing, lines",
        [](Options& o, const std::string& v) {
          o.progress = word<Progress>(
              "progress", v, {{"auto", Progress::kAuto}, {"off", Progress::kOff}, {"lines", Progress::kLines}});
        }}},
      {"summary",
       {"on | off: at the end",
        [](Options& o, const std::string& v) {
          o.summary = word<bool>("summary", v, {{"on", true}, {"off", false}});
        }}},
      {"replace",
       {"N: how many dead children each process replaces by new processes",
        [](Options& o, const std::string& v) { o.replace = number<int>("replace", v); }}},
      {"origin",
       {nullptr,
        [](Options& o, const std::string& v) {
          o.origin = word<Origin>("origin", v, {{"tree", Origin::kTree}, {"more", Origin::kMore}});
        }}},
      {"gather",
       {"by-load | at-once | full: when results go up the tree",
        [](Options& o, const std::string& v) {
          o.gather = word<Gather>(
              "gather", v, {{"by-load", Gather::kByLoad}, {"at-once", Gather::kAtOnce}, {"full", Gather::kFull}});
        }}},
      {"stragglers-twice",
       {"on | off: what takes long runs again where cores idle",
        [](Options& o, const std::string& v) {
          o.stragglers_twice = word<bool>("stragglers-twice", v, {{"on", true}, {"off", false}});
        }}},
  };
  return entries;
}

[[noreturn]] void print_help() {
  for (const auto& [name, entry] : table()) {
    if (entry.help != nullptr) std::printf("  --farm-%s %s\n", name.c_str(), entry.help);
  }
  std::printf("  --resume: go on where the journal ends\n");
  std::exit(0);
}

void check(const Options& options) {
  if (options.threads < -1) throw std::invalid_argument("--farm-threads wants -1 or more");
  if (options.attempts < 1) throw std::invalid_argument("--farm-attempts wants 1 or more");
  const auto seconds = [](const char* name, double value) {
    if (!(value >= 0 && value <= kMostSeconds)) {
      throw std::invalid_argument(std::string("--farm-") + name + " wants seconds, from 0 to 1e9");
    }
  };
  seconds("time-limit", options.time_limit_s);
  seconds("task-limit", options.task_limit_s);
  if (options.start == Start::kResume && options.journal.empty()) {
    throw std::invalid_argument("--resume needs the journal to go on with: --farm-journal FILE");
  }
}

}  // namespace

Options::Options(int& argc, char** argv) {
  try {
    *this = parse(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s: %s\nusage: %s [--farm-OPTION VALUE]... [arguments of its own]\n", argv[0], error.what(),
                 argv[0]);
    std::exit(kWrongUsage);
  }
}

Options Options::parse(int& argc, char** argv) {
  Options options;
  options.command.assign(argv, argv + argc);
  const std::string prefix = "--farm-";
  int kept = argc > 0 ? 1 : 0;
  for (int i = kept; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--resume" || argument == "--farm-resume") {
      options.start = Start::kResume;
    } else if (argument == "--farm-help") {
      print_help();
    } else if (argument.starts_with(prefix)) {
      const std::size_t equals = argument.find('=');
      const std::string name =
          argument.substr(prefix.size(), equals == std::string::npos ? equals : equals - prefix.size());
      const auto entry = table().find(name);
      if (entry == table().end()) throw std::invalid_argument("unknown option " + argument + "; --farm-help lists all");
      if (equals == std::string::npos && i + 1 >= argc) throw std::invalid_argument(argument + " wants a value");
      entry->second.set(options, equals == std::string::npos ? argv[++i] : argument.substr(equals + 1));
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  check(options);
  return options;
}

}  // namespace starling::farm
