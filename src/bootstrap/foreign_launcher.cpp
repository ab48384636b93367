// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/foreign_launcher.hpp"

#include <cstdlib>

#include "base/format.hpp"
#include "bootstrap/pmi/open_exchange.hpp"

namespace starling::bootstrap {
namespace {

struct Trace {
  const char* launcher;
  const char* size;  ///< number of tasks; nullptr where the launcher does not say
  const char* rank;
  const char* needed;  ///< must be set as well, nullptr: nothing
  const char* remedy;  ///< what to type in place of what was typed; nullptr: nothing but Starling's own mpiexec
};

constexpr const char* kSrun =
    "'srun --mpi=pmix PROGRAM' or 'srun --mpi=pmi2 -K PROGRAM' ('srun --mpi=list' says which of "
    "them this Slurm has)";
constexpr const char* kFlux = "'flux run -o pmi=simple -n RANKS PROGRAM'";

// A batch script of Slurm has SLURM_PROCID and SLURM_NTASKS too, but only the tasks of a step have a step size.
constexpr Trace kTraces[] = {
    {"Slurm (srun)", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_ID", kSrun},
    {"Slurm (srun)", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_STEP_ID", kSrun},
    {"Open MPI's mpiexec", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", nullptr, nullptr},
    {"Hydra (MPICH's or Intel MPI's mpiexec)", "PMI_SIZE", "PMI_RANK", nullptr, nullptr},
    {"Hydra (MPICH's or Intel MPI's mpiexec)", nullptr, "PMI_RANK", "PMI_FD", nullptr},
    {"MVAPICH's mpirun_rsh", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", nullptr, nullptr},
    {"IBM's jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK", nullptr, nullptr},
    {"Flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK", nullptr, kFlux},
    {"a PMIx launcher", nullptr, "PMIX_RANK", "PMIX_NAMESPACE", nullptr},
};

std::string assignment(const char* name) {
  const char* value = name ? std::getenv(name) : nullptr;
  return value ? std::string(name) + "=" + value : std::string();
}

/// The traces that say "one of several", as text; empty when this launcher is absent or started one task only.
std::string evidence(const Trace& trace) {
  std::string seen = assignment(trace.rank);
  if (seen.empty()) return {};
  for (const char* name : {trace.needed, trace.size}) {
    if (!name) continue;
    const std::string text = assignment(name);
    if (text.empty()) return {};
    seen += ", " + text;
  }
  if (trace.size && std::strtol(std::getenv(trace.size), nullptr, 10) <= 1) return {};
  return seen;
}

/// A launcher that says a size of 1 started this process alone, whatever the rows without a size find.
bool started_alone() {
  for (const Trace& trace : kTraces) {
    const char* size = trace.size ? std::getenv(trace.size) : nullptr;
    if (size && std::getenv(trace.rank) && std::strtol(size, nullptr, 10) == 1) return true;
  }
  return false;
}

std::string warning_of(const Trace& trace, const std::string& seen, const std::string& why) {
  const std::string reason =
      why.empty() ? "it offers no exchange (PMI or PMIx) through which ranks find each other" : why;
  const std::string remedy = trace.remedy != nullptr ? formatted("{}, or with ", trace.remedy) : std::string();
  return formatted(
      "this process was started by {} ({}), and cannot join the others: {}. So it is NOT one rank of that job: it runs "
      "alone, as rank 0 of 1, and every other copy does the same. Start the program with {}Starling's own mpiexec: "
      "'mpiexec -n RANKS PROGRAM'.",
      trace.launcher, seen, reason, remedy);
}

}  // namespace

Result<std::unique_ptr<Exchange>> exchange_of_foreign_launcher(const config::Store& config) {
  if (started_alone()) return std::unique_ptr<Exchange>();
  return open_exchange(config);
}

std::vector<std::string> foreign_launcher_warnings(const std::string& why) {
  for (const Trace& trace : kTraces) {
    const std::string seen = evidence(trace);
    if (seen.empty() || (!trace.size && started_alone())) continue;
    // One launcher may match several rows (srun also sets PMIx's variables); the first row names it best.
    return {warning_of(trace, seen, why)};
  }
  return {};
}

}  // namespace starling::bootstrap
