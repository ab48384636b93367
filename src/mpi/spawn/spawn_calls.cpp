// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Starting processes. Source: MPI-5.0, chapter 11.8.
#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/info/info.hpp"
#include "world/dynamic/spawn.hpp"

namespace starling::mpi {
namespace {

using bootstrap::SpawnCommand;
using bootstrap::SpawnRequest;

/// One program of MPI_Comm_spawn_multiple, as the root gives it.
struct Program {
  const char* command;
  char** arguments;  ///< MPI_ARGV_NULL: none
  int most;          ///< maxprocs
  MPI_Info info;
};

Status bad_soft(const std::string& soft) {
  return Status::error(
      ErrorClass::kInfoValue,
      formatted(
          "soft is \"{}\"; it must be a list such as 1,3,5:9 or 2:10:2, which says how many processes are welcome",
          soft));
}

/// first[:last[:step]]
struct Range {
  int first = 0;
  int last = 0;
  int step = 1;
};

bool parse_range(std::string_view text, Range* range) {
  int* const parts[] = {&range->first, &range->last, &range->step};
  std::size_t count = 0;
  while (count < 3) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *parts[count]);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    ++count;
    if (!text.starts_with(':')) break;
    text.remove_prefix(1);
  }
  if (count == 1) range->last = range->first;
  return text.empty() && range->step != 0;
}

/// The largest number up to `most` that a list of ranges allows; 0 when it allows none.
Result<int> largest_welcome(const std::string& soft, int most) {
  int best = 0;
  std::string_view rest = soft;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    Range range;
    if (!parse_range(rest.substr(0, comma), &range)) return bad_soft(soft);
    for (int number = range.first; range.step > 0 ? number <= range.last : number >= range.last; number += range.step) {
      if (number <= most) best = std::max(best, number);
      if (range.step > 0 && number > most) break;
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return best;
}

std::string value_of_key(const Info& info, const char* key) {
  const std::string* value = info.get(key);
  return value != nullptr ? *value : std::string();
}

Result<SpawnCommand> command_of(const Program& program, const Info& info) {
  if (program.command == nullptr)
    return Status::error(ErrorClass::kArg, "the command is a null pointer; pass the name of a program");
  if (program.most < 0) {
    return Status::error(ErrorClass::kArg, formatted("maxprocs is {}; it must be 0 or more", program.most));
  }
  SpawnCommand command;
  command.ranks = static_cast<std::uint32_t>(program.most);
  if (const std::string* soft = info.get("soft")) {
    Result<int> count = largest_welcome(*soft, program.most);
    if (!count.ok()) return std::move(count).status();
    command.ranks = static_cast<std::uint32_t>(count.value());
  }
  command.host = value_of_key(info, "host");
  command.folder = value_of_key(info, "wd");
  if (command.folder.empty()) command.folder = value_of_key(info, "wdir");
  command.path = value_of_key(info, "path");
  command.errhandler = value_of_key(info, "mpi_initial_errhandler");
  command.argv.emplace_back(program.command);
  for (char** argument = program.arguments; argument != nullptr && *argument != nullptr; ++argument) {
    command.argv.emplace_back(*argument);
  }
  return command;
}

struct SpawnPlan {
  SpawnRequest request;
  std::vector<int> codes;  ///< array_of_errcodes, should all come who are asked for
};

Result<SpawnPlan> plan_for(Context& context, std::span<const Program> programs) {
  SpawnPlan plan;
  const Info none;
  for (const Program& program : programs) {
    const Info* info = program.info == MPI_INFO_NULL ? &none : find_info(context, program.info);
    if (info == nullptr)
      return Status::error(ErrorClass::kInfo,
                           "an info object of array_of_info is not alive; pass live ones or MPI_INFO_NULL");
    Result<SpawnCommand> command = command_of(program, *info);
    if (!command.ok()) return std::move(command).status();
    const auto asked = static_cast<std::size_t>(program.most);
    plan.codes.insert(plan.codes.end(), command.value().ranks, MPI_SUCCESS);
    plan.codes.insert(plan.codes.end(), asked - command.value().ranks, MPI_ERR_SPAWN);
    if (command.value().ranks > 0) plan.request.commands.push_back(std::move(command).value());
  }
  if (!plan.request.commands.empty()) return plan;
  return Status::error(ErrorClass::kSpawn, "no process is asked for");
}

/// Every rank learns the codes, which the root knows.
Status share_codes(Context& context, comm::Communicator& comm, int root, std::vector<int>* codes) {
  std::uint64_t count = codes->size();
  STARLING_TRY(context.collectives->broadcast(comm, &count, sizeof count, root));
  codes->resize(count);
  return context.collectives->broadcast(comm, codes->data(), static_cast<std::int64_t>(count * sizeof(int)), root);
}

int spawn_programs(std::span<const Program> programs, int root, MPI_Comm comm, MPI_Comm* intercomm, int* errcodes) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm);
  *intercomm = MPI_COMM_NULL;
  if (const int code = refuse_intercomm(parent)) return code;
  const bool at_root = parent.comm->rank() == root;
  Result<SpawnPlan> plan = at_root ? plan_for(context, programs) : SpawnPlan();
  SpawnPlan shared;
  if (plan.ok()) shared = std::move(plan).value();
  if (Status told = share_codes(context, *parent.comm, root, &shared.codes); !told.ok()) return fail(std::move(told));
  if (at_root && !plan.ok()) return fail(std::move(plan).status());
  if (shared.codes.empty()) {
    return fail(Status::error(ErrorClass::kSpawn, "the root's arguments are wrong; its own message says how"));
  }
  world::MadeCommunicator made = world::spawn(*context.world, *parent.comm, root, std::move(shared.request));
  if (!made.ok()) std::ranges::fill(shared.codes, MPI_ERR_SPAWN);
  if (errcodes != MPI_ERRCODES_IGNORE) std::ranges::copy(shared.codes, errcodes);
  return give_comm(context, std::move(made), parent, intercomm);
}

bool is_root(MPI_Comm comm, int root) { return current()->comm(comm)->comm->rank() == root; }

}  // namespace

int comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
               MPI_Comm* intercomm, int array_of_errcodes[]) {
  const Program program{command, argv, maxprocs, info};
  return spawn_programs({&program, 1}, root, comm, intercomm, array_of_errcodes);
}

int comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[],
                        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* intercomm,
                        int array_of_errcodes[]) {
  std::vector<Program> programs;
  for (int i = 0; is_root(comm, root) && i < count; ++i) {
    programs.push_back({array_of_commands[i], array_of_argv != MPI_ARGVS_NULL ? array_of_argv[i] : nullptr,
                        array_of_maxprocs[i], array_of_info[i]});
  }
  return spawn_programs(programs, root, comm, intercomm, array_of_errcodes);
}

int comm_get_parent(MPI_Comm* parent) {
  Context& context = *current();
  *parent = context.comm(context.parent_comm) != nullptr ? context.parent_comm : MPI_COMM_NULL;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
