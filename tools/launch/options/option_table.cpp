// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/option_table.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/format.hpp"
#include "bootstrap/environment.hpp"
#include "launch/options/host_options.hpp"

namespace starling::launch {
namespace {

Status wrong(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

using Values = std::span<const std::string>;

/// Linux numbers no more processes than four million; how many ranks the memory holds is the segment's to say.
constexpr std::uint32_t kMostRanks = 4'000'000;

/// Sets a number, which `takes` names: "-n takes the number of ranks".
Status set_count(std::uint32_t& count, std::string_view takes, const std::string& text) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && rest == end && count > 0 && count <= kMostRanks) return {};
  return wrong(formatted("{}, a whole number from 1 to {}, but got '{}'", takes, kMostRanks, text));
}

Status set_ranks(Reading& reading, Values values) {
  return set_count(reading.application.ranks, "-n takes the number of ranks", values[0]);
}

Status set_spares(Reading& reading, Values values) {
  reading.spec.survive = true;
  return set_count(reading.application.spares, "--spares takes the number of spare ranks", values[0]);
}

Status set_variable(std::vector<EnvironmentSetting>& settings, const std::string& name, const std::string& value) {
  if (name.empty() || name.find('=') != std::string::npos)
    return wrong(formatted("'{}' is not the name of a variable", name));
  settings.push_back({name, value});
  return {};
}

/// -x VAR hands our value down, -x VAR=VALUE sets one.
Status export_variable(Reading& reading, Values values) {
  const std::size_t equals = values[0].find('=');
  const std::string name = values[0].substr(0, equals);
  if (equals != std::string::npos) {
    return set_variable(reading.application.environment, name, values[0].substr(equals + 1));
  }
  if (const char* value = std::getenv(name.c_str())) {
    return set_variable(reading.application.environment, name, value);
  }
  if (name.empty()) return wrong("-x takes the name of a variable, but got ''");
  reading.spec.without_effect.push_back(formatted("-x {} (it is not set)", name));
  return {};
}

/// As MPICH has it; `option` for what is said of variables that are not set.
Status export_list(Reading& reading, std::vector<EnvironmentSetting>& settings, std::string_view list,
                   std::string_view option) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string name(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (const char* value = std::getenv(name.c_str())) {
      STARLING_TRY(set_variable(settings, name, value));
    } else if (name.empty() || name.find('=') != std::string::npos) {
      return wrong(formatted("{} takes names of variables, as A,B, but got '{}'", option, name));
    } else {
      reading.spec.without_effect.push_back(formatted("{} {} (it is not set)", option, name));
    }
  }
  return {};
}

Status set_timeout(Reading& reading, Values values) {
  constexpr double kMost = 1e9;
  double seconds = 0;
  const char* end = values[0].data() + values[0].size();
  const auto [rest, error] = std::from_chars(values[0].data(), end, seconds);
  if (error != std::errc() || rest != end || !(seconds > 0 && seconds <= kMost)) {
    return wrong(formatted("--timeout takes seconds, such as 90 or 0.5, up to 1e9, but got '{}'", values[0]));
  }
  reading.spec.timeout_s = seconds;
  return {};
}

/// Sets a text, which `takes` names: "-wdir takes a folder".
Status set_text(std::string& text, std::string_view takes, const std::string& value) {
  if (value.empty()) return wrong(formatted("{}, but got ''", takes));
  text = value;
  return {};
}

Status set_interface(Reading& reading, Values values) {
  if (values[0].empty()) return wrong("--iface takes the name of a network interface, but got ''");
  return set_variable(reading.everywhere, "STARLING_NET_INTERFACES", values[0]);
}

/// An empty environment and the whole of ours.
Status set_environment(Reading& reading, bool whole, std::string_view option) {
  if (reading.whole_environment && *reading.whole_environment != whole) {
    return wrong(
        formatted("{} is contrary to another option about the environment: take -genvnone or -genvall", option));
  }
  reading.whole_environment = whole;
  reading.spec.empty_environment = !whole;
  return {};
}

Status set_on_deadlock(Reading& reading, Values values) {
  Result<OnDeadlock> parsed = parse_on_deadlock(values[0], "--on-deadlock");
  if (!parsed.ok()) return std::move(parsed).status();
  reading.spec.on_deadlock = parsed.value();
  return {};
}

Status set_note_after(Reading& reading, Values values) {
  Result<std::int64_t> parsed = parse_note_after(values[0]);
  if (!parsed.ok()) return std::move(parsed).status();
  reading.spec.note_after_ms = parsed.value();
  return {};
}

Status set_errhandler(Reading& reading, Values values) {
  constexpr std::string_view kHandlers[] = {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"};
  if (std::find(std::begin(kHandlers), std::end(kHandlers), values[0]) == std::end(kHandlers)) {
    return wrong(
        formatted("-initial-errhandler takes mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return, but got '{}'",
                  values[0]));
  }
  return set_variable(reading.application.environment, bootstrap::kErrhandlerVariable, values[0]);
}

Status set_bind_to(Reading& reading, Values values) {
  Result<topology::BindTo> parsed = topology::parse_bind_to(values[0]);
  if (!parsed.ok()) return std::move(parsed).status();
  reading.spec.binding.bind_to = parsed.value();
  return {};
}

/// As other launchers spell it.
Status set_fault_tolerance(Reading& reading, Values values) {
  const std::string& value = values[0];
  if (value != "ulfm" && value != "mpi" && value != "true" && value != "1") {
    return wrong(formatted("--with-ft takes ulfm or mpi, but got '{}'; --survive says the same", value));
  }
  reading.spec.survive = true;
  return {};
}

Status set_trace(Reading& reading, Values values) {
  reading.spec.trace.file = values[0];
  return values[0].empty() ? wrong("--trace takes the name of a file") : Status();
}

Status set_report(Reading& reading, Values values) {
  reading.spec.trace.report = values[0];
  return values[0].empty() ? wrong("--report takes the name of a file") : Status();
}

Status set_trace_calls(Reading& reading, Values values) {
  reading.spec.trace.all_calls = values[0] == "all";
  if (values[0] == "all" || values[0] == "long") return {};
  return wrong(formatted("--trace-calls takes long or all, but got '{}'", values[0]));
}

Status set_trace_limit(Reading& reading, Values values) {
  return set_count(reading.spec.trace.limit_mib, "--trace-limit takes a number of MiB", values[0]);
}

Status ignore(Reading&, Values) { return {}; }

Status check_arch(Reading&, Values values) {
  utsname here{};
  if (uname(&here) != 0 || values[0] == here.machine) return {};
  return wrong(
      formatted("-arch asks for '{}', but this machine is '{}'. All hosts of a job have one architecture: "
                "start it on one of that kind",
                values[0], here.machine));
}

Status check_rank_by(Reading&, Values values) {
  if (values[0] == "slot" || values[0] == "core" || values[0] == "hwthread") return {};
  return wrong(
      formatted("--rank-by takes slot, core or hwthread, but got '{}'. Ranks are numbered in the order in which they "
                "are dealt to the hosts: use --map-by node to deal them in turn",
                values[0]));
}

Status set_output_folder(Reading& reading, Values values) {
  const std::string& folder = values[0];
  if (folder.empty() || folder.find(':') != std::string::npos) {
    return wrong(formatted("--output-filename takes the name of a folder, without ':', but got '{}'", folder));
  }
  reading.spec.output.folder = folder;
  return {};
}

Status set_input(Reading& reading, Values values) {
  reading.spec.no_input = values[0] == "none";
  if (values[0] == "none" || values[0] == "0") return {};
  return wrong(
      formatted("--stdin takes none or 0, but got '{}': standard input goes to rank 0 or to nobody", values[0]));
}

Status refuse_c(Reading&, Values) {
  return wrong(
      "-c is the number of ranks in Open MPI and the number of cores of each rank in Slurm, so it is not taken. Use -n "
      "for the number of ranks");
}

Status refuse_file(Reading&, Values) {
  return wrong(
      "-file is not taken: the standard leaves open what the file holds, and each MPI has its own. Use -configfile for "
      "a "
      "command in a file, and --hostfile for hosts");
}

const std::vector<Option>& table() {
  static const std::vector<Option> rows = {
      {{"n", "np"},
       "N",
       "ranks of the program; without it 1, or one for each slot of the hosts that are named",
       set_ranks,
       {},
       Said::kOncePerPart},
      {{"x"},
       "VAR[=VALUE]",
       "set VAR for the program; without a value, hand ours down",
       export_variable,
       {},
       Said::kOften},
      {{"env"},
       "VAR VALUE",
       "set VAR for the program",
       [](Reading& r, Values v) { return set_variable(r.application.environment, v[0], v[1]); },
       {},
       Said::kOften},
      {{"genv"},
       "VAR VALUE",
       "set VAR for every program of the command",
       [](Reading& r, Values v) { return set_variable(r.everywhere, v[0], v[1]); },
       {},
       Said::kOften},
      {{"envlist"},
       "A,B...",
       "hand these variables down to the program (all of ours are, unless -genvnone)",
       [](Reading& r, Values v) { return export_list(r, r.application.environment, v[0], "-envlist"); },
       {},
       Said::kOften},
      {{"genvlist"},
       "A,B...",
       "hand these variables down to every program",
       [](Reading& r, Values v) { return export_list(r, r.everywhere, v[0], "-genvlist"); },
       {},
       Said::kOften},
      {{"genvnone", "envnone"},
       "",
       "start the programs with an environment of only what is set here",
       [](Reading& r, Values) { return set_environment(r, false, "-genvnone"); }},
      {{"wdir", "wd"},
       "DIR",
       "run the program in DIR",
       [](Reading& r, Values v) { return set_text(r.application.folder, "-wdir takes a folder", v[0]); },
       {},
       Said::kOncePerPart},
      {{"initial-errhandler"},
       "HANDLER",
       "the error handler that the world begins with: mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return",
       set_errhandler,
       "mpi_errors_are_fatal mpi_errors_abort mpi_errors_return",
       Said::kOncePerPart},
      {{"path"},
       "DIR[:DIR...]",
       "look for the program in these folders first",
       [](Reading& r, Values v) { return set_text(r.application.search, "-path takes folders, as DIR:DIR", v[0]); },
       {},
       Said::kOncePerPart},
      {{"soft"},
       "SET",
       "the numbers of ranks that will do, as 2,4,8 or FIRST:LAST[:STEP]: the largest is taken, with -n the largest up "
       "to N",
       [](Reading& r, Values v) { return set_text(r.soft, "-soft takes numbers and ranges, as 2,4:16:4", v[0]); },
       {},
       Said::kOncePerPart},
      {{"arch"},
       "NAME",
       "run on hosts of this architecture, as uname -m says it; refused where this one is another",
       check_arch},
      {{"configfile"},
       "FILE",
       "read the whole command from FILE: an application on each line; # begins a comment. Stands alone",
       [](Reading&, Values) { return wrong("-configfile stands alone: the file holds the whole command"); }},
      {{"l", "tag-output", "prepend-rank"},
       "",
       "begin each line of output with [rank]",
       [](Reading& r, Values) { return r.spec.output.ranks = true, Status(); }},
      {{"timestamp-output"},
       "",
       "begin each line of output with the time at which mpiexec got it",
       [](Reading& r, Values) { return r.spec.output.times = true, Status(); }},
      {{"merge-stderr-to-stdout"},
       "",
       "what ranks print to standard error goes to standard output, too",
       [](Reading& r, Values) { return r.spec.output.merged = true, Status(); }},
      {{"output-filename"},
       "DIR",
       "write what rank N prints into DIR/1/rank.N/stdout and stderr, too; DIR:nocopy is not understood",
       set_output_folder},
      {{"stdin"}, "none|0", "what reads standard input: nobody, or rank 0, as without the option", set_input, "none 0"},
      {{"display-map", "report-bindings", "print-rank-map", "v", "verbose"},
       "",
       "say on which hosts and cores the ranks run",
       [](Reading& r, Values) { return r.spec.show_places = true, Status(); }},
      {{"timeout"}, "SECONDS", "end the job after so long, with exit status 124", set_timeout},
      {{"on-deadlock"},
       "WHAT",
       "when ranks wait for each other for ever: say (a note, as without the option), end (end the job with exit "
       "status "
       "125 once that is proven) or nothing; STARLING_LAUNCH_ON_DEADLOCK says the same",
       set_on_deadlock,
       "say end nothing"},
      {{"note-after"},
       "SECONDS",
       "when a rank has kept others waiting for so long, say which and where it is (60; 0 or never: do not say)",
       set_note_after},
      {{"bind-to"},
       "WHAT",
       "none, hwthread, core, l3, numa or package; without it equal shares of the cores where the ranks fit on them, "
       "else none",
       set_bind_to,
       "none hwthread core l3 numa package"},
      {{"map-by"},
       "WHAT",
       "slot (fill each host's slots before the next host), node (one rank to each host in turn) or ppr:N:node (N "
       "ranks "
       "on each host); core, l3, numa or package: what consecutive ranks of a host step over",
       set_map_by,
       "slot node core l3 numa package",
       Said::kOften},
      {{"survive", "enable-recovery"},
       "",
       "go on when ranks die: ranks that need a dead one get errors (mpi-ext.h); STARLING_FT=1 says the same",
       [](Reading& r, Values) { return r.spec.survive = true, Status(); }},
      {{"with-ft"}, "ulfm|mpi", "the same as --survive, as Open MPI spells it", set_fault_tolerance, "ulfm mpi"},
      {{"spares"},
       "N",
       "N ranks more of this program, behind its others, that wait until they replace dead ones; the program asks for "
       "that with starling/replace_dead.hpp. Goes on when ranks die",
       set_spares,
       {},
       Said::kOncePerPart},
      {{"trace"},
       "FILE",
       "record when ranks wait and what they send, and write a timeline into FILE for https://ui.perfetto.dev; "
       "starling "
       "trace summary FILE shows it here",
       set_trace},
      {{"report"},
       "FILE",
       "record the same, and write a page into FILE, for any browser: who waited for whom, what was sent where, and "
       "what "
       "to try next",
       set_report},
      {{"trace-calls"},
       "long|all",
       "with --trace or --report: time collectives and calls that wait or move more than 1 KiB, and count the others "
       "(long); or "
       "time every call (all)",
       set_trace_calls,
       "long all"},
      {{"trace-limit"},
       "MIB",
       "with --trace or --report: record events for so much of the disk, all hosts together (1024); what is left out "
       "is "
       "counted, and the trace that is made of them takes about as much again",
       set_trace_limit},
      {{"q", "quiet"}, "", "no notes, only errors", [](Reading& r, Values) { return r.spec.quiet = true, Status(); }},
      {{"h", "help"}, "", "this text", [](Reading& r, Values) { return r.spec.help = true, Status(); }},
      {{"V", "version"},
       "",
       "the version of Starling",
       [](Reading& r, Values) { return r.spec.version = true, Status(); }},
      {{"host", "hosts", "H"},
       "NAME[:SLOTS],...",
       "run on these hosts: names, user@name, addresses, [IPv6]; one slot where no number is said",
       set_host_list,
       {},
       Said::kOften},
      {{"f", "hostfile", "machinefile", "default-hostfile"},
       "FILE",
       "run on the hosts of FILE: on each line one, with slots=N and max_slots=N, or :N, behind it; as many slots as "
       "usable cores where no number is said. --host then chooses from them",
       set_host_file,
       {},
       Said::kOften},
      {{"N", "ppn", "perhost", "npernode"}, "N", "N ranks on each host; without -n on every host", set_ranks_per_host},
      {{"rsh-agent", "launcher-exec"},
       "CMD",
       "reach other hosts by CMD HOST COMMAND... (ssh; srun inside a Slurm allocation); STARLING_RSH_AGENT says the "
       "same",
       set_remote_shell},
      {{"launcher"},
       "ssh|rsh|slurm",
       "reach other hosts by ssh, rsh or srun, as MPICH spells it",
       set_launcher,
       "ssh rsh slurm"},
      {{"iface"},
       "NAME",
       "the network interface between hosts, as MPICH spells it; STARLING_NET_INTERFACES=NAME says the same",
       set_interface},
      {{"oversubscribe"}, "", "allow more ranks than slots, as by default", allow_more_than_slots},
      {{"nooversubscribe"},
       "",
       "refuse a job with more ranks on a host than it has slots; on this machine alone, more than usable cores",
       refuse_more_than_slots},
      {{"genvall", "envall"},
       "",
       "hand our whole environment down, as without the option",
       [](Reading& r, Values) { return set_environment(r, true, "-genvall"); }},
      {{"allow-run-as-root"}, "", "accepted, and without effect: root is always welcome", ignore},
      {{"rank-by"},
       "slot|core|hwthread",
       "accepted, and without effect: ranks are numbered as they are dealt; --map-by node deals them in turn",
       check_rank_by,
       "slot core hwthread"},
      {{"use-hwthread-cpus"},
       "",
       "accepted with a note, and without effect: hardware threads always count as cores",
       [](Reading& r, Values) { return r.spec.without_effect.emplace_back("--use-hwthread-cpus"), Status(); }},
      {{"preload-binary"},
       "",
       "accepted with a note where the job is on this machine; refused over hosts, for nothing is copied to them",
       [](Reading& r, Values) { return r.copies_program = true, Status(); }},
      {{"mca", "gmca", "prtemca"},
       "NAME VALUE",
       "plm_rsh_agent CMD is --rsh-agent CMD; settings of Open MPI that say where ranks run are refused, others "
       "accepted with a note and without effect",
       set_mca,
       {},
       Said::kOften},
      {{"c"}, "N", "refused, for it means ranks in one launcher and cores in another: use -n", refuse_c},
      {{"file"}, "FILE", "refused, for its format differs from MPI to MPI: use -configfile or --hostfile", refuse_file},
  };
  return rows;
}

}  // namespace

std::size_t Option::value_count() const noexcept {
  if (values.empty()) return 0;
  return 1 + static_cast<std::size_t>(std::count(values.begin(), values.end(), ' '));
}

std::span<const Option> options() noexcept { return table(); }

}  // namespace starling::launch
