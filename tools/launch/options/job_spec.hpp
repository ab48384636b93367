// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobSpec: the job that a command line or a spawn request asks for, as data. Thread safety: a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/hosts/host.hpp"
#include "launch/options/watch_options.hpp"
#include "topology/binding.hpp"

namespace starling::launch {

struct EnvironmentSetting {
  std::string name;
  std::string value;
};

/// Some ranks of one program: what stands between two ':' of a command line (MPMD). MPI_APPNUM counts them.
struct Application {
  std::uint32_t ranks = 0;           ///< 0: one for each slot of its hosts; none has 0 in a job on this machine only
  std::uint32_t spares = 0;          ///< among the ranks
  std::vector<Host> hosts;           ///< of its own: its ranks go to these of the job's hosts; empty: to any
  std::vector<std::string> command;  ///< program and its arguments
  std::vector<EnvironmentSetting> environment;
  std::string folder;  ///< where the program runs; empty: here
  std::string search;  ///< folders in which the program is looked for first, divided by ':'
};

/// How what the ranks print reaches us.
struct OutputStyle {
  bool ranks = false;   ///< each line begins with "[rank] "
  bool times = false;   ///< each line begins with the time
  bool merged = false;  ///< standard error goes where standard output goes
  std::string folder;   ///< it goes into files there, too; empty: it does not

  /// Whether a lone rank may have our own descriptors.
  [[nodiscard]] bool is_plain() const noexcept { return !ranks && !times && !merged && folder.empty(); }
};

/// What is recorded of the ranks' calls.
struct TraceRequest {
  std::string file;                ///< the timeline; empty: none
  std::string report;              ///< the page of HTML; empty: none
  bool all_calls = false;          ///< else those that wait or move more than 1 KiB
  std::uint32_t limit_mib = 1024;  ///< of what is recorded on the disk

  [[nodiscard]] bool wanted() const noexcept { return !file.empty() || !report.empty(); }
};

struct JobSpec {
  std::vector<Application> applications;
  OutputStyle output;
  bool quiet = false;
  bool help = false;
  bool version = false;
  bool show_places = false;                 ///< say where the ranks run
  bool no_input = false;                    ///< rank 0 reads nothing, as the others
  std::vector<std::string> without_effect;  ///< options of other launchers that were taken and do nothing here
  std::vector<std::string> notes;           ///< said once, before the job begins
  bool survive = false;                     ///< the job goes on when ranks die
  bool empty_environment = false;           ///< ranks inherit nothing from ours
  std::optional<double> timeout_s;
  std::optional<OnDeadlock> on_deadlock;      ///< none: as the settings say
  std::optional<std::int64_t> note_after_ms;  ///< 0: never; none: as the settings say
  topology::BindingRequest binding;
  TraceRequest trace;
  HostRequest hosts;  ///< where it runs; no hosts: on this machine only

  [[nodiscard]] std::uint32_t ranks() const noexcept;
  /// For allocate(), with `hosts`.
  [[nodiscard]] std::vector<RankRequest> rank_requests() const;
  /// Takes over how many ranks each application got.
  void take(const Allocation& allocation);
};

}  // namespace starling::launch
