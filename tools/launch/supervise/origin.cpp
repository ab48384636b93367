// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/supervise/origin.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "base/usable_cores.hpp"
#include "bootstrap/environment.hpp"
#include "launch/events/descendants.hpp"
#include "launch/hosts/host_list.hpp"
#include "launch/hosts/this_machine.hpp"
#include "launch/options/job_hosts.hpp"

namespace starling::launch {
namespace {

using memory::RankState;

/// The two places of a meeting.
constexpr LocalRank kAsker(0);
constexpr LocalRank kFirstOfJob(1);

std::string read_to_end(int descriptor) {
  std::string bytes;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(descriptor, buffer, sizeof buffer)) > 0) bytes.append(buffer, static_cast<std::size_t>(got));
  return bytes;
}

RankState state_of(const memory::JobSegment& meeting, LocalRank place) {
  return meeting.rank(place).state.load(std::memory_order_acquire);
}

bool is_spawned_launcher(pid_t pid) {
  // A process may vanish between any two system calls; then the line is empty.
  const Descriptor file(open(formatted("/proc/{}/cmdline", pid).c_str(), O_RDONLY | O_CLOEXEC));
  const std::string line = file.valid() ? read_to_end(file.get()) : std::string();
  const std::string wanted = std::string("mpiexec") + '\0' + bootstrap::kSpawnOption + '\0';
  return line.starts_with(wanted);
}

}  // namespace

Result<std::unique_ptr<Origin>> Origin::open(int descriptor) {
  const Descriptor file(descriptor);
  Result<bootstrap::SpawnRequest> request = bootstrap::SpawnRequest::parse(read_to_end(descriptor));
  if (!request.ok()) return std::move(request).status();
  Result<std::unique_ptr<memory::JobSegment>> meeting = request.value().meeting.open();
  if (!meeting.ok()) return std::move(meeting).status();
  return std::unique_ptr<Origin>(new Origin(std::move(request).value(), std::move(meeting).value()));
}

Result<JobSpec> Origin::spec() const {
  JobSpec spec;
  spec.quiet = true;
  for (const bootstrap::SpawnCommand& asked : request_.commands) {
    Application application;
    application.ranks = asked.ranks;
    application.command = asked.argv;
    application.folder = asked.folder;
    application.search = asked.path;
    if (!asked.host.empty()) {
      Result<std::vector<Host>> hosts = parse_host_list(asked.host);
      if (!hosts.ok()) return std::move(hosts).status();
      application.hosts = std::move(hosts).value();
    }
    if (!asked.errhandler.empty())
      application.environment.push_back({bootstrap::kErrhandlerVariable, asked.errhandler});
    spec.applications.push_back(std::move(application));
  }
  STARLING_TRY(join_hosts(spec));
  if (!spec.hosts.hosts.empty()) STARLING_TRY(settle_here(spec, ThisMachine::ask(), usable_cores()));
  if (!spec.hosts.hosts.empty() && request_.door.empty()) {
    return Status::error(ErrorClass::kSpawn,
                         "the info key 'host' names another machine, and the process that spawns has no network at "
                         "which it could be called from there");
  }
  spec.no_input = !spec.hosts.hosts.empty();
  const std::string parent =
      spec.hosts.hosts.empty() ? request_.meeting.text() : bootstrap::kParentDoorPrefix + request_.door;
  for (Application& application : spec.applications) {
    application.environment.push_back({bootstrap::kParentVariable, parent});
  }
  return spec;
}

bool Origin::connected() const {
  const RankState asker = state_of(*meeting_, kAsker);
  const RankState ours = state_of(*meeting_, kFirstOfJob);
  return asker == RankState::kInitialized && ours != RankState::kFinalized;
}

void Origin::watch(EventLoop& loop, std::function<void()> gone) {
  parent_ = std::make_unique<ProcessWatch>(loop);
  parent_->start(request_.meeting.pid, [this, gone = std::move(gone)] {
    if (connected()) gone();
  });
}

void Origin::report(const std::string& text) {
  if (!connected()) return;
  memory::RankBlock& place = meeting_->rank(kFirstOfJob);
  std::int32_t nobody = -1;
  const std::size_t length = std::min(text.size(), sizeof place.crash.what - 1);
  std::memcpy(place.crash.what, text.data(), length);
  place.crash.what[length] = '\0';
  // release: whoever sees the place sees the text.
  meeting_->header().abort_rank.compare_exchange_strong(nobody, kFirstOfJob.value, std::memory_order_release);
  memory::ring(meeting_->rank(kAsker).doorbell, true);
}

bool Origin::tell(const std::string& why) {
  if (std::exchange(is_told_, true)) return false;
  const bool waits = !job_has_come();
  report(why);
  return waits;
}

bool Origin::job_has_come() const { return state_of(*meeting_, kFirstOfJob) != RankState::kStarting; }

void Origin::job_is_over() {
  parent_.reset();
  if (!job_has_come()) report("the spawned program has ended without calling MPI_Init");
}

std::vector<pid_t> spawned_launchers() {
  std::vector<pid_t> found = descendants();
  std::erase_if(found, [](pid_t pid) { return !is_spawned_launcher(pid); });
  return found;
}

}  // namespace starling::launch
