// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CLI11 parses. It knows "-n" and "--name" only, while users of other launchers write "-np" and "-genv"; so each word
// is marked before and unmarked behind it, whatever the word turns out to be: an option, a value or the program's.
#include "launch/options/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/nearest_name.hpp"
#include "base/usable_cores.hpp"
#include "bootstrap/environment.hpp"
#include "launch/hosts/slurm.hpp"
#include "launch/options/config_file.hpp"
#include "launch/options/job_hosts.hpp"
#include "launch/options/option_table.hpp"

namespace starling::launch {
namespace {

Status refusal(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

// The mark of a word with so many dashes, which CLI11 sees as "--", mark and name; and of an empty value behind '='.
// Bytes that no UTF-8 has: from 2.4 on CLI11 takes no control character for the first of a name.
constexpr std::string_view kDashMarks = "\xFE\xFF";
constexpr char kEmptyValue = '\3';

std::string marked(std::string_view word) {
  const std::size_t dashes = word.find_first_not_of('-');
  if (dashes == 0 || dashes == std::string_view::npos || dashes > kDashMarks.size()) return std::string(word);
  std::string text = std::string("--") + kDashMarks[dashes - 1] + std::string(word.substr(dashes));
  if (text.find('=') == text.size() - 1) text += kEmptyValue;
  return text;
}

std::string unmarked(std::string_view text) {
  if (text.ends_with(kEmptyValue)) text.remove_suffix(1);
  const std::size_t dashes =
      text.starts_with("--") && text.size() > 2 ? kDashMarks.find(text[2]) : std::string_view::npos;
  return dashes == std::string_view::npos ? std::string(text)
                                          : std::string(dashes + 1, '-') + std::string(text.substr(3));
}

/// ", did you mean ...?" of the option with the nearest name, if it is near.
std::string near_to(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  word = word.substr(0, word.find('='));
  NearestName names = NearestName::within_reach(word);
  for (const Option& option : options()) {
    for (const std::string_view name : option.names) names.offer(name);
  }
  const std::string_view nearest = names.found();
  return nearest.empty() ? std::string()
                         : formatted(", did you mean '{}{}'?", nearest.size() > 2 ? "--" : "-", nearest);
}

/// The option as it was typed last: "--hostfile".
std::string typed_name(const Option& option, std::span<const char* const> words) {
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    const std::string_view typed = std::string_view(*word).substr(0, std::string_view(*word).find('='));
    const std::size_t dashes = std::min(typed.find_first_not_of('-'), typed.size());
    if (dashes > 0 && std::ranges::count(option.names, typed.substr(dashes)) > 0) return std::string(typed);
  }
  return formatted("-{}", option.names.front());
}

/// Refuses an option that is said again, and says something else.
Status note_given(Reading& reading, const Option& option, const std::vector<std::string>& values) {
  if (option.said == Said::kOften || values.empty()) return {};
  Reading::Given& given = option.said == Said::kOnce ? reading.given : reading.given_here;
  const auto& [known, is_new] = given.try_emplace(option.names.front(), values);
  if (is_new || known->second == values) return {};
  return refusal(formatted("-{} takes one {}, but got '{}' and '{}'", option.names.front(), option.values,
                           known->second.front(), values.front()));
}

/// The parser of one application: everything from the first word that is no option is left over.
class ApplicationParser {
 public:
  ApplicationParser() : app_("", "mpiexec") {
    app_.set_help_flag();
    app_.prefix_command();
    for (const Option& option : options()) declare(option);
  }

  /// Nothing is to be run.
  static bool is_about_us(const JobSpec& spec) { return spec.help || spec.version; }

  /// The program with its arguments, and what follows; empty after -h.
  Result<std::vector<std::string>> parse(std::span<const char* const> words, Reading& reading) {
    std::vector<std::string> reversed;
    for (auto word = words.rbegin(); word != words.rend(); ++word) reversed.push_back(marked(*word));
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::ParseError& error) {
      return wrong_number_of_values(error, words);
    }
    STARLING_TRY(apply(reading));
    if (is_about_us(reading.spec)) return std::vector<std::string>();
    std::vector<std::string> rest = app_.remaining();
    for (std::string& word : rest) word = unmarked(word);
    if (!rest.empty() && is_option(rest.front())) {
      return refusal(
          formatted("there is no option '{}'{}; 'mpiexec -h' lists them", rest.front(), near_to(rest.front())));
    }
    return rest;
  }

 private:
  void declare(const Option& option) {
    std::string names;
    for (const std::string_view name : option.names) {
      for (const char mark : kDashMarks) names += formatted("{}--{}{}", names.empty() ? "" : ",", mark, name);
    }
    const int values = static_cast<int>(option.value_count());
    CLI::Option* const declared = values > 0 ? app_.add_option(names)->type_size(values) : app_.add_flag(names);
    declared->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->disable_flag_override();
    known_.emplace(declared, &option);
  }

  static bool is_option(std::string_view word) {
    const std::size_t dashes = word.find_first_not_of('-');
    return dashes != 0 && dashes != std::string_view::npos;
  }

  /// In the order of the command line: where two options set the same variable, the last one wins.
  Status apply(Reading& reading) {
    std::map<const CLI::Option*, std::size_t> taken;
    const std::vector<CLI::Option*>& order = app_.parse_order();
    for (auto next = order.begin(); next != order.end() && !is_about_us(reading.spec);) {
      const Option& option = *known_.at(*next);
      std::vector<std::string> values;
      for (std::size_t i = 0; i < option.value_count(); ++i) {
        values.push_back(unmarked((*next)->results().at(taken[*next]++)));
      }
      STARLING_TRY(note_given(reading, option, values));
      STARLING_TRY(option.apply(reading, values));
      next += static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, values.size()));
    }
    return {};
  }

  /// The only mistake that CLI11 reports: its text begins with the first name of the option.
  Status wrong_number_of_values(const CLI::ParseError& error, std::span<const char* const> words) const {
    const std::string text = error.what();
    const std::string name = text.substr(0, text.find_first_of(": "));
    const CLI::Option* const declared = app_.get_option_no_throw(name.starts_with("--") ? name : "--" + name);
    if (declared == nullptr) return refusal(unmarked(text));
    const Option& option = *known_.at(declared);
    const std::string typed = typed_name(option, words);
    if (option.value_count() == 0) return refusal(formatted("{} takes no value", typed));
    return refusal(formatted("{} takes {}, but {} follows it: {}", typed, option.values,
                             option.value_count() == 1 ? "nothing" : "too little", option.help));
  }

  CLI::App app_;
  std::map<const CLI::Option*, const Option*> known_;
};

/// FIRST:LAST:STEP, FIRST:LAST or NUMBER; no value where the text is none of these.
std::optional<std::array<std::int32_t, 3>> range_in(std::string_view text) {
  std::array<std::int32_t, 3> numbers{0, 0, 1};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == numbers.size()) return std::nullopt;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto [rest, error] = std::from_chars(text.data(), text.data() + colon, numbers[count]);
    if (error != std::errc() || rest != text.data() + colon) return std::nullopt;
    more = colon < text.size();
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  if (count == 1) numbers[1] = numbers[0];
  return numbers[2] != 0 ? std::optional(numbers) : std::nullopt;
}

/// The largest number of a set "FIRST:LAST:STEP,NUMBER,..." that is at most `most`; 0: there is none. The set is wrong:
/// no value. Source: MPI-5.0, 11.3.4 (the info key soft).
std::optional<std::uint32_t> largest_of(std::string_view set, std::int64_t most) {
  std::int64_t best = 0;
  while (!set.empty()) {
    const std::size_t comma = std::min(set.find(','), set.size());
    const auto range = range_in(set.substr(0, comma));
    set.remove_prefix(std::min(comma + 1, set.size()));
    if (!range) return std::nullopt;
    const std::int64_t first = (*range)[0];
    const std::int64_t span = std::int64_t{(*range)[1]} - first;
    const std::int64_t step = (*range)[2];
    if (span != 0 && (span > 0) != (step > 0)) continue;  // it leads away from its end
    const std::int64_t last = first + span / step * step;
    const std::int64_t least = std::min(first, last);
    if (least <= most)
      best = std::max(best, least + (std::min(most, std::max(first, last)) - least) / std::abs(step) * std::abs(step));
  }
  return static_cast<std::uint32_t>(best);
}

Status apply_soft(Reading& reading) {
  const std::string set = std::exchange(reading.soft, {});
  if (set.empty()) return {};
  const std::uint32_t asked = reading.application.ranks;
  const std::optional<std::uint32_t> ranks =
      largest_of(set, asked > 0 ? asked : std::numeric_limits<std::int32_t>::max());
  if (!ranks)
    return refusal(formatted("-soft takes numbers and ranges FIRST:LAST:STEP, as 2,4:16:4, but got '{}'", set));
  if (*ranks == 0) {
    return refusal(formatted("-soft {} holds no number of ranks from 1{}", set,
                             asked > 0 ? formatted(" to {}", asked) : std::string(" on")));
  }
  reading.application.ranks = *ranks;
  return {};
}

Status finish_application(Reading& reading) {
  if (reading.application.command.empty()) {
    return refusal("there is no program to run: mpiexec -n <ranks> <program> [arguments]");
  }
  STARLING_TRY(apply_soft(reading));
  reading.spec.applications.push_back(std::move(reading.application));
  reading.application = Application();
  reading.given_here.clear();
  return {};
}

/// Over hosts it would have to copy.
Status check_copying(Reading& reading) {
  if (!reading.copies_program) return {};
  if (reading.spec.hosts.hosts.empty()) return reading.spec.without_effect.emplace_back("--preload-binary"), Status();
  return refusal(
      "--preload-binary is not done: mpiexec copies nothing to hosts. Put the program into a folder that all hosts "
      "share, or copy it to the same place on each");
}

/// Options that say how to record, where nothing is recorded.
void note_recording(Reading& reading) {
  const TraceRequest& trace = reading.spec.trace;
  if (!trace.file.empty() || !trace.report.empty()) return;
  for (const char* const name : {"trace-calls", "trace-limit"}) {
    if (!reading.given.contains(name)) continue;
    reading.spec.without_effect.push_back(formatted("--{} (there is neither --trace nor --report)", name));
  }
}

/// -genv holds for every application, and an application's own settings come after it and win.
void spread_settings(Reading& reading) {
  for (Application& application : reading.spec.applications) {
    application.environment.insert(application.environment.begin(), reading.everywhere.begin(),
                                   reading.everywhere.end());
  }
}

/// The job's hosts: those that are named, else Slurm's, else this machine.
Status find_hosts(JobSpec& spec) {
  STARLING_TRY(join_hosts(spec));
  if (spec.hosts.hosts.empty() && in_slurm_here()) {
    Result<std::vector<Host>> hosts = slurm_hosts_here();
    if (!hosts.ok()) return std::move(hosts).status();
    spec.hosts.hosts = std::move(hosts).value();
  }
  if (spec.hosts.hosts.empty()) {
    return settle_here(spec, ThisMachine({}, {}, ""), spec.hosts.may_exceed_slots ? 1 : usable_cores());
  }
  return settle_here(spec, ThisMachine::ask(), usable_cores());
}

/// Spares are ranks of their program like the others, behind them.
Status add_spares(JobSpec& spec) {
  for (Application& application : spec.applications) {
    if (application.spares == 0) continue;
    if (application.ranks == 0)
      return refusal("--spares over several hosts takes the number of ranks without them: -n N");
    application.ranks += application.spares;
    application.environment.push_back({bootstrap::kSparesVariable, std::to_string(application.spares)});
  }
  return {};
}

Result<JobSpec> parse_words(std::span<const char* const> words) {
  Reading reading;
  for (bool more = true; more;) {
    Result<std::vector<std::string>> parsed = ApplicationParser().parse(words, reading);
    if (!parsed.ok()) return std::move(parsed).status();
    if (ApplicationParser::is_about_us(reading.spec)) return std::move(reading.spec);
    std::vector<std::string>& rest = parsed.value();
    const auto begin = rest.begin() + (!rest.empty() && rest.front() == "--" ? 1 : 0);
    const auto colon = std::find(begin, rest.end(), ":");
    more = colon != rest.end();
    words = words.last(static_cast<std::size_t>(rest.end() - colon) - (more ? 1 : 0));
    reading.application.command.assign(begin, colon);
    STARLING_TRY(finish_application(reading));
  }
  spread_settings(reading);
  STARLING_TRY(find_hosts(reading.spec));
  STARLING_TRY(check_copying(reading));
  note_recording(reading);
  STARLING_TRY(add_spares(reading.spec));
  return std::move(reading.spec);
}

}  // namespace

std::uint32_t JobSpec::ranks() const noexcept {
  std::uint32_t sum = 0;
  for (const Application& application : applications) sum += application.ranks;
  return sum;
}

Result<JobSpec> parse_command_line(std::span<const char* const> words) {
  const std::optional<std::string> file = config_file_in(words);
  if (!file) return parse_words(words);
  Result<std::vector<std::string>> read = read_config_file(*file);
  if (!read.ok()) return std::move(read).status();
  std::vector<const char*> pointers;
  for (const std::string& word : read.value()) pointers.push_back(word.c_str());
  return parse_words(pointers);
}

}  // namespace starling::launch
