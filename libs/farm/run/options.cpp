// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <starling/farm/options.hpp>

// CLI11's functions have the same names in all its versions. A program that uses another version would be linked with
// ours, so ours have another namespace.
#define CLI starling_farm_cli
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "base/format.hpp"

namespace starling::farm {
namespace {

constexpr double kMostSeconds = 1e9;

constexpr std::string_view kPrefix = "--farm-";
/// In front of a word that is the program's, and for an empty value behind '='.
constexpr char kMark = '\1';

template <class T>
T number(const std::string& name, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument(formatted("--farm-{} wants a number, not '{}'", name, text));
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
  throw std::invalid_argument(formatted("--farm-{} wants one of {}, not '{}'", name, known, text));
}

/// Its name is handed to it for messages.
using Set = void (*)(Options&, const std::string& name, const std::string& text);

struct Entry {
  const char* name;
  const char* value;
  const char* help;  ///< nullptr: not for users.
  Set set;
};

using S = const std::string&;

const Entry kEntries[] = {
    {"threads", "N", "Calculate threads of each process; -1: every usable core (-1)",
     [](Options& o, S name, S text) { o.threads = number<int>(name, text); }},
    {"order", "any|input", "how results reach Output: as they come, or in the order of Input (any)",
     [](Options& o, S name, S text) {
       o.order = word<Order>(name, text, {{"any", Order::kAny}, {"input", Order::kInput}});
     }},
    {"attempts", "N", "failures after which a task goes into quarantine (3)",
     [](Options& o, S name, S text) { o.attempts = number<int>(name, text); }},
    {"tree", "FILE", "the tree of processes, TOML", [](Options& o, S, S text) { o.tree_file = text; }},
    {"inputs", "RANK,RANK...", "where Inputs run (the root)",
     [](Options& o, S name, S text) { o.inputs = numbers(name, text); }},
    {"outputs", "RANK,RANK...", "where Outputs run (the root)",
     [](Options& o, S name, S text) { o.outputs = numbers(name, text); }},
    {"journal", "FILE", "note there what Output has taken", [](Options& o, S, S text) { o.journal = text; }},
    {"time-limit", "SECONDS", "stop Input then, and finish what is under way",
     [](Options& o, S name, S text) { o.time_limit_s = number<double>(name, text); }},
    {"task-limit", "SECONDS", "a task that takes longer has failed, and is tried elsewhere",
     [](Options& o, S name, S text) { o.task_limit_s = number<double>(name, text); }},
    {"expected", "N", "tasks in all, for the time left",
     [](Options& o, S name, S text) { o.expected = number<std::uint64_t>(name, text); }},
    {"progress", "auto|off|lines", "a bar on a terminal and lines elsewhere, nothing, or lines (auto)",
     [](Options& o, S name, S text) {
       o.progress = word<Progress>(name, text,
                                   {{"auto", Progress::kAuto}, {"off", Progress::kOff}, {"lines", Progress::kLines}});
     }},
    {"summary", "on|off", "print the summary at the end (on)",
     [](Options& o, S name, S text) {
       o.summary = word<bool>(name, text, {{"on", true}, {"off", false}});
     }},
    {"replace", "N", "how many dead children each process replaces by new processes (0)",
     [](Options& o, S name, S text) { o.replace = number<int>(name, text); }},
    {"spares", "N", "the last N ranks stay out until they take the places of dead ones (0)",
     [](Options& o, S name, S text) { o.spares = number<int>(name, text); }},
    {"restarts", "N", "how often a spare may take the place of one rank (3)",
     [](Options& o, S name, S text) { o.restarts = number<int>(name, text); }},
    {"origin", "tree|more", nullptr,
     [](Options& o, S name, S text) {
       o.origin = word<Origin>(name, text, {{"tree", Origin::kTree}, {"more", Origin::kMore}});
     }},
    {"gather", "by-load|at-once|full", "when results go up the tree (by-load)",
     [](Options& o, S name, S text) {
       o.gather = word<Gather>(name, text,
                               {{"by-load", Gather::kByLoad}, {"at-once", Gather::kAtOnce}, {"full", Gather::kFull}});
     }},
    {"stragglers-twice", "on|off", "what takes long runs again where cores idle (on)",
     [](Options& o, S name, S text) {
       o.stragglers_twice = word<bool>(name, text, {{"on", true}, {"off", false}});
     }},
};

void declare(CLI::App& app, Options& options) {
  app.set_help_flag("--farm-help", "this text")->group("The farm's options");
  app.allow_extras();
  for (const Entry& entry : kEntries) {
    const auto set = [&](const CLI::results_t& values) {
      const bool empty = values.back() == std::string(1, kMark);
      entry.set(options, entry.name, empty ? std::string() : values.back());
      return true;
    };
    app.add_option(std::string(kPrefix) + entry.name, set, entry.help != nullptr ? entry.help : "")
        ->type_name(entry.value)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group(entry.help != nullptr ? "The farm's options" : "");
  }
  app.add_flag(
         "--resume,--farm-resume", [&](std::int64_t) { options.start = Start::kResume; },
         "go on where the journal ends")
      ->disable_flag_override()
      ->group("The farm's options");
}

/// As CLI11 shall see a word of the command line: "--" ends no options of the farm, and --resume=VALUE is not one.
std::string shown(const std::string& word) {
  if (word == "--" || word.starts_with("--resume=")) return kMark + word;
  const bool is_empty = word.starts_with(kPrefix) && word.find('=') == word.size() - 1;
  return is_empty ? word + kMark : word;
}

/// Keeps of the command line what is left over, in its order.
void keep(const std::vector<std::string>& rest, int& argc, char** argv) {
  int kept = 1;
  int at = 1;
  for (const std::string& word : rest) {
    if (word.starts_with(kPrefix)) {
      throw std::invalid_argument(formatted("unknown option {}; --farm-help lists all", word));
    }
    while (shown(argv[at]) != word) ++at;
    argv[kept++] = argv[at++];
  }
  argc = kept;
  argv[argc] = nullptr;
}

void check(const Options& options) {
  if (options.threads < -1) throw std::invalid_argument("--farm-threads wants -1 or more");
  if (options.attempts < 1) throw std::invalid_argument("--farm-attempts wants 1 or more");
  if (options.spares < 0) throw std::invalid_argument("--farm-spares wants 0 or more");
  if (options.restarts < 0) throw std::invalid_argument("--farm-restarts wants 0 or more");
  const auto seconds = [](const char* name, double value) {
    if (!(value >= 0 && value <= kMostSeconds)) {
      throw std::invalid_argument(formatted("--farm-{} wants seconds, from 0 to 1e9", name));
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
  if (argc < 1) return options;
  CLI::App app("", argv[0]);
  declare(app, options);
  std::vector<std::string> reversed;
  for (int i = argc - 1; i > 0; --i) reversed.push_back(shown(argv[i]));
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    std::exit(0);
  } catch (const CLI::ParseError& error) {  // its text begins with the option
    const std::string text = error.what();
    const std::size_t colon = text.find(':');
    throw std::invalid_argument(colon == std::string::npos ? "--farm-resume takes no value"
                                                           : text.substr(0, colon) + " wants a value");
  }
  keep(app.remaining(), argc, argv);
  check(options);
  return options;
}

}  // namespace starling::farm
