// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/scheduled_reduce.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "arrival/drive/reduce_plan.hpp"
#include "arrival/run/reduce_run.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/late/slicing.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

/// The schedule of each segment of each rank.
constexpr double kScheduleNs = 40;

/// The messages of one reduce. They match in order: all travel under the call's tag.
class Port {
 public:
  static constexpr bool kInOrder = true;

  Port(Call& call, const datatype::Datatype& type, std::span<const std::int32_t> members)
      : call_(call), type_(type), members_(members) {}
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  /// Only an interrupted call has messages left.
  ~Port() {
    for (const Flight& flight : flights_) abandon(flight);
  }

  int send(const void* from, int count, int peer, int /*segment*/) {
    flights_.push_back(call_.send(from, count, type_, rank_of(peer)).take());
    return 0;
  }
  int receive(void* into, int count, int peer, int /*segment*/) {
    flights_.push_back(call_.receive(into, count, type_, rank_of(peer)).take());
    return 0;
  }
  void drop(std::size_t number) {
    settle(call_, flights_[number]);
    flights_[number] = flights_.back();
    flights_.pop_back();
  }
  int combine(const void* in, void* inout, int count) {
    call_.reduce(in, inout, count, type_);
    return 0;
  }
  int copy(const void* from, void* to, int count) {
    call_.copy(from, to, count, type_);
    return 0;
  }
  std::byte* room(std::size_t bytes) {
    memory_ = PooledMemory(call_, static_cast<std::int64_t>(bytes));
    return memory_.data();
  }

  /// Whether some message is complete, and which.
  bool any(std::size_t& number) const {
    for (number = 0; number < flights_.size(); ++number) {
      if (flights_[number].request->complete()) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] std::int32_t rank_of(int member) const noexcept {
    return members_.empty() ? member : members_[static_cast<std::size_t>(member)];
  }

  Call& call_;
  const datatype::Datatype& type_;
  std::span<const std::int32_t> members_;
  std::vector<Flight> flights_;
  PooledMemory memory_;
};

int member_of(std::span<const std::int32_t> members, std::int32_t rank) {
  if (members.empty()) return rank;
  return static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
}

}  // namespace

Task reduce_by_schedule(Call& call, const Arguments& a, const ScheduledReduce& reduce) {
  const datatype::Datatype& type = *a.receive_type;
  const int count = static_cast<int>(a.receive_count);
  const std::span<const std::int32_t> members = reduce.members;
  std::vector<arrival::Ticks> arrivals(a.prediction->arrivals.begin(), a.prediction->arrivals.end());
  if (!members.empty()) arrivals.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    arrivals[i] = a.prediction->arrivals[static_cast<std::size_t>(members[i])];
  }
  const auto plan = arrival::plan_reduce(arrivals, a.prediction->slicing, count, member_of(members, reduce.root),
                                         member_of(members, call.rank()));
  if (!plan.ok()) {  // the same prediction on all ranks, so all come here
    call.note(plan.status().copy());
    co_return;
  }
  Port port(call, type, members);
  const bool at_root = call.rank() == reduce.root;
  arrival::ReduceRun<Port> run(port, plan.value().steps, plan.value().cut,
                               {type.extent(), type.true_lb(), type.true_extent()},
                               {input(a), at_root ? reduce.result : nullptr, at_root});
  if (!run.has_room()) co_return;
  run.post();
  while (run.waits()) {
    std::size_t number = 0;
    co_await call.until([&port, &number] { return port.any(number); });
    run.complete(number);
  }
}

double clairvoyant_cost(const Shape& shape, const Machine& machine) noexcept {
  const arrival::Link link = link_of(machine);
  const int segments = slicing_of(shape.bytes, shape.ranks, machine).segments;
  const double run_s = arrival::scheduled_reduce_s(shape.bytes, shape.late ? 2 : shape.ranks, link, segments);
  const double share = shape.late ? 1 : machine.share(shape.ranks);
  return 1e9 * run_s * share + segments * machine.wait(shape.ranks) + kScheduleNs * shape.ranks * segments;
}

}  // namespace starling::collective
