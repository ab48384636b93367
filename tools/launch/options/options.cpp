// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "bootstrap/environment.hpp"

namespace starling::launch {
namespace {

Status wrong(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

/// The command being read: options of the part at hand go to part, the others to spec.
struct Reading {
  JobSpec spec;
  Part part;
  std::vector<EnvironmentSetting> everywhere;  ///< -genv: for all parts, also those already read
};

using Values = std::span<const std::string>;
using Apply = Status (*)(Reading&, Values);

struct Option {
  std::vector<std::string_view> names;  ///< without dashes
  std::size_t values;
  Apply apply;
};

/// Linux numbers no more processes than four million; how many ranks the memory holds is the segment's to say.
constexpr std::uint32_t kMostRanks = 4'000'000;

/// A number of ranks; 0 when the text is none.
std::uint32_t count_in(const std::string& text) {
  std::uint32_t count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc::result_out_of_range && rest == end) return kMostRanks;
  return error != std::errc() || rest != end ? 0 : std::min(count, kMostRanks);
}

Status set_ranks(Reading& reading, Values values) {
  reading.part.ranks = count_in(values[0]);
  if (reading.part.ranks > 0) return {};
  return wrong("-n takes the number of ranks, a whole number from 1, but got '" + values[0] + "'");
}

Status set_spares(Reading& reading, Values values) {
  reading.spec.spares = count_in(values[0]);
  reading.spec.survive = true;
  if (reading.spec.spares > 0) return {};
  return wrong("--spares takes the number of spare ranks, a whole number from 1, but got '" + values[0] + "'");
}

Status set_variable(std::vector<EnvironmentSetting>& settings, const std::string& name, const std::string& value) {
  if (name.empty() || name.find('=') != std::string::npos) return wrong("'" + name + "' is not a name of a variable");
  settings.push_back({name, value});
  return {};
}

/// -x VAR hands our value down, -x VAR=VALUE sets one.
Status export_variable(Reading& reading, Values values) {
  const std::size_t equals = values[0].find('=');
  const std::string name = values[0].substr(0, equals);
  if (equals != std::string::npos) {
    return set_variable(reading.part.environment, name, values[0].substr(equals + 1));
  }
  const char* value = std::getenv(name.c_str());
  return value ? set_variable(reading.part.environment, name, value) : Status();
}

Status export_list(std::vector<EnvironmentSetting>& settings, std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string name(list.substr(0, comma));
    if (const char* value = std::getenv(name.c_str())) STARLING_TRY(set_variable(settings, name, value));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return {};
}

Status set_timeout(Reading& reading, Values values) {
  double seconds = 0;
  const char* end = values[0].data() + values[0].size();
  const auto [rest, error] = std::from_chars(values[0].data(), end, seconds);
  if (error != std::errc() || rest != end || !(seconds > 0)) {
    return wrong("--timeout takes seconds, such as 90 or 0.5, but got '" + values[0] + "'");
  }
  reading.spec.timeout_s = seconds;
  return {};
}

Status set_errhandler(Reading& reading, Values values) {
  constexpr std::string_view kHandlers[] = {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"};
  if (std::find(std::begin(kHandlers), std::end(kHandlers), values[0]) == std::end(kHandlers)) {
    return wrong("-initial-errhandler takes mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return, but got '" +
                 values[0] + "'");
  }
  return set_variable(reading.part.environment, bootstrap::kErrhandlerVariable, values[0]);
}

Status set_bind_to(Reading& reading, Values values) {
  Result<topology::BindTo> parsed = topology::parse_bind_to(values[0]);
  if (!parsed.ok()) return std::move(parsed).status();
  reading.spec.binding.bind_to = parsed.value();
  return {};
}

Status set_map_by(Reading& reading, Values values) {
  Result<topology::MapBy> parsed = topology::parse_map_by(values[0]);
  if (!parsed.ok()) return std::move(parsed).status();
  reading.spec.binding.map_by = parsed.value();
  return {};
}

bool is_this_machine(std::string_view host) {
  host = host.substr(0, host.find(':'));
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  const std::string_view here(name);
  return host == "localhost" || host == "127.0.0.1" || host == here || host == here.substr(0, here.find('.'));
}

Status refuse_host_file(Reading&, Values values) {
  return wrong("a host file ('" + values[0] +
               "') names other machines, and this version of Starling runs on one machine only. Leave the option out "
               "to run all ranks here");
}

Status refuse_mca(Reading&, Values values) {
  return wrong("--mca " + values[0] + " " + values[1] +
               " is a setting of Open MPI. Starling reads STARLING_ variables; 'starling info --config' lists them");
}

/// As other launchers spell it.
Status set_fault_tolerance(Reading& reading, Values values) {
  const std::string& value = values[0];
  if (value != "ulfm" && value != "mpi" && value != "true" && value != "1") {
    return wrong("--with-ft takes ulfm or mpi, but got '" + value + "'; --survive says the same");
  }
  reading.spec.survive = true;
  return {};
}

Status ignore(Reading&, Values) { return {}; }

const std::vector<Option>& options() {
  static const std::vector<Option> table = {
      {{"n", "np", "c"}, 1, set_ranks},
      {{"x"}, 1, export_variable},
      {{"env"}, 2, [](Reading& r, Values v) { return set_variable(r.part.environment, v[0], v[1]); }},
      {{"genv"}, 2, [](Reading& r, Values v) { return set_variable(r.everywhere, v[0], v[1]); }},
      {{"envlist"}, 1, [](Reading& r, Values v) { return export_list(r.part.environment, v[0]); }},
      {{"genvlist"}, 1, [](Reading& r, Values v) { return export_list(r.everywhere, v[0]); }},
      {{"genvnone", "envnone"}, 0, [](Reading& r, Values) { return r.spec.empty_environment = true, Status(); }},
      {{"wdir", "wd"}, 1, [](Reading& r, Values v) { return r.part.folder = v[0], Status(); }},
      {{"l", "tag-output", "prepend-rank"}, 0, [](Reading& r, Values) { return r.spec.label_lines = true, Status(); }},
      {{"timeout"}, 1, set_timeout},
      {{"initial-errhandler"}, 1, set_errhandler},
      {{"bind-to"}, 1, set_bind_to},
      {{"map-by"}, 1, set_map_by},
      {{"survive"}, 0, [](Reading& r, Values) { return r.spec.survive = true, Status(); }},
      {{"spares"}, 1, set_spares},
      {{"with-ft"}, 1, set_fault_tolerance},
      {{"enable-recovery"}, 0, [](Reading& r, Values) { return r.spec.survive = true, Status(); }},
      {{"q", "quiet"}, 0, [](Reading& r, Values) { return r.spec.quiet = true, Status(); }},
      {{"h", "help"}, 0, [](Reading& r, Values) { return r.spec.help = true, Status(); }},
      {{"host", "H", "hosts"}, 1, [](Reading&, Values v) { return check_hosts(v[0]); }},
      {{"f", "hostfile", "machinefile", "default-hostfile"}, 1, refuse_host_file},
      {{"mca", "gmca"}, 2, refuse_mca},
      // Nothing to ask for here: it is always so.
      {{"oversubscribe", "nooversubscribe", "allow-run-as-root", "genvall", "envall"}, 0, ignore},
      {{"ppn", "perhost", "npernode", "N"}, 1, ignore},
  };
  return table;
}

const Option* find_option(std::string_view name) {
  for (const Option& option : options()) {
    for (const std::string_view known : option.names) {
      if (known == name) return &option;
    }
  }
  return nullptr;
}

/// Reads one option with its values from position *at, and moves *at behind it.
Status read_option(Reading& reading, std::span<const char* const> arguments, std::size_t* at) {
  const std::string text = arguments[*at];
  const std::size_t start = text.find_first_not_of('-');
  const std::size_t equals = text.find('=');
  const std::string_view name =
      std::string_view(text).substr(start, equals == std::string::npos ? equals : equals - start);
  const Option* option = find_option(name);
  if (!option) return wrong("there is no option '" + text + "'; 'mpiexec -h' lists them");
  std::vector<std::string> values;
  if (equals != std::string::npos) values.push_back(text.substr(equals + 1));
  ++*at;
  while (values.size() < option->values && *at < arguments.size()) values.emplace_back(arguments[(*at)++]);
  if (values.size() != option->values) {
    return wrong("option '" + text + "' takes " + std::to_string(option->values) + " value(s)");
  }
  return option->apply(reading, values);
}

Status finish_part(Reading& reading) {
  if (reading.part.command.empty()) {
    return wrong("there is no program to run: mpiexec -n <ranks> <program> [arguments]");
  }
  reading.spec.parts.push_back(std::move(reading.part));
  reading.part = Part();
  return {};
}

/// -genv holds for every part, and a part's own settings come after it and win.
void spread_settings(Reading& reading) {
  for (Part& part : reading.spec.parts) {
    part.environment.insert(part.environment.begin(), reading.everywhere.begin(), reading.everywhere.end());
  }
}

/// Spares are ranks of the program like the others, behind them.
Status add_spares(JobSpec& spec) {
  if (spec.spares == 0) return {};
  if (spec.parts.size() > 1) return wrong("--spares is for one program; here are several, and a spare runs but one");
  spec.parts[0].ranks += spec.spares;
  return set_variable(spec.parts[0].environment, bootstrap::kSparesVariable, std::to_string(spec.spares));
}

}  // namespace

Status check_hosts(std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (!is_this_machine(list.substr(0, comma))) {
      return wrong("host '" + std::string(list.substr(0, comma)) +
                   "' is not this machine, and this version of Starling runs on one machine only. Leave the option "
                   "out to run all ranks here");
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return {};
}

std::uint32_t JobSpec::ranks() const noexcept {
  std::uint32_t sum = 0;
  for (const Part& part : parts) sum += part.ranks;
  return sum;
}

Result<JobSpec> parse_command_line(std::span<const char* const> arguments) {
  Reading reading;
  std::size_t at = 0;
  while (at < arguments.size()) {
    const std::string_view text = arguments[at];
    if (text == ":") {
      STARLING_TRY(finish_part(reading));
      ++at;
    } else if (text.size() > 1 && text.front() == '-' && text.find_first_not_of('-') != std::string_view::npos) {
      STARLING_TRY(read_option(reading, arguments, &at));
      if (reading.spec.help) return std::move(reading.spec);
    } else {
      if (text == "--") ++at;
      for (; at < arguments.size() && std::string_view(arguments[at]) != ":"; ++at) {
        reading.part.command.emplace_back(arguments[at]);
      }
      if (at == arguments.size()) break;
    }
  }
  STARLING_TRY(finish_part(reading));
  spread_settings(reading);
  STARLING_TRY(add_spares(reading.spec));
  return std::move(reading.spec);
}

std::string_view usage() noexcept {
  return R"(usage: mpiexec [options] <program> [arguments] [: [options] <program> [arguments]]...
Runs a program as the ranks of one MPI job on this machine. Also called mpirun and 'starling run'.

  -n, -np, -c N         ranks of the program (1)
  -x VAR[=VALUE]        set VAR for the program; -env VAR VALUE does the same
  -genv VAR VALUE       set VAR for every program of the command
  -genvlist A,B         hand these variables down (all of ours are, unless -genvnone)
  -genvnone             start the programs with an environment of only what is set here
  -wdir DIR             run the program in DIR
  -initial-errhandler H the error handler that the world begins with: mpi_errors_are_fatal, mpi_errors_abort or
                        mpi_errors_return
  -l, --tag-output      begin each line of output with [rank]
  --timeout SECONDS     end the job after so long, with exit status 124
  --bind-to WHAT        none, hwthread, core, l3, numa or package; without it equal shares of the cores where the
                        ranks fit on them, else none
  --map-by WHAT         core, l3, numa or package: what consecutive ranks step over
  --survive             go on when ranks die: those who need them get errors (mpi-ext.h); STARLING_FT=1 says the same
  --spares N            N ranks more, behind the others, that wait until they replace dead ones; the program asks for
                        that with starling/replace_dead.hpp. Goes on when ranks die
  -q                    no notes, only errors
  -h                    this text
  --oversubscribe, --allow-run-as-root, -ppn N   accepted; more ranks than cores and root are always welcome

Standard input goes to rank 0. Lines of output stay whole. Signals are passed on to the ranks; a second interrupt
kills them. When a rank fails the job ends, the failure is reported, and the exit status is 128 + signal, the code of
MPI_Abort or the rank's own; 2, 126 and 127 mean a bad option, a program that cannot be run, and none of that name.
)";
}

}  // namespace starling::launch
