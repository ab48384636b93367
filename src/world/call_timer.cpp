// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/call_timer.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.hpp"

namespace starling::world {

using collective::Arguments;
using collective::Collectives;
using collective::Operation;

/// An operation, by one algorithm, on a communicator of its own.
class CallTimer::Rooted {
 public:
  Rooted(CallTimer& timer, Operation operation, const char* algorithm, double bytes)
      : timer_(timer), comm_(timer.fresh()) {
    config::Store config = timer.world_.config();
    std::string variable = std::string("COLL_") + name(operation);
    std::ranges::transform(variable, variable.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    timer.check(config.set(variable, algorithm));
    Result<std::unique_ptr<Collectives>> engine =
        Collectives::create(timer.world_.p2p(), timer.world_.placement(), config);
    timer.check(engine.status().copy());
    if (engine.ok()) engine_ = std::move(engine).value();
    arguments_.operation = operation;
    arguments_.comm = comm_.get();
    arguments_.send_buffer = timer.out_.data();
    arguments_.receive_buffer = timer.in_.data();
    arguments_.send_count = arguments_.receive_count = static_cast<std::int64_t>(bytes) / 8;
    arguments_.send_type = arguments_.receive_type = &datatype::predefined(datatype::Basic::kDouble);
    arguments_.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  }

  void set_root(std::int32_t root) {
    if (rooted(arguments_.operation)) arguments_.root = root;
  }
  void turn() { set_root((arguments_.root + 1) % comm_->size()); }
  [[nodiscard]] bool is_root() const { return comm_->rank() == arguments_.root; }
  void run() {
    if (engine_) timer_.check(engine_->run(arguments_));
  }

 private:
  CallTimer& timer_;
  Ref<comm::Communicator> comm_;
  std::unique_ptr<Collectives> engine_;
  Arguments arguments_;
};

double CallTimer::collective_ns(Operation operation, const char* algorithm, double bytes, Roots roots) {
  Rooted call(*this, operation, algorithm, bytes);
  if (roots == Roots::kSecond) call.set_root(1);
  return usual_ns([&] {
    if (roots == Roots::kInTurn) call.turn();
    call.run();
  });
}

double CallTimer::root_ns(Operation operation, const char* algorithm, double bytes) {
  Rooted call(*this, operation, algorithm, bytes);
  std::int64_t times = 0;
  std::int64_t all_ns = 0;
  usual_ns([&] {
    call.turn();
    const std::int64_t begin = now_ns();
    call.run();
    if (!call.is_root()) return;
    ++times;
    all_ns += now_ns() - begin;
  });
  return slowest(static_cast<double>(all_ns) / static_cast<double>(std::max<std::int64_t>(1, times)));
}

double CallTimer::usual_ns(const std::function<void()>& operation) {
  const double once = std::max(1.0, round_ns(operation, patience_.warm_times));
  const auto times = static_cast<std::int64_t>(patience_.figure_ns / once);
  return round_ns(operation, std::clamp<std::int64_t>(times, patience_.least_times, 100000));
}

double CallTimer::own_byte_ns() {
  constexpr std::size_t kBytes = 65536;
  return usual_ns([this] {
           std::memcpy(in_.data(), out_.data(), kBytes);
           asm volatile("" : : "r"(in_.data()) : "memory");
         }) /
         kBytes;
}

bool CallTimer::goes_on(bool in_time) {
  char more = in_time && failure_.ok() ? 1 : 0;
  check(world_.collectives().broadcast(*ranks_, &more, 1, 0));
  return more != 0 && failure_.ok();
}

Ref<comm::Communicator> CallTimer::fresh() {
  std::uint32_t context = 0;
  if (ranks_->rank() == 0) {
    const Result<std::uint32_t> taken = world_.take_context_ids(nullptr, 1);
    check(taken.status().copy());
    context = taken.ok() ? taken.value() : 0;
  }
  check(world_.collectives().broadcast(*ranks_, &context, sizeof context, 0));
  return communicator_of(world_, ranks_->group(), context);
}

double CallTimer::round_ns(const std::function<void()>& operation, std::int64_t times) {
  Arguments barrier;
  barrier.comm = ranks_.get();
  check(world_.collectives().run(barrier));
  const std::int64_t begin = now_ns();
  for (std::int64_t i = 0; i < times && failure_.ok(); ++i) operation();
  return slowest(static_cast<double>(now_ns() - begin) / static_cast<double>(times));
}

double CallTimer::slowest(double mine) {
  std::vector<double> each(static_cast<std::size_t>(ranks_->size()));
  check(world_.collectives().allgather(*ranks_, &mine, each.data(), sizeof mine));
  return *std::ranges::max_element(each);
}

Ref<comm::Communicator> communicator_of(const World& world, const Ref<comm::Group>& group, std::uint32_t context) {
  const std::int32_t rank = group->rank_of(ProcessId(world.rank().value));
  return Ref<comm::Communicator>::adopt(
      new comm::Communicator(context, group, rank, world.common_of({}, {group.get()})));
}

namespace {

double with_smaller(std::size_t count, std::vector<double> values) {
  const auto there = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(values, there);
  return *there;
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  return with_smaller(half, std::move(values));
}

double lower_quartile(std::vector<double> values) {
  const std::size_t quarter = values.size() / 4;
  return with_smaller(quarter, std::move(values));
}

}  // namespace starling::world
