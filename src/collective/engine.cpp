// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/engine.hpp"

#include <new>
#include <vector>

#include "collective/collective_request.hpp"
#include "collective/list.hpp"
#include "collective/selector.hpp"
#include "collective/shape.hpp"
#include "collective/state.hpp"

namespace starling::collective {
namespace {

/// Whether a call may want the slots of the area: only those that nobody could serve inline.
bool wants_slots(const Arguments& a) {
  const std::int64_t bytes = agreed_bytes(a);
  const bool all_blocks = a.operation == Operation::kScatter || a.operation == Operation::kAlltoall;
  return (all_blocks ? bytes * a.comm->size() : bytes) > static_cast<std::int64_t>(Line::kInline);
}

Status refuse_intercommunicator() {
  return Status::error(ErrorClass::kUnsupportedOperation, "no algorithm for intercommunicators is known");
}

class TheEngine final : public Engine, private progress::Poller {
 public:
  TheEngine(p2p::Engine& p2p, const Selector& selector) : p2p_(p2p), selector_(selector) { p2p.progress().add(*this); }
  ~TheEngine() override { p2p_.progress().remove(*this); }

  Status run(const Arguments& arguments) override {
    if (arguments.comm->is_inter()) return refuse_intercommunicator();
    State& state = state_of(*arguments.comm);
    Call call(executor_, p2p_, state, arguments, state.next_tag());
    Task task = begin(call);
    if (!task.start()) {
      p2p_.progress().wait([&] { return task.done(); });
    }
    return call.take_failure();
  }

  Result<p2p::Request*> start(const Arguments& arguments) override {
    if (arguments.comm->is_inter()) return refuse_intercommunicator();
    State& state = state_of(*arguments.comm);
    void* memory = executor_.pool().allocate(sizeof(CollectiveRequest));
    if (!memory) return Status::error(ErrorClass::kNoMem, "no memory for a nonblocking collective's request");
    auto* request = new (memory) CollectiveRequest(executor_, p2p_, state, arguments, state.next_tag());
    request->begin(begin(request->call()));
    return request;
  }

  std::string explain(Operation operation, std::int32_t ranks, std::int64_t bytes) const override {
    Shape shape;
    shape.operation = operation;
    shape.ranks = ranks;
    shape.bytes = bytes;
    shape.area = shape.slots = ranks > 1;
    shape.slot_bytes = static_cast<std::int64_t>(Area::slot_bytes(ranks));
    shape.reproducible = selector_.reproducible();
    return selector_.explain(shape);
  }

 private:
  bool poll() override { return executor_.poll(); }

  static State& state_of(comm::Communicator& comm) {
    if (!comm.collective_state) [[unlikely]]
      comm.collective_state = std::make_unique<State>();
    return static_cast<State&>(*comm.collective_state);
  }

  const Algorithm& choose(const Call& call) {
    State& state = call.state();
    const Shape shape = shape_of(call.arguments(), state, selector_.reproducible());
    if (const Algorithm* known = state.remembered(shape)) return *known;
    const Algorithm& chosen = selector_.choose(shape);
    state.remember(shape, chosen);
    return chosen;
  }

  /// The task of a call.
  Task begin(Call& call) {
    State& state = call.state();
    if (!state.slots_settled) [[unlikely]] {
      state.settle_memory(p2p_.progress().segment(), call.comm(), wants_slots(call.arguments()));
    }
    return choose(call).run(call, call.arguments());
  }

  p2p::Engine& p2p_;
  Selector selector_;
  Executor executor_;
};

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(p2p::Engine& p2p, const config::Store& config) {
  auto selector = Selector::create(config, static_cast<std::int32_t>(p2p.progress().segment().header().usable_cores));
  if (!selector.ok()) return std::move(selector).status();
  return std::unique_ptr<Engine>(std::make_unique<TheEngine>(p2p, selector.value()));
}

Status Engine::broadcast(comm::Communicator& comm, void* data, std::int64_t bytes, std::int32_t root) {
  Arguments a;
  a.operation = Operation::kBcast;
  a.comm = &comm;
  a.root = root;
  a.receive_buffer = data;
  a.receive_count = bytes;
  a.receive_type = &datatype::predefined(datatype::Basic::kByte);
  return run(a);
}

Status Engine::allgather(comm::Communicator& comm, const void* mine, void* all, std::int64_t bytes) {
  Arguments a;
  a.operation = Operation::kAllgather;
  a.comm = &comm;
  a.send_buffer = mine;
  a.send_count = bytes;
  a.send_type = &datatype::predefined(datatype::Basic::kByte);
  a.receive_buffer = all;
  a.receive_count = bytes;
  a.receive_type = a.send_type;
  return run(a);
}

}  // namespace starling::collective
