// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "base/format.hpp"
#include "tree/tree.hpp"
#include "wire/mpi_link.hpp"

namespace starling::farm {
namespace {

// Where the relay's thread can sleep in MPI others must wake it through MPI; elsewhere only one thread calls MPI.
#ifdef STARLING_FARM_HAS_MPI_EXT
constexpr int kWantedLevel = MPI_THREAD_MULTIPLE;
#else
constexpr int kWantedLevel = MPI_THREAD_SERIALIZED;
#endif

// MPI cannot be started twice, and a program may run several farms: it ends with the program.
bool broken = false;
std::atomic<int> running{0};  ///< Farms; exit() asks on any thread.

/// A farm that runs has threads in MPI and peers that wait for its messages: MPI_Finalize would wait for those peers,
/// and they for this process. Without it the launcher sees an end like any other death.
void finalize_at_exit() {
  int over = 0;
  if (MPI_Finalized(&over) != MPI_SUCCESS || over != 0 || broken) return;
  if (running.load() == 0) {
    MPI_Finalize();
  } else {
    std::fputs("farm: exit() was called while the farm ran; this process ends at once and is lost to the run\n",
               stderr);
  }
}

/// One communicator of both sides; those who are not `high` come first.
MPI_Comm merge(MPI_Comm between, int high) {
  MPI_Comm all = MPI_COMM_NULL;
  must(MPI_Intercomm_merge(between, high, &all), "joining the processes");
  must(MPI_Comm_disconnect(&between), "joining the processes");
  return all;
}

/// Processes with the same command line, and this one as rank 0.
MPI_Comm spawn(const Options& options, int count, std::string origin) {
  if (options.command.empty())
    throw std::runtime_error(
        "farm: to start processes the farm must know the command line: make the Options by Options(argc, argv)");
  std::vector<char*> arguments;
  for (std::size_t i = 1; i < options.command.size(); ++i)
    arguments.push_back(const_cast<char*>(options.command[i].c_str()));
  arguments.push_back(origin.data());
  arguments.push_back(nullptr);
  MPI_Comm children = MPI_COMM_NULL;
  must(MPI_Comm_spawn(options.command[0].c_str(), arguments.data(), count, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                      MPI_ERRCODES_IGNORE),
       formatted("starting {} processes", count));
  return merge(children, 0);
}

}  // namespace

void Processes::start_mpi() {
  int started = 0;
  must(MPI_Initialized(&started), "asking for MPI");
  int level = MPI_THREAD_SINGLE;
  if (started == 0) {
    must(MPI_Init_thread(nullptr, nullptr, kWantedLevel, &level), "starting MPI");
    std::atexit(finalize_at_exit);
  } else {
    must(MPI_Query_thread(&level), "asking for MPI's thread level");
  }
  if (level < MPI_THREAD_FUNNELED) {
    throw std::runtime_error(
        "farm: MPI runs at MPI_THREAD_SINGLE; start it with MPI_Init_thread and MPI_THREAD_SERIALIZED");
  }
}

Processes::Processes(const Options& options) {
  start_mpi();
  comm_ = find_processes(options);
  must(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "setting the error handler");
  ++running;
}

MPI_Comm Processes::find_processes(const Options& options) const {
  if (options.origin != Origin::kUser) {
    MPI_Comm parent = MPI_COMM_NULL;
    must(MPI_Comm_get_parent(&parent), "asking who started this process");
    if (parent == MPI_COMM_NULL) throw std::runtime_error("farm: --farm-origin is for the farm's own use");
    return merge(parent, 1);
  }
  int size = 0;
  must(MPI_Comm_size(MPI_COMM_WORLD, &size), "asking for the size");
  const std::size_t wanted = options.tree_file.empty() ? 0 : read_tree_file(options.tree_file).nodes.size();
  if (size == 1 && wanted > 1) return spawn(options, static_cast<int>(wanted) - 1, "--farm-origin=tree");
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "making a communicator");
  return comm;
}

MPI_Comm Processes::start_one_more(const Options& options) {
  const MPI_Comm comm = spawn(options, 1, "--farm-origin=more");
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "setting the error handler");
  return comm;
}

std::vector<std::string> Processes::hosts() const {
  int size = 0;
  must(MPI_Comm_size(comm_, &size), "asking for the size");
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  must(MPI_Get_processor_name(name, &length), "asking for the host");
  std::vector<char> all(static_cast<std::size_t>(size) * MPI_MAX_PROCESSOR_NAME);
  must(MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, comm_),
       "telling the hosts");
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) hosts.emplace_back(&all[i * MPI_MAX_PROCESSOR_NAME]);
  return hosts;
}

Processes::~Processes() {
  --running;
  // While an exception passes, other processes may wait for messages that will not come: MPI ends the job with the
  // program.
  if (std::uncaught_exceptions() > 0) {
    broken = true;
  } else {
    MPI_Comm_free(&comm_);
  }
}

}  // namespace starling::farm
