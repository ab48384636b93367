// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "weak_memory/explorer/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace starling::weak {
namespace {

/// A model whose executions are longer does not end.
constexpr std::size_t kMostSteps = 4000;

Machine* running = nullptr;       ///< the one machine, while it executes
bool runs_code_of_model = false;  ///< and not its own

std::uint64_t load(const void* address, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, address, bytes);
  return value;
}

void store(void* address, std::size_t bytes, std::uint64_t value) { std::memcpy(address, &value, bytes); }

}  // namespace

/// While it lives the machine's own code runs, whose accesses are nobody's.
class Machine::Stop {
 public:
  Stop() { runs_code_of_model = false; }
  ~Stop() { runs_code_of_model = true; }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
};

Machine* Machine::of_running_code() noexcept { return runs_code_of_model ? running : nullptr; }

Machine::Machine(const Options& options, Search& search) : options_(options), search_(search) {}

Machine::End Machine::execute(const Model& model, bool traced) {
  running = this;
  traced_ = traced;
  course_.clear();
  execution_.emplace();
  model(*execution_);
  begin();
  end_ = End::kGood;
  schedule();
  if (end_ == End::kGood && execution_->end) execution_->end();
  shadow_.restore();
  execution_.reset();
  running = nullptr;
  return end_;
}

void Machine::begin() {
  for (const auto& [begin, bytes] : execution_->shared) shadow_.watch(begin, bytes);
  threads_.resize(execution_->threads.size());
  memory_.reset(static_cast<int>(threads_.size()));
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    thread.name = execution_->threads[i].first;
    thread.state = State::kReady;
    thread.next = Action();
    thread.looked.clear();
    thread.seconds = 0;
    thread.interrupts = 0;
    thread.fiber.begin(&Machine::enter);
  }
  objects_.clear();
  labels_.clear();
  current_ = -1;
}

/// The first frame of each thread.
void Machine::enter() {
  Machine& machine = *running;
  const auto& body = machine.execution_->threads[static_cast<std::size_t>(machine.current_)].second;
  runs_code_of_model = true;
  body();
  runs_code_of_model = false;
  machine.self().state = State::kFinished;
  machine.schedule();
}

/// Chooses the next step, and returns when it is one of the caller, who takes it. Called outside of all threads: when
/// the execution has ended.
void Machine::schedule() {
  while (true) {
    collect();
    if (search_.depth() > kMostSteps) fail("the execution does not end");
    const Step* chosen = search_.choose(possible_);
    if (chosen == nullptr) {
      const bool all_ended = std::all_of(threads_.begin(), threads_.end(),
                                         [](const Thread& thread) { return thread.state == State::kFinished; });
      if (!possible_.empty()) return leave(End::kKnown);
      if (!all_ended) fail("the threads wait for ever");
      return leave(End::kGood);
    }
    step_ = *chosen;
    if (std::find(possible_.begin(), possible_.end(), step_) == possible_.end()) {
      fail("the model is not the same in each execution");
    }
    if (step_.kind == Kind::kInterrupt) {
      std::uint32_t& interrupts = threads_[static_cast<std::size_t>(step_.thread)].interrupts;
      interrupts &= interrupts - 1;
      memory_.fence(step_.thread);
      trace(step_, 0);
      continue;
    }
    if (step_.thread == current_) return;
    Fiber* from = current_ < 0 ? nullptr : &self().fiber;
    current_ = step_.thread;
    Fiber::switch_between(from, &self().fiber);
    return;
  }
}

/// Leaves the execution for good.
void Machine::leave(End end) {
  end_ = end;
  if (current_ < 0) return;
  Fiber& from = self().fiber;
  current_ = -1;
  Fiber::switch_between(&from, nullptr);
}

void Machine::fail(const std::string& what) {
  runs_code_of_model = false;
  wrong_ = what + (current_ < 0 ? "" : " (" + self().name + ")") + "\n" + course_;
  leave(End::kWrong);
  std::abort();
}

void Machine::fail_at_end(const std::string& what) {
  running->wrong_ = what + " (at the end)\n" + running->course_;
  running->end_ = End::kWrong;
}

void Machine::collect() {
  possible_.clear();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    if (thread.state != State::kReady || thread.next.kind != Kind::kBegin) continue;
    // Nothing depends on this: it need not be tried in any other place.
    possible_.assign(1, Step{static_cast<int>(i), Kind::kBegin});
    return;
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) collect_of(static_cast<int>(i));
}

void Machine::collect_of(int number) {
  const Thread& thread = threads_[static_cast<std::size_t>(number)];
  if (thread.interrupts != 0) possible_.push_back({number, Kind::kInterrupt});
  if (thread.state == State::kReady && thread.next.kind == Kind::kLookAgain) {
    for (const Seen& seen : thread.looked) {
      if (memory_.place_of_news(number, seen.object, seen.message) != 0) {
        possible_.push_back({number, Kind::kLookAgain, seen.object, seen.message});
      }
    }
  } else if (thread.state == State::kReady) {
    memory_.add_steps(number, thread.next, &possible_);
  } else if (thread.state == State::kInBarrier) {
    const auto waits_for = [&](const Thread& other) { return (other.interrupts >> number & 1) != 0; };
    if (std::none_of(threads_.begin(), threads_.end(), waits_for)) possible_.push_back({number, Kind::kBarrierEnd});
  }
}

std::uint64_t Machine::perform(const Action& action) {
  self().next = action;
  self().state = State::kReady;
  schedule();
  bool written = false;
  const std::uint64_t value = memory_.take(action, step_, &written);
  if (step_.kind == Kind::kBarrier) take_barrier(step_);
  note_look(step_);
  trace(step_, value);
  return value;
}

void Machine::note_look(const Step& step) {
  std::vector<Seen>& looked = self().looked;
  if (step.kind == Kind::kLookAgain) looked.clear();
  const bool reads = step.kind == Kind::kLoad || step.kind == Kind::kModify || step.kind == Kind::kFutexWait;
  if (!reads) return;
  for (Seen& seen : looked) {
    if (seen.object == step.object) return;
  }
  looked.push_back({step.object, step.message});
}

void Machine::take_barrier(const Step& step) {
  memory_.fence(step.thread);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (static_cast<int>(i) == step.thread) continue;
    // One that sleeps has passed a barrier when it stopped. One that has ended is reached like the others, so that a
    // thread's last step and the begin of a membarrier come to the same in either order.
    if (threads_[i].state == State::kInFutex) {
      memory_.fence(static_cast<int>(i));
    } else {
      threads_[i].interrupts |= 1U << step.thread;
    }
  }
}

bool Machine::is_shared(void* address, Kind kind) {
  if (execution_->left_out.contains(address)) return false;
  Touched& touched = touched_.try_emplace(address, Touched{current_}).first->second;
  const bool was_shared = touched.by_others && touched.written;
  touched.by_others = touched.by_others || touched.first != current_;
  touched.written = touched.written || kind != Kind::kLoad;
  if (!was_shared && touched.by_others && touched.written) leave(End::kNewShared);
  return was_shared;
}

const std::string& Machine::label_of(const void* address) {
  std::string& label = execution_->names[address];
  if (label.empty()) {
    std::ostringstream text;
    text << address;
    label = text.str();
  }
  return label;
}

int Machine::object_of(void* address, std::size_t bytes) {
  const auto [at, is_new] = objects_.try_emplace(address, 0);
  if (is_new) {
    at->second = memory_.add_object(load(address, bytes));
    labels_.push_back(label_of(address));
  }
  return at->second;
}

/// The order that the site asks for in this exploration.
Order Machine::at_site(const std::string& what, Kind kind, Order order) {
  if (order == Order::kRelaxed) return order;
  const Site site{what, kind, order};
  sites_.insert(site);
  return options_.change && options_.change->site == site ? options_.change->to.value_or(Order::kRelaxed) : order;
}

std::uint64_t Machine::access(void* address, std::size_t bytes, Action action) {
  const Stop stop;
  if (!is_shared(address, action.kind)) return access_private(address, bytes, action);
  action.object = object_of(address, bytes);
  const auto object = static_cast<std::size_t>(action.object);
  action.order = at_site(labels_[object], action.kind, action.order);
  if (action.kind == Kind::kModify) {
    action.order_of_failure = at_site(labels_[object], Kind::kLoad, action.order_of_failure);
  }
  const auto number = static_cast<std::size_t>(current_);
  const std::uint16_t time = memory_.times(current_)[number];
  const std::uint64_t value = perform(action);
  const bool written = step_.writes;
  if (written) {
    shadow_.keep(address, bytes);
    store(address, bytes, memory_.newest(action.object));
  }
  // It knows what it has acquired, and belongs to what it has released.
  Times times = memory_.times(current_);
  times[number] = time;
  const Touch touched = written ? Touch::kAtomicWrite : Touch::kAtomicRead;
  if (!shadow_.touch(current_, times, touched, address, bytes)) {
    fail("an access to " + labels_[object] + " races with a plain one");
  }
  return value;
}

std::uint64_t Machine::access_private(void* address, std::size_t bytes, const Action& action) {
  const std::uint64_t before = load(address, bytes);
  std::uint64_t value = action.value;
  const bool writes =
      action.kind == Kind::kStore || (action.kind == Kind::kModify && (value = before, action.modify(&value)));
  if (writes) {
    shadow_.keep(address, bytes);
    store(address, bytes, value);
  }
  if (!shadow_.touch(current_, memory_.times(current_), writes ? Touch::kAtomicWrite : Touch::kAtomicRead, address,
                     bytes)) {
    fail("an access to " + label_of(address) + " races with a plain one");
  }
  return before;
}

void Machine::fence(Order order) {
  const Stop stop;
  const Site site{self().name, Kind::kFence, order};
  sites_.insert(site);
  if (options_.change && options_.change->site == site) {
    if (!options_.change->to) return;
    order = *options_.change->to;
  }
  if (order == Order::kSeqCst) {
    Action action;
    action.kind = Kind::kFence;
    action.order = order;
    perform(action);
    return;
  }
  if (acquires(order)) memory_.acquire(current_);
  if (releases(order)) memory_.release(current_);
}

void Machine::touch(Touch touch, const void* address, std::size_t bytes) {
  const Stop stop;
  if (!shadow_.watches(address)) return;
  if (touch == Touch::kWrite) {
    shadow_.keep(const_cast<void*>(address), bytes);
    const auto* begin = static_cast<const std::byte*>(address);
    for (const auto& [object, number] : objects_) {
      if (object >= begin && object < begin + bytes) fail("a plain write to " + label_of(object));
    }
  }
  if (!shadow_.touch(current_, memory_.times(current_), touch, address, bytes)) {
    std::ostringstream text;
    text << "a plain " << (touch == Touch::kWrite ? "write of " : "read of ") << bytes << " bytes at " << address
         << " races";
    for (const auto& [begin, length] : execution_->shared) {
      const auto offset = static_cast<const std::byte*>(address) - static_cast<const std::byte*>(begin);
      if (offset >= 0 && static_cast<std::size_t>(offset) < length) text << ", offset " << offset;
    }
    fail(text.str());
  }
}

/// What threads sleep on is shared.
void Machine::share_word(void* word) {
  Touched& touched = touched_[word];
  if (touched.by_others && touched.written) return;
  touched = {current_, true, true};
  leave(End::kNewShared);
}

bool Machine::futex_wait(void* word, std::uint32_t expected) {
  const Stop stop;
  share_word(word);
  Action action;
  action.kind = Kind::kFutexWait;
  action.object = object_of(word, sizeof expected);
  if (perform(action) != expected) return false;
  self().state = State::kInFutex;
  schedule();
  return true;
}

void Machine::futex_wake(void* word) {
  const Stop stop;
  share_word(word);
  Action action;
  action.kind = Kind::kFutexWake;
  action.object = object_of(word, sizeof(std::uint32_t));
  perform(action);
  for (Thread& thread : threads_) {
    if (thread.state != State::kInFutex || thread.next.object != action.object) continue;
    thread.state = State::kReady;
    thread.next = Action();
  }
}

bool Machine::barrier() {
  const Stop stop;
  if (!options_.membarrier) return false;
  const Site site{self().name, Kind::kBarrier, Order::kSeqCst};
  sites_.insert(site);
  if (options_.change && options_.change->site == site) return true;
  Action action;
  action.kind = Kind::kBarrier;
  perform(action);
  self().state = State::kInBarrier;
  schedule();
  memory_.fence(current_);
  trace(step_, 0);
  return true;
}

void Machine::look_again() {
  const Stop stop;
  Action action;
  action.kind = Kind::kLookAgain;
  perform(action);
}

void Machine::trace(const Step& step, std::uint64_t value) {
  if (!traced_) return;
  std::ostringstream text;
  text << "  " << threads_[static_cast<std::size_t>(step.thread)].name << ": " << weak::name(step.kind);
  if (step.object >= 0) text << ' ' << labels_[static_cast<std::size_t>(step.object)];
  if (step.message >= 0 && step.kind != Kind::kStore) text << ", sees " << value;
  if (step.kind == Kind::kStore) text << ' ' << value;
  if (step.writes && step.kind == Kind::kModify) text << ", writes";
  course_ += text.str() + "\n";
}

}  // namespace starling::weak
