// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "weak_memory/explorer/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace starling::weak {
namespace {

/// Numbers of messages of one thread.
constexpr int kNumbers = 1 << 16;

}  // namespace

void Memory::reset(int threads) {
  objects_.clear();
  threads_.assign(index(threads), Thread());
  for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].now.times[i] = 1;
  fenced_ = {};
  in_futexes_ = {};
}

int Memory::add_object(std::uint64_t value) {
  if (objects_.size() == kMostObjects) {
    std::fputs("weak memory: a model has too many atomic objects\n", stderr);
    std::abort();
  }
  Message first;
  first.value = value;
  objects_.push_back({first});
  return static_cast<int>(objects_.size()) - 1;
}

std::size_t Memory::place_of(int object, int message) const {
  const auto& history = objects_[index(object)];
  std::size_t place = 0;
  while (history[place].number != message) ++place;
  return place;
}

std::size_t Memory::least_place(int thread, const Action& action) const {
  const std::size_t object = index(action.object);
  std::uint16_t least = threads_[index(thread)].now.places[object];
  if (action.order == Order::kSeqCst) least = std::max(least, fenced_[object]);
  if (action.kind == Kind::kFutexWait) least = std::max(least, in_futexes_[object]);
  return least;
}

bool Memory::may_follow(int object, std::size_t place) const {
  const auto& history = objects_[index(object)];
  return place + 1 == history.size() || !history[place + 1].modifies;
}

std::size_t Memory::place_of_news(int thread, int object, int message) const {
  const auto& history = objects_[index(object)];
  for (std::size_t place = place_of(object, message) + 1; place < history.size(); ++place) {
    if (history[place].thread != thread) return place;
  }
  return 0;
}

void Memory::add_steps(int thread, const Action& action, std::vector<Step>* steps) const {
  Step step{thread, action.kind, action.object, -1, false, action.order == Order::kSeqCst};
  const bool touches = action.kind == Kind::kLoad || action.kind == Kind::kStore || action.kind == Kind::kModify ||
                       action.kind == Kind::kFutexWait;
  if (!touches) {
    steps->push_back(step);
    return;
  }
  const auto& history = objects_[index(action.object)];
  for (std::size_t place = least_place(thread, action); place < history.size(); ++place) {
    step.message = history[place].number;
    step.writes = action.kind == Kind::kStore;
    if (action.kind == Kind::kModify) {
      std::uint64_t value = history[place].value;
      step.writes = action.modify(&value);
    }
    if (!step.writes || may_follow(action.object, place)) steps->push_back(step);
  }
}

std::uint64_t Memory::take(const Action& action, const Step& step, bool* written) {
  *written = step.writes;
  const std::size_t object = index(step.object);
  if (step.kind == Kind::kFence) fence(step.thread);
  if (step.kind == Kind::kFutexWake) {
    in_futexes_[object] = std::max(in_futexes_[object], threads_[index(step.thread)].now.places[object]);
  }
  if (step.message < 0) return 0;
  const std::size_t place = place_of(step.object, step.message);
  if (step.kind == Kind::kLookAgain) {
    std::uint16_t& least = threads_[index(step.thread)].now.places[object];
    const std::size_t news = place_of_news(step.thread, step.object, step.message);
    least = std::max(least, static_cast<std::uint16_t>(news));
    return 0;
  }
  std::uint64_t value = action.value;
  if (step.kind == Kind::kStore) {
    write(step.thread, action.order, action.object, place + 1, value, nullptr);
  } else {
    const bool fails = step.kind == Kind::kModify && !step.writes;
    value = read(step.thread, fails ? action.order_of_failure : action.order, action.object, place);
  }
  if (step.kind == Kind::kModify && step.writes) {
    std::uint64_t next = value;
    action.modify(&next);
    const Message modified = objects_[object][place];
    write(step.thread, action.order, action.object, place + 1, next, &modified);
  }
  return value;
}

std::uint64_t Memory::read(int thread, Order order, int object, std::size_t place) {
  Thread& reader = threads_[index(thread)];
  const Message& message = objects_[index(object)][place];
  join(acquires(order) ? reader.now : reader.to_acquire, message.view);
  std::uint16_t& seen = reader.now.places[index(object)];
  seen = std::max(seen, static_cast<std::uint16_t>(place));
  return message.value;
}

void Memory::write(int thread, Order order, int object, std::size_t place, std::uint64_t value,
                   const Message* modified) {
  shift(object, place);
  Thread& writer = threads_[index(thread)];
  const auto here = static_cast<std::uint16_t>(place);
  writer.now.places[index(object)] = here;
  Message message;
  message.number = (thread + 1) * kNumbers + ++writer.messages;
  message.thread = thread;
  message.modifies = modified != nullptr;
  message.value = value;
  message.view = releases(order) ? writer.now : writer.released;
  message.view.places[index(object)] = here;
  // A modification goes on with what was released into the message that it replaces.
  if (modified != nullptr) join(message.view, modified->view);
  if (order == Order::kSeqCst) fenced_[index(object)] = std::max(fenced_[index(object)], here);
  auto& history = objects_[index(object)];
  history.insert(history.begin() + static_cast<std::ptrdiff_t>(place), message);
  ++writer.now.times[index(thread)];
}

/// What is at this place of an object's history or behind it moves one on.
void Memory::shift(int object, std::size_t place) {
  if (place == objects_[index(object)].size()) return;
  const auto move = [&](Places& places) {
    if (places[index(object)] >= place) ++places[index(object)];
  };
  for (auto& history : objects_) {
    for (Message& message : history) move(message.view.places);
  }
  for (Thread& thread : threads_) {
    for (View* view : {&thread.now, &thread.to_acquire, &thread.released}) move(view->places);
  }
  move(fenced_);
  move(in_futexes_);
}

void Memory::acquire(int thread) { join(threads_[index(thread)].now, threads_[index(thread)].to_acquire); }

void Memory::release(int thread) {
  Thread& self = threads_[index(thread)];
  self.released = self.now;
  ++self.now.times[index(thread)];
}

void Memory::fence(int thread) {
  acquire(thread);
  Places& own = threads_[index(thread)].now.places;
  join(own, fenced_);
  fenced_ = own;
  release(thread);
}

}  // namespace starling::weak
