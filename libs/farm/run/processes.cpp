// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

#include "base/format.hpp"
#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/implementation.hpp"
#include "tree/tree.hpp"
#include "wire/mpi_link.hpp"

namespace starling::farm {
namespace {

/// Where the relay's thread can sleep in MPI others must wake it through MPI; elsewhere only one thread calls MPI.
int wanted_level() { return any_mpi::blocking_calls_sleep() ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED; }

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

/// Of both sides, whose connection ends with it.
any_mpi::OwnedCommunicator join_sides(MPI_Comm between, any_mpi::Side own) {
  any_mpi::OwnedCommunicator all;
  must(any_mpi::merge(between, own, all), "joining the processes");
  must(MPI_Comm_disconnect(&between), "joining the processes");
  return all;
}

/// The host that MPI is to start a process on; none: where it likes.
class HostInfo {
 public:
  explicit HostInfo(const std::string& host) {
    if (host.empty()) return;
    must(MPI_Info_create(&info_), "naming a host");
    must(MPI_Info_set(info_, "host", host.c_str()), "naming a host");
  }
  HostInfo(HostInfo&& other) noexcept : info_(std::exchange(other.info_, MPI_INFO_NULL)) {}
  ~HostInfo() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }
  HostInfo(const HostInfo&) = delete;
  HostInfo& operator=(const HostInfo&) = delete;

  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// Processes with the same command line, one on each of these hosts (empty: anywhere), and this one as rank 0. MPI's
/// code and no communicator where MPI refuses.
int spawn(const Options& options, const std::vector<std::string>& hosts, std::string origin,
          any_mpi::OwnedCommunicator& all) {
  if (options.command.empty())
    throw std::runtime_error(
        "farm: to start processes the farm must know the command line: make the Options by Options(argc, argv)");
  std::vector<char*> arguments;
  for (std::size_t i = 1; i < options.command.size(); ++i)
    arguments.push_back(const_cast<char*>(options.command[i].c_str()));
  arguments.push_back(origin.data());
  arguments.push_back(nullptr);
  const std::size_t count = hosts.size();
  const std::string here = Processes::own_host();
  std::vector<HostInfo> places;
  std::vector<MPI_Info> infos;
  for (const std::string& host : hosts) {
    places.emplace_back(host == here ? std::string() : host);
    infos.push_back(places.back().get());
  }
  const std::vector<char*> commands(count, const_cast<char*>(options.command[0].c_str()));
  const std::vector<char**> arguments_of(count, arguments.data());
  const std::vector<int> ones(count, 1);
  any_mpi::OwnedCommunicator self;  // whose errors return, whatever the program has said of MPI_COMM_SELF
  must(any_mpi::duplicate(MPI_COMM_SELF, self), "making a communicator");
  must(any_mpi::return_errors(self.get()), "setting the error handler");
  MPI_Comm children = MPI_COMM_NULL;
  const int code = MPI_Comm_spawn_multiple(static_cast<int>(count), const_cast<char**>(commands.data()),
                                           const_cast<char***>(arguments_of.data()), ones.data(), infos.data(), 0,
                                           self.get(), &children, MPI_ERRCODES_IGNORE);
  if (code == MPI_SUCCESS) all = join_sides(children, any_mpi::Side::kFirst);
  return code;
}

/// The nodes of the tree file but the first, which this process is.
any_mpi::OwnedCommunicator spawn_nodes(const Options& options, const Tree& tree) {
  std::vector<std::string> hosts;
  const TreeNode* elsewhere = nullptr;
  const std::string here = Processes::own_host();
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    hosts.push_back(tree.nodes[i].host);
    if (elsewhere == nullptr && !hosts.back().empty() && hosts.back() != here) elsewhere = &tree.nodes[i];
  }
  hosts.resize(hosts.size() + static_cast<std::size_t>(tree.spares < 0 ? options.spares : tree.spares));
  any_mpi::OwnedCommunicator all;
  const int code = spawn(options, hosts, "--farm-origin=tree", all);
  if (code == MPI_SUCCESS) return all;
  if (elsewhere == nullptr) must(code, formatted("starting {} processes", hosts.size()));
  throw std::runtime_error(
      formatted("farm: {}:{}: node '{}' wants host '{}', where this MPI started no process: {}. Start the job on its "
                "hosts, with as many processes as the tree has nodes, or take the line out",
                options.tree_file, elsewhere->host_line, elsewhere->name, elsewhere->host, any_mpi::error_text(code)));
}

}  // namespace

void Processes::start_mpi() {
  int level = MPI_THREAD_SINGLE;
  if (!any_mpi::is_initialized()) {
    must(MPI_Init_thread(nullptr, nullptr, wanted_level(), &level), "starting MPI");
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
  must(any_mpi::return_errors(comm()), "setting the error handler");
  ++running;
}

any_mpi::OwnedCommunicator Processes::find_processes(const Options& options) const {
  if (options.origin != Origin::kUser) {
    MPI_Comm parent = MPI_COMM_NULL;
    must(MPI_Comm_get_parent(&parent), "asking who started this process");
    if (parent == MPI_COMM_NULL) throw std::runtime_error("farm: --farm-origin is for the farm's own use");
    return join_sides(parent, any_mpi::Side::kLast);
  }
  if (any_mpi::size_of(MPI_COMM_WORLD) == 1 && !options.tree_file.empty()) {
    const Tree tree = read_tree_file(options.tree_file);
    if (tree.nodes.size() > 1) return spawn_nodes(options, tree);
  }
  any_mpi::OwnedCommunicator comm;
  must(any_mpi::duplicate(MPI_COMM_WORLD, comm), "making a communicator");
  return comm;
}

any_mpi::OwnedCommunicator Processes::start_one_more(const Options& options) {
  any_mpi::OwnedCommunicator comm;
  must(spawn(options, {std::string()}, "--farm-origin=more", comm), "starting a process");
  must(any_mpi::return_errors(comm.get()), "setting the error handler");
  return comm;
}

std::string Processes::own_host() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  must(MPI_Get_processor_name(name, &length), "asking for the host");
  return name;
}

Processes::~Processes() {
  --running;
  // While an exception passes, other processes may wait for messages that will not come: MPI ends the job with the
  // program.
  if (std::uncaught_exceptions() > 0) broken = true;
}

}  // namespace starling::farm
