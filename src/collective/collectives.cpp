// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/collectives.hpp"

#include <cstdio>
#include <new>
#include <optional>
#include <string>

#include "arrival/record/table.hpp"
#include "base/format.hpp"
#include "collective/arguments/agreed_bytes.hpp"
#include "collective/choose/policy.hpp"
#include "collective/choose/shape.hpp"
#include "collective/late/call_sites.hpp"
#include "collective/late/watched.hpp"
#include "collective/levels/levels.hpp"
#include "collective/run/collective_request.hpp"
#include "collective/run/communicator_state.hpp"
#include "collective/run/persistent_call.hpp"
#include "collective/run/told_collective.hpp"
#include "collective/run/verified.hpp"
#include "comm/node_domain.hpp"
#include "comm/node_numbers.hpp"
#include "memory/usable_cores.hpp"

namespace starling::collective {
namespace {

/// After a death or a revocation no collective operation can complete on a communicator.
Status check_fit(const comm::Communicator& comm) {
  if (comm.fit_for_collectives()) [[likely]]
    return {};
  return (comm.condition() & comm::kRevoked) != 0 ? p2p::revoked() : p2p::process_failed(p2p::kAnySource);
}

/// Scans have no meaning between two groups, and those have no topologies (6.11, 8.4).
[[gnu::always_inline]] inline Status check_defined(const Arguments& a) {
  STARLING_TRY(check_fit(*a.comm));
  const bool scan = a.operation == Operation::kScan || a.operation == Operation::kExscan;
  if (!a.comm->is_inter() || !(scan || among_neighbors(a.operation))) [[likely]]
    return {};
  return Status::error(ErrorClass::kComm,
                       formatted("{} is not defined on intercommunicators; merge the two groups first "
                                 "(MPI_Intercomm_merge)",
                                 name(a.operation)));
}

/// A policy that connected jobs hold.
struct ConnectedJobsPolicy final : comm::Extension {
  explicit ConnectedJobsPolicy(const Policy& its) : policy(its) {}
  Policy policy;
};

/// Of the communicators of the job: the ranks of one have the same policy, wherever they run.
struct JobPolicies {
  Policy on_node;       ///< all ranks on this node, whose cores count
  Policy across_nodes;  ///< a node knows the cores of all, and the fewest count

  [[nodiscard]] const Policy& of(const comm::Communicator& comm) const {
    if (comm.connected_jobs()) [[unlikely]]
      return of(*comm.connected_jobs());
    return comm.shared_domain() != nullptr ? on_node : across_nodes;
  }
  /// Connected jobs may have other settings and cores than this one.
  [[nodiscard]] const Policy& of(comm::ConnectedJobs& jobs) const {
    if (!jobs.collective_policy) {
      Result<Policy> policy = Policy::create(jobs.config(), jobs.nodes().fewest_cores);
      // Its maker runs with these settings: only a library of another version could find fault with them.
      jobs.collective_policy = std::make_unique<ConnectedJobsPolicy>(policy.ok() ? policy.value() : on_node);
    }
    return static_cast<const ConnectedJobsPolicy&>(*jobs.collective_policy).policy;
  }
  /// How the levels of a communicator on several nodes choose.
  [[nodiscard]] LevelSelectors of_levels(const comm::Communicator& comm) const {
    if (!comm.connected_jobs()) return {on_node.selector(), across_nodes.selector()};
    const Selector& selector = of(*comm.connected_jobs()).selector();
    return {selector, selector};
  }
};

observe::WaitKind kind_of(const Arguments& arguments) noexcept {
  return arguments.form == Form::kFinal ? observe::WaitKind::kFinalize : observe::WaitKind::kCollective;
}

Arguments of_body(comm::Communicator& comm) {
  Arguments arguments;
  arguments.form = Form::kInternal;
  arguments.comm = &comm;
  return arguments;
}

/// All that a choice may depend on, of a rank that has no part in a call.
Arguments of_idle_rank(comm::Communicator& comm, Operation operation, std::int32_t root) {
  Arguments arguments;
  arguments.operation = operation;
  arguments.comm = &comm;
  arguments.root = root;
  return arguments;
}

/// As the ranks choose that have a part in it.
[[gnu::cold, gnu::noinline]] const Algorithm& choose_without_data(CommunicatorState& state, const Arguments& arguments,
                                                                  const Selector& selector) {
  Shape shape = shape_of(arguments, 0, state.memory, selector.reproducible());
  shape.root_stays = state.root_stays(arguments.operation, arguments.root);
  const Algorithm& chosen = selector.choose(shape);
  state.keep_without_data(arguments.operation, arguments.root, chosen);
  return chosen;
}

/// The broadcast by which ranks agree on an algorithm.
Arguments of_agreement(comm::Communicator& comm, std::int32_t leader, std::uint8_t* byte) {
  Arguments arguments = of_idle_rank(comm, Operation::kBcast, leader);
  arguments.form = Form::kInternal;
  arguments.receive_buffer = byte;
  arguments.receive_count = 1;
  arguments.receive_type = &datatype::byte_type();
  return arguments;
}

/// Whether ranks may learn the algorithm of a call.
[[gnu::always_inline]] inline bool may_learn(const Arguments& arguments, std::int64_t bytes,
                                             const Policy& policy) noexcept {
  return bytes >= LearntAlgorithms::kLeastBytes && policy.selector().learns() &&
         (arguments.op == nullptr || arguments.op->is_predefined()) &&
         (arguments.form == Form::kBlocking || arguments.form == Form::kNonblocking);
}

/// Whether a call that moves nothing may be passed at all.
[[gnu::always_inline]] inline bool may_pass(const comm::Communicator& comm, const Executor& executor) {
  return comm.fit_for_collectives() && !comm.is_inter() && executor.listener() == nullptr;
}

Task nothing(Call& /*call*/) { co_return; }

/// Whether a call was made and has ended, for this rank has nobody to wait for in it.
[[gnu::always_inline]] inline bool at_once(const Algorithm& algorithm, CommunicatorState& state,
                                           const Arguments& arguments, observe::StatusCard& card) {
  if (algorithm.at_once == nullptr || !algorithm.at_once(state.memory, arguments)) return false;
  static_cast<void>(state.next_tag());
  state.counter.begin(card, arguments);
  return true;
}

/// What a call runs.
struct Choice {
  const Algorithm* algorithm = nullptr;
  LearntAlgorithm* learnt = nullptr;  ///< that has it, where ranks learn

  Task run(Call& call, const Arguments& arguments) const {
    if (learnt != nullptr && learnt->copies_once()) call.set_copied_once();
    return algorithm->run(call, arguments);
  }
};

class CollectiveRunner final : public Collectives, private progress::Poller, private Chooser {
 public:
  CollectiveRunner(p2p::PointToPoint& p2p, const memory::Placement& placement, const JobPolicies& policies)
      : p2p_(p2p),
        engine_(p2p.progress()),
        placement_(placement),
        policies_(policies),
        call_sites_(std::make_unique<CallSites>()) {
    engine_.add(*this);
  }
  ~CollectiveRunner() override { engine_.remove(*this); }

  Status run(const Arguments& arguments) override {
    STARLING_TRY(check_defined(arguments));
    if (executor_.listener() != nullptr) [[unlikely]]
      return run_listened(arguments);
    return run_checked(arguments);
  }
  Status run(comm::Communicator& comm, CollectiveBody& body) override {
    STARLING_TRY(check_fit(comm));
    return run_task(of_body(comm), [&](Call& call) { return body.run(call); });
  }

  void set_listener(observe::Listener* listener) override { executor_.set_listener(listener); }

  void tell_progress(double fraction) override {
    for (ArrivalTracker* tracker : call_sites_->table_source->trackers) tracker->tell_progress(fraction);
  }

  void report_late_ranks(const comm::Communicator& world) override {
    if (!policies_.on_node.prints_late_table()) return;
    const std::string lines =
        call_sites_->lines(world.rank() == 0 ? TableDetail::kCallSites : TableDetail::kCommunicators);
    if (!lines.empty()) std::fprintf(stderr, "starling: %s%s", arrival::table_head().c_str(), lines.c_str());
  }

  Result<p2p::Request*> start(const Arguments& arguments) override {
    STARLING_TRY(check_defined(arguments));
    const std::int64_t bytes = agreed_bytes(arguments);
    const bool listened = executor_.listener() != nullptr;
    if (!listened && returns_at_once(arguments, bytes)) [[unlikely]] {
      note_empty(arguments);
      return &empty_request_;
    }
    const Policy& policy = policy_of(*arguments.comm);
    Choice choice;
    if (!listened && !policy.verifies() && !policy.tracks(arguments, bytes)) [[likely]] {
      CommunicatorState& state = state_of(*arguments.comm);
      choice = choose(state, arguments, bytes);
      if (at_once(*choice.algorithm, state, arguments, card())) return &empty_request_;
    }
    return make_request(
        [&](void* memory) {
          return new (memory) CollectiveRequest(executor_, p2p_, state_of(*arguments.comm), arguments);
        },
        [&](CollectiveRequest& request) {
          count_told(request);
          Call& call = request.call();
          if (choice.algorithm != nullptr) return choice.run(call, call.arguments());
          return returns_at_once(arguments, bytes) ? nothing(call) : begin_started(call, bytes);
        });
  }
  bool pass_empty(comm::Communicator& comm, Operation operation, std::int32_t root) override {
    if (!may_pass(comm, executor_) || policy_of(comm).verifies()) [[unlikely]]
      return false;
    note_empty(comm, operation, root);
    return true;
  }
  bool pass_without_data(comm::Communicator& comm, Operation operation, std::int32_t root) override {
    if (!may_pass(comm, executor_)) [[unlikely]]
      return false;
    const Policy& policy = policy_of(comm);
    if (policy.verifies() || policy.prints_late_table()) [[unlikely]]
      return false;
    CommunicatorState& state = state_of(comm);
    const Algorithm* algorithm = state.chosen_without_data(operation, root);
    if (algorithm == nullptr) [[unlikely]] {
      const Arguments arguments = of_idle_rank(comm, operation, root);
      if (!state.memory.settled_for(arguments, 0)) settle(state, arguments, 0);
      algorithm = &choose_without_data(state, arguments, policy.selector());
    }
    if (algorithm->without_data == nullptr || !algorithm->without_data(state.memory, root)) [[unlikely]]
      return false;
    state.note_root(operation, root);
    note_empty(comm, operation, root);
    return true;
  }
  p2p::Request& empty_request() noexcept override { return empty_request_; }

  Result<p2p::Request*> start(comm::Communicator& comm, CollectiveBody& body) override {
    STARLING_TRY(check_fit(comm));
    return make_request(
        [&](void* memory) { return new (memory) CollectiveRequest(executor_, p2p_, state_of(comm), of_body(comm)); },
        [&](CollectiveRequest& request) {
          count(request.call());
          return body.run(request.call());
        });
  }

  Result<Ref<PersistentCall>> prepare(const Arguments& arguments) override {
    STARLING_TRY(check_defined(arguments));
    const std::uint32_t instance = state_of(*arguments.comm).next_instance();
    auto call = Ref<PersistentCall>::adopt(new PersistentCall(arguments, instance));
    const std::int64_t bytes = agreed_bytes(arguments);
    settle(call->state, arguments, bytes, instance);
    call->algorithm = choose(call->state, arguments, bytes).algorithm;
    call->made_by = card().call.load(std::memory_order_relaxed);
    return call;
  }

  Result<p2p::Request*> start(PersistentCall& persistent) override {
    STARLING_TRY(check_fit(*persistent.kept.get().comm));
    return make_request([&](void* memory) { return new (memory) CollectiveRequest(executor_, p2p_, persistent); },
                        [&](CollectiveRequest& request) {
                          Call& call = request.call();
                          count_told(request, persistent.made_by);
                          if (verifies(call))
                            return run_verified(call, call.arguments(), persistent, persistent.state.verify_gate);
                          const std::int64_t bytes = agreed_bytes(call.arguments());
                          if (moves_nothing(call.arguments(), bytes)) return nothing(call);
                          if (policy_of(call.comm()).tracks(call.arguments(), bytes)) [[unlikely]]
                            return begin_tracked(call, persistent.state, bytes, persistent.algorithm);
                          return persistent.algorithm->run(call, call.arguments());
                        });
  }

  void interrupt(const comm::Communicator& comm, const Status& why) override {
    IntrusiveList<Call>& waiting = executor_.waiting_calls();
    for (Call* call = waiting.front(); call != nullptr;) {
      Call* next = waiting.next(*call);
      // An end may free its call, but never another.
      if (&call->comm() == &comm) call->interrupt(why.copy());
      call = next;
    }
  }

 private:
  bool poll() override { return executor_.poll(); }

  Status run_checked(const Arguments& arguments) {
    const std::int64_t bytes = agreed_bytes(arguments);
    if (returns_at_once(arguments, bytes)) [[unlikely]] {
      note_empty(arguments);
      return {};
    }
    std::optional<SiteTimer> timer;  // for the table that is printed at the end
    if (policies_.on_node.prints_late_table()) [[unlikely]]
      timer.emplace(*call_sites_, arguments);
    const Policy& policy = policy_of(*arguments.comm);
    if (policy.tracks(arguments, bytes)) [[unlikely]]
      return run_tracked(arguments, bytes);
    if (policy.verifies()) [[unlikely]]
      return run_task(arguments, [&](Call& call) { return begin(call, bytes); });
    CommunicatorState& state = state_of(*arguments.comm);
    Choice choice = choose(state, arguments, bytes);
    if (choice.learnt != nullptr) [[unlikely]] {
      LearntAlgorithm& learnt = *choice.learnt;
      const auto agree = [&](std::uint8_t* byte) {
        const Arguments bcast = of_agreement(*arguments.comm, learnt.leader(), byte);
        return run_task(bcast, [&](Call& call) { return choose(state, bcast, 1).run(call, bcast); });
      };
      STARLING_TRY(agree_on_next(learnt, arguments.comm->rank(), agree));
      state.note_root(arguments.operation, arguments.root);
      choice.algorithm = &learnt.held();
    }
    if (at_once(*choice.algorithm, state, arguments, card())) return {};
    return run_task(arguments, [&](Call& call) { return choice.run(call, arguments); });
  }
  /// While somebody listens, who is not told of what constructors of communicators do, and MPI_Finalize.
  [[gnu::cold, gnu::noinline]] Status run_listened(const Arguments& arguments) {
    if (arguments.form != Form::kBlocking) return run_checked(arguments);
    const std::uint32_t number = state_of(*arguments.comm).counter.next();
    const std::uint32_t mpi_call = card().call.load(std::memory_order_relaxed);
    const observe::Occurrence told = tell_begin(*executor_.listener(), arguments, mpi_call, number);
    Status status = run_checked(arguments);
    if (executor_.listener() != nullptr) tell_end(*executor_.listener(), told);
    return status;
  }

  [[nodiscard]] const Policy& policy_of(const comm::Communicator& comm) const { return policies_.of(comm); }

  [[gnu::always_inline]] static inline CommunicatorState& state_of(comm::Communicator& comm) {
    if (!comm.collective_state) [[unlikely]]
      comm.collective_state = std::make_unique<CommunicatorState>();
    return static_cast<CommunicatorState&>(*comm.collective_state);
  }

  [[nodiscard]] observe::StatusCard& card() noexcept { return engine_.card(); }
  /// A nonblocking call, or one start of a persistent one, begins.
  std::uint32_t count(Call& call, std::uint32_t mpi_call = 0) {
    const std::uint32_t number = state_of(call.comm()).counter.begin(card(), call.arguments(), mpi_call);
    call.set_number(number);
    return number;
  }
  /// The same, and tells who listens.
  void count_told(CollectiveRequest& request, std::uint32_t mpi_call = 0) {
    const std::uint32_t number = count(request.call(), mpi_call);
    if (executor_.listener() == nullptr) [[likely]]
      return;
    const std::uint32_t told_call = mpi_call != 0 ? mpi_call : card().call.load(std::memory_order_relaxed);
    request.set_told(tell_begin(*executor_.listener(), request.call().arguments(), told_call, number));
  }

  /// Finds out what the calls of a communicator, or the starts of a persistent one, may use.
  [[gnu::cold, gnu::noinline]] void settle(CommunicatorState& state, const Arguments& arguments, std::int64_t bytes,
                                           std::uint32_t instance = 0) {
    const comm::Communicator& comm = *arguments.comm;
    const Selector& selector = policy_of(comm).selector();
    state.memory.settle(arguments, bytes, selector.learns());
    state.memory.set_machine(selector.machine(distance_of(comm)));
    if (comm.shared_domain() != nullptr || comm::NodeNumbers(comm, placement_).count() == 1) return;
    NodeSpread spread = spread_of(comm, placement_);
    const LevelSelectors selectors = policies_.of_levels(comm);
    if (!selectors.across_nodes.goes_in_levels()) spread.levels &= ~kTwoLevels;
    std::unique_ptr<Levels> levels;
    if ((spread.levels & kTwoLevels) != 0) {
      levels = std::make_unique<Levels>(comm, placement_, domain_here(comm), selectors, spread, instance);
    }
    state.memory.set_levels(spread, std::move(levels));
  }

  /// What the members on this node share, and perhaps others there.
  [[nodiscard]] const Ref<comm::SharedDomain>& domain_here(const comm::Communicator& comm) {
    if (comm.connected_jobs()) return comm.connected_jobs()->shared_domain();
    if (!domain_) domain_ = comm::domain_of_node(engine_.segment(), placement_);
    return domain_;
  }

  /// Inline, as what it calls, for it is a part of the way of every call.
  [[gnu::always_inline]] inline Choice choose(CommunicatorState& state, const Arguments& arguments,
                                              std::int64_t bytes) {
    if (!state.memory.settled_for(arguments, bytes)) [[unlikely]]
      settle(state, arguments, bytes);
    const Policy& policy = policy_of(*arguments.comm);
    const Selector& selector = policy.selector();
    Shape shape = shape_of(arguments, bytes, state.memory, selector.reproducible());
    shape.root_stays = state.root_stays(arguments.operation, arguments.root);
    state.note_root(arguments.operation, arguments.root);
    if (may_learn(arguments, bytes, policy)) [[unlikely]] {
      if (LearntAlgorithm* learnt = state.learnt.find(shape, arguments.root, selector))
        return {&learnt->held(), learnt};
    }
    if (const Algorithm* known = state.choices.find(shape)) return {known};
    const Algorithm& chosen = selector.choose(shape);
    state.choices.keep(shape, chosen);
    return {&chosen};
  }
  const Algorithm& choose(Call& call) override {
    return *choose(state_of(call.comm()), call.arguments(), agreed_bytes(call.arguments())).algorithm;
  }

  ArrivalTracker& tracker_of(CommunicatorState& state, const comm::Communicator& comm) {
    if (!state.tracker) {
      state.tracker = std::make_unique<ArrivalTracker>(*state.memory.buffer(), comm.rank(), call_sites_->table_source);
    }
    return *state.tracker;
  }

  /// Null where ranks keep no account of this call.
  ArrivalTracker* tracker_for(CommunicatorState& state, const Arguments& arguments, std::int64_t bytes,
                              std::uint64_t number) {
    if (!state.memory.settled_for(arguments, bytes)) settle(state, arguments, bytes);
    if (!state.memory.has_segments()) return nullptr;
    ArrivalTracker& tracker = tracker_of(state, *arguments.comm);
    return tracker.watches(number) ? &tracker : nullptr;
  }
  std::optional<ArrivalPrediction> enter(ArrivalTracker& tracker, const Arguments& arguments, std::uint64_t number) {
    const Policy& policy = policy_of(*arguments.comm);
    const Machine& machine = policy.selector().machine(distance_of(*arguments.comm));
    return tracker.enter(engine_, {arguments, number, machine, policy.late_handling_of(arguments)});
  }

  /// Runs a call of which ranks may keep account.
  Status run_tracked(const Arguments& arguments, std::int64_t bytes) {
    CommunicatorState& state = state_of(*arguments.comm);
    const std::uint64_t number = state.number() + 1;
    ArrivalTracker* tracker = tracker_for(state, arguments, bytes, number);
    if (tracker == nullptr) return run_task(arguments, [&](Call& call) { return begin(call, bytes); });
    const std::optional<ArrivalPrediction> prediction = enter(*tracker, arguments, number);
    Arguments predicted = arguments;
    predicted.prediction = prediction ? &*prediction : nullptr;
    // Somebody may have died while this rank waited for the prediction.
    Status status = check_fit(*arguments.comm);
    if (status.ok()) status = run_task(predicted, [&](Call& call) { return begin(call, bytes); });
    tracker->leave(number);
    return status;
  }

  /// The task of a nonblocking call.
  Task begin_started(Call& call, std::int64_t bytes) {
    if (policy_of(call.comm()).tracks(call.arguments(), bytes)) [[unlikely]]
      return begin_tracked(call, state_of(call.comm()), bytes, nullptr);
    return begin(call, bytes);
  }
  /// The same, of a call or a start of which ranks may keep account. `known`: chosen before, if nothing is predicted.
  [[gnu::noinline]] Task begin_tracked(Call& call, CommunicatorState& state, std::int64_t bytes,
                                       const Algorithm* known) {
    const Arguments& arguments = call.arguments();
    const std::uint64_t number = state.number();
    ArrivalTracker* tracker = tracker_for(state, arguments, bytes, number);
    std::optional<ArrivalPrediction> prediction;
    if (tracker != nullptr) prediction = enter(*tracker, arguments, number);
    Arguments predicted = arguments;
    predicted.prediction = prediction ? &*prediction : nullptr;
    const Algorithm* const algorithm =
        known != nullptr && !prediction ? known : choose(state, predicted, bytes).algorithm;
    if (tracker == nullptr) return algorithm->run(call, arguments);
    return run_watched(call, predicted, prediction, *algorithm, *tracker, number);
  }

  /// The ranks of two groups make different calls by right, so only those of one group are compared.
  [[nodiscard]] bool verifies(const Call& call) const {
    return policy_of(call.comm()).verifies() && !call.comm().is_inter();
  }

  /// The task of a call. bytes: its agreed_bytes().
  Task begin(Call& call, std::int64_t bytes) {
    if (verifies(call)) [[unlikely]]
      return run_verified(call, call.arguments(), *this, state_of(call.comm()).verify_gate);
    return choose(state_of(call.comm()), call.arguments(), bytes).run(call, call.arguments());
  }

  /// A call that moves no data tells nobody anything, so its ranks do not wait for each other (MPI-5.0, 6.1) - unless
  /// they compare what they call.
  [[nodiscard]] bool returns_at_once(const Arguments& arguments, std::int64_t bytes) const {
    return moves_nothing(arguments, bytes) && !policy_of(*arguments.comm).verifies();
  }
  /// It counts as a call: its number is used up on every rank.
  void note_empty(const Arguments& arguments) {
    CommunicatorState& state = state_of(*arguments.comm);
    static_cast<void>(state.next_tag());
    state.counter.begin(card(), arguments);
  }
  [[gnu::always_inline]] inline void note_empty(comm::Communicator& comm, Operation operation, std::int32_t root) {
    CommunicatorState& state = state_of(comm);
    static_cast<void>(state.next_tag());
    const bool told = kTold[static_cast<std::size_t>(operation)].root;
    state.counter.begin(card(), comm, told ? root : CallCounter::kNoRoot, 0);
  }

  /// Runs the task that a function makes for its call to the end.
  template <typename Begin>
  Status run_task(const Arguments& arguments, Begin&& first_task) {
    CommunicatorState& state = state_of(*arguments.comm);
    Call call(executor_, p2p_, state.memory, arguments, state.next_tag());
    Task task = first_task(call);
    const bool ended = task.start();
    // Now: the others have this rank's part, so nobody waits for what readers are told.
    call.set_number(state.counter.begin(card(), arguments));
    if (!ended) {
      call.begin_to_wait([](void* waiting) { static_cast<Task*>(waiting)->destroy(); }, &task);
      engine_.wait([&] { return call.interrupted() || task.done(); },
                   [&] { return observe::Wait(kind_of(arguments), call.awaited()); });
      call.end_waiting();
    }
    return call.take_failure();
  }

  /// A request that a function makes in the memory it is given, begun with the task that another makes for its call.
  template <typename Make, typename Begin>
  Result<p2p::Request*> make_request(Make&& make, Begin&& first_task) {
    void* memory = executor_.pool().allocate(sizeof(CollectiveRequest));
    if (!memory) return Status::error(ErrorClass::kNoMem, "there is no memory for the request of a collective");
    CollectiveRequest* request = make(memory);
    request->begin(first_task(*request));
    return request;
  }

  p2p::PointToPoint& p2p_;
  progress::Engine& engine_;  ///< p2p_'s
  const memory::Placement& placement_;
  JobPolicies policies_;
  Ref<comm::SharedDomain> domain_;  ///< this node's; null until a communicator on several nodes needs it
  std::unique_ptr<CallSites> call_sites_;
  Executor executor_;
  EmptyRequest empty_request_;
};

}  // namespace

Result<std::unique_ptr<Collectives>> Collectives::create(p2p::PointToPoint& p2p, const memory::Placement& placement,
                                                         const config::Store& config) {
  Result<Policy> on_node = Policy::create(config, memory::usable_cores_of(p2p.progress().segment()));
  if (!on_node.ok()) return std::move(on_node).status();
  Result<Policy> across_nodes = Policy::create(config, placement.fewest_usable_cores());
  if (!across_nodes.ok()) return std::move(across_nodes).status();
  const JobPolicies policies{on_node.value(), across_nodes.value()};
  return std::unique_ptr<Collectives>(std::make_unique<CollectiveRunner>(p2p, placement, policies));
}

Status Collectives::broadcast(comm::Communicator& comm, void* data, std::int64_t bytes, std::int32_t root) {
  Arguments a;
  a.operation = Operation::kBcast;
  a.form = Form::kInternal;
  a.comm = &comm;
  a.root = root;
  a.receive_buffer = data;
  a.receive_count = bytes;
  a.receive_type = &datatype::byte_type();
  return run(a);
}

Status Collectives::allgather(comm::Communicator& comm, const void* mine, void* all, std::int64_t bytes) {
  Arguments a;
  a.operation = Operation::kAllgather;
  a.form = Form::kInternal;
  a.comm = &comm;
  a.send_buffer = mine;
  a.send_count = bytes;
  a.send_type = &datatype::byte_type();
  a.receive_buffer = all;
  a.receive_count = bytes;
  a.receive_type = a.send_type;
  return run(a);
}

}  // namespace starling::collective
