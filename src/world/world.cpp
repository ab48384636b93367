// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/format.hpp"
#include "bootstrap/environment.hpp"
#include "comm/node_domain.hpp"
#include "memory/job_segment.hpp"
#include "memory/shared_settings.hpp"
#include "transport/shm/geometry.hpp"
#include "tuning/settings.hpp"
#include "world/network/library_layout.hpp"
#include "world/network/network_hooks.hpp"
#include "world/window_collectives_adapter.hpp"

namespace starling::world {
namespace {

STARLING_CONFIG(
    names_folder, "NAMES_FOLDER", std::string, "", kProcess, kProcess,
    "Folder of this user in which MPI_Publish_name leaves names (empty: one on this machine); in a folder that "
    "hosts share, with file locks, names are known on all of them.");

// Context ids that every rank knows without asking. All comm_self have the same one, for their messages never leave
// their rank. Ids are even, so these numbers are doubled.
constexpr std::uint64_t kWorldContext = 0;
constexpr std::uint64_t kSelfContext = 1;
constexpr std::uint64_t kGroupsContext = 2;
constexpr std::uint64_t kFirstFreeContext = 3;

std::vector<ProcessId> all_of_job(std::int32_t size) {
  std::vector<ProcessId> everyone;
  everyone.reserve(static_cast<std::size_t>(size));
  for (std::int32_t rank = 0; rank < size; ++rank) everyone.push_back(process_of(WorldRank(rank)));
  return everyone;
}

/// The lines of one text that the other text lacks, as names of variables in one line.
std::string only_in(std::string_view text, std::string_view other) {
  std::string found;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    text.remove_prefix(line.size());
    if (other.find(line) == std::string_view::npos) {
      found += " STARLING_" + std::string(line.substr(0, line.size() - 1));
    }
  }
  return found.empty() ? " the defaults" : found;
}

/// Settings that all ranks of a job must have alike: those of the first rank that came here hold.
Status do_as_all(memory::JobSegment& segment, WorldRank rank, config::Store& config,
                 std::vector<std::string>& warnings) {
  const std::string mine = config.alike();
  Result<std::string> all = memory::share_settings(segment, mine);
  if (!all.ok()) return std::move(all).status();
  if (all.value() == mine) return {};
  warnings.push_back(formatted(
      "some ranks of this job have different settings where all need the same: rank {} has{}, the first rank that "
      "started has{}, and those hold for all ranks. Give all ranks the same, as mpiexec -x does.",
      rank.value, only_in(mine, all.value()), only_in(all.value(), mine)));
  return config.take_alike(all.value());
}

}  // namespace

World::World(bootstrap::Job job, config::Store config, SegmentOwner owner, std::unique_ptr<JobNetwork> network,
             transport::Networks networks)
    : config_(std::move(config)),
      job_(std::move(job)),
      owner_(owner),
      network_(std::move(network)),
      surroundings_{*job_.segment, *job_.placement, job_.rank, config_, network_ ? network_->networks() : networks},
      node_(comm::domain_of_node(*job_.segment, *job_.placement)),
      names_(config_.get(names_folder)) {
  if (job_.id == 0) job_.id = job_.segment->header().id;
}

World::~World() {
  // Communicators and the components use the segment until their end.
  comm_groups_ = {};
  comm_self_ = {};
  comm_world_ = {};
  rma_.reset();
  connections_.reset();
  collectives_.reset();
  lost_peers_.reset();
  p2p_.reset();
  progress_.reset();
  if (owner_ == SegmentOwner::kCaller) static_cast<void>(job_.segment.release());
}

Result<std::unique_ptr<World>> World::create(bootstrap::Job job, config::Store config, SegmentOwner owner,
                                             transport::Networks networks) {
  Result<std::unique_ptr<JobNetwork>> network = JobNetwork::create(job, config.alike());
  if (!network.ok()) return std::move(network).status();
  std::unique_ptr<World> world(
      new World(std::move(job), std::move(config), owner, std::move(network).value(), networks));
  STARLING_TRY(world->start());
  return world;
}

Status World::start() {
  Result<progress::WaitMode> wait = progress::configured_wait_mode(config_);
  if (!wait.ok()) return std::move(wait).status();
  STARLING_TRY(agree_on_library(*job_.segment));
  STARLING_TRY(start_engines());
  comm_world_ = make_own(kWorldContext, all_of_job(size()));
  list(*comm_world_, 0);
  comm_groups_ = make_own(kGroupsContext, all_of_job(size()));
  list(*comm_groups_, observe::DirectoryPlace::kInternal);
  comm_self_ = make_own(kSelfContext, {process()});
  bootstrap::announce(job_, memory::RankState::kInitialized);
  return {};
}

Status World::start_engines() {
  progress_ = std::make_unique<progress::Engine>(*job_.segment, job_.local_rank, config_);
  Result<std::unique_ptr<p2p::PointToPoint>> p2p = p2p::PointToPoint::create(*progress_, surroundings_);
  if (!p2p.ok()) return std::move(p2p).status();
  p2p_ = std::move(p2p).value();
  p2p_->set_on_trouble([](const std::string& what) { std::fprintf(stderr, "starling: %s\n", what.c_str()); });
  const bool are_threads = owner_ == SegmentOwner::kCaller;
  lost_peers_ =
      std::make_unique<LostPeers>(job_, *p2p_, are_threads ? LostPeers::Loss::kIsDeath : LostPeers::Loss::kEndsJob);
  auto collectives = collective::Collectives::create(*p2p_, placement(), config_);
  if (!collectives.ok()) return std::move(collectives).status();
  collectives_ = std::move(collectives).value();
  processes_ = std::make_unique<Processes>(job_.id, size());
  connections_ = std::make_unique<JobConnections>(*progress_, *p2p_, job_, config_);
  lost_peers_->set_is_let_go([this](PeerId peer) { return connections_ && connections_->has_let_go(peer); });
  window_collectives_ = std::make_unique<WindowCollectivesAdapter>(*collectives_);
  const auto ranks_are = are_threads ? rma::RanksAre::kThreads : rma::RanksAre::kProcesses;
  Result<std::unique_ptr<rma::OneSided>> rma =
      rma::OneSided::create(*p2p_, *window_collectives_, placement(), ranks_are, config_);
  if (!rma.ok()) return std::move(rma).status();
  rma_ = std::move(rma).value();
  return {};
}

Ref<comm::Communicator> World::make_own(std::uint64_t number, const std::vector<ProcessId>& processes) {
  auto group = Ref<comm::Group>::adopt(new comm::Group(processes));
  const std::int32_t rank = group->rank_of(process());
  comm::Communicator::Common common = common_of({}, {group.get()});
  return Ref<comm::Communicator>::adopt(
      new comm::Communicator(static_cast<std::uint32_t>(number * 2), std::move(group), rank, std::move(common)));
}

void World::list(comm::Communicator& communicator, std::uint32_t flags) {
  if (communicator.connected_jobs()) return;
  observe::CommunicatorFacts facts;
  facts.context_id = communicator.context_id();
  facts.flags = flags;
  if (communicator.is_inter()) facts.flags |= observe::DirectoryPlace::kInter;
  const auto add = [&](const comm::Group& group) {
    for (const ProcessId process : group.processes()) facts.members.emplace_back(process.value);
  };
  add(*communicator.group());
  if (communicator.is_inter()) add(*communicator.remote_group());
  if (facts.members.size() < 2) return;
  std::swap(facts.members.front(), *std::ranges::min_element(facts.members));
  communicator.listing = comm::Listing::make(job_.segment->directory(), job_.local_rank, facts);
}

bool World::are_here(const comm::Group& group) const { return placement().nodes() == 1 || node_->has_all(group); }

comm::Communicator::Common World::common_of(const Ref<comm::ConnectedJobs>& jobs,
                                            std::initializer_list<const comm::Group*> groups) const {
  if (jobs) {
    const Ref<comm::SharedDomain>& domain = jobs->shared_domain();
    const bool is_shared =
        domain && std::ranges::all_of(groups, [&](const comm::Group* group) { return domain->has_all(*group); });
    return {jobs, is_shared ? domain : Ref<comm::SharedDomain>()};
  }
  const bool is_shared = std::ranges::all_of(groups, [&](const comm::Group* group) { return are_here(*group); });
  return {{}, is_shared ? node_ : Ref<comm::SharedDomain>()};
}

Result<std::uint32_t> World::take_context_ids(const comm::ConnectedJobs* jobs, std::uint32_t count) {
  memory::JobSegment& segment = jobs != nullptr ? jobs->shared_domain()->segment() : *job_.segment;
  // The header counts from zero: those that every rank knows come before.
  const std::uint64_t taken = segment.header().next_context_id.fetch_add(count, std::memory_order_relaxed);
  const std::uint64_t step = context_id_step(jobs);
  const auto turn = static_cast<std::uint64_t>(jobs != nullptr ? jobs->nodes().own : placement().own_node());
  const std::uint64_t first = (kFirstFreeContext + turn) * 2 + taken * step;
  const std::uint64_t limit = jobs != nullptr ? comm::ConnectedJobs::kContexts : comm::ConnectedJobs::kFirstContext;
  if (first + count * step > limit) {
    return Status::error(
        ErrorClass::kIntern,
        formatted("these processes have made {} communicators, and no context id is left; keep communicators "
                  "and use them again instead of making new ones",
                  limit / step));
  }
  return static_cast<std::uint32_t>(first);
}

std::int32_t World::app_number(WorldRank rank) const noexcept {
  // The segment has the blocks of this node's ranks only.
  if (placement().is_here(rank)) return job_.segment->rank(placement().local_of(rank)).app_number;
  return placement().node(placement().node_of(rank)).app_numbers[placement().local_of(rank).index()];
}

Status World::finalize(FinalBarrier final_barrier) {
  STARLING_TRY(p2p_->drain());
  // No rank leaves while a partner still copies from its memory or waits for its acknowledgement.
  collective::Arguments barrier;
  barrier.operation = collective::Operation::kBarrier;
  barrier.form = collective::Form::kFinal;
  barrier.comm = comm_groups_.get();  // which no program can revoke
  if (final_barrier == FinalBarrier::kRun) STARLING_TRY(collectives_->run(barrier));
  collectives_->report_late_ranks(*comm_world_);
  STARLING_TRY(p2p_->drain());
  connections_->leave_all();
  names_.withdraw();
  bootstrap::announce(job_, memory::RankState::kFinalized);
  return {};
}

Status World::pause() {
  STARLING_TRY(p2p_->drain());
  bootstrap::announce(job_, memory::RankState::kFinalized);
  return {};
}

void World::resume() { bootstrap::announce(job_, memory::RankState::kInitialized); }

Status World::change(const config::Declaration& variable, std::string_view text) {
  config::Store changed = config_;
  STARLING_TRY(changed.set(variable.name(), text));
  Result<progress::WaitMode> mode = progress::configured_wait_mode(changed);
  if (!mode.ok()) return std::move(mode).status();
  config_ = std::move(changed);
  progress_->configure(config_);
  return {};
}

Result<std::unique_ptr<World>> join_world(const config::Overrides& overrides, std::vector<std::string>* warnings) {
  config::Store config;
  STARLING_TRY(config.read_environment(warnings));
  STARLING_TRY(config.set_all(overrides));
  // The launcher has read the tuning file for all its ranks.
  if (const char* const told = std::getenv(bootstrap::kTuningVariable)) {
    tuning::take_told(config, told);
  } else {
    tuning::take_file(config, warnings);
  }
  Result<bootstrap::Job> job = bootstrap::join(transport::shm::geometry(1, config), network_hooks(config), config);
  if (!job.ok()) return std::move(job).status();
  for (std::string& warning : job.value().warnings) warnings->push_back(std::move(warning));
  job.value().warnings.clear();
  if (job.value().tuning) tuning::take_told(config, *job.value().tuning);
  if (job.value().exchange && bootstrap::survives_deaths(config)) {
    warnings->push_back(
        "STARLING_FT asks for a job that goes on when ranks die, and the launcher that started this one ends it; "
        "start the program with Starling's own 'mpiexec --survive'.");
  }
  if (job.value().rank != WorldRank{0}) warnings->clear();  // rank 0 says what concerns all
  STARLING_TRY(do_as_all(*job.value().segment, job.value().rank, config, *warnings));
  return World::create(std::move(job).value(), std::move(config));
}

}  // namespace starling::world
