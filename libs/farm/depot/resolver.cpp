// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resolver.hpp"

#include <algorithm>
#include <utility>

namespace starling::farm {

void Resolver::resolve(Tasks& chunk) {
  if (std::none_of(chunk.begin(), chunk.end(), [](const Task& task) { return task.away; })) return;
  std::vector<std::shared_ptr<Request>> own;
  std::size_t open = 0;
  std::unique_lock lock(mutex_);
  for (Task& task : chunk) {
    if (!task.away) continue;
    own.push_back(std::make_shared<Request>(Request{parcel_of(task.value.as<Slice>()), &task, &open}));
    if (!stopped_) new_.push_back(own.back());
    ++open;
  }
  if (!stopped_) bell_.ring();
  answered_.wait(lock, [&] { return stopped_ || open == 0; });
  for (const auto& each : own) each->open = nullptr;
  for (Task& task : chunk) {
    if (std::exchange(task.away, false)) task.state = TaskState::kGone;
  }
}

bool Resolver::serve(Depot& depot) {
  std::vector<std::shared_ptr<Request>> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(new_);
  }
  for (const auto& each : all) {
    depot.ask(each->parcel, Depot::What::kPiece, [this, each](const Slice* bytes) { answer(*each, bytes); });
  }
  return !all.empty();
}

void Resolver::answer(Request& request, const Slice* bytes) {
  const std::lock_guard lock(mutex_);
  if (request.open == nullptr) return;
  Task& task = *request.task;
  task.away = false;
  if (bytes != nullptr) {
    task.value = Value(*bytes);
  } else {
    task.state = TaskState::kGone;
  }
  if (--*request.open == 0) answered_.notify_all();
}

void Resolver::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  new_.clear();
  answered_.notify_all();
}

}  // namespace starling::farm
