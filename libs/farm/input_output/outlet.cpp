// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "outlet.hpp"

#include "base/format.hpp"

namespace starling::farm {

void Deliveries::put(Delivery&& delivery) {
  {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(delivery));
  }
  wake_.notify_one();
  if (bell_ != nullptr) bell_->ring();
}

std::vector<Delivery> Deliveries::try_take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(all_, {});
}

std::vector<Delivery> Deliveries::take() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopped_ || !all_.empty(); });
  if (stopped_) return {};
  return std::exchange(all_, {});
}

void Deliveries::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
}

Outlet::Outlet(Program& program, Journal& journal, Place place, const Options& options, const std::string& journal_path,
               const std::function<void(const TaskName&)>& each)
    : program_(program), journal_(journal) {
  std::uint64_t last_mark = 0;
  if (!options.journal.empty()) {
    journal_.open(journal_path, options.start, [&](const TaskName& name, std::uint64_t mark) {
      each(name);
      last_mark = mark;
    });
  }
  if (journal_.is_open()) {
    const bool resumed = options.start == Start::kResume;
    call_ = !program_.has_mark() ? detail::OutputCall::kNotedWithoutMark
            : resumed            ? detail::OutputCall::kResumed
                                 : detail::OutputCall::kNoted;
  }
  program_.start_output(place);
  if (options.start == Start::kResume) program_.resume(last_mark);
}

void Outlet::take(Task& result, const TaskName& name) {
  const detail::InOutputCall in_call(call_);
  program_.take(result.value, {name.number(), static_cast<int>(name.input())});
  if (journal_.is_open()) journal_.note(name, program_.mark());
}

void Outlet::start(std::function<void(std::uint64_t)> taken, std::function<void(std::exception_ptr)> failed) {
  thread_ = std::jthread([this, taken = std::move(taken), failed = std::move(failed)] {
    try {
      run(taken);
    } catch (...) {
      failed(std::current_exception());
    }
  });
}

void Outlet::run(const std::function<void(std::uint64_t)>& taken) {
  for (;;) {
    std::vector<Delivery> batch = deliveries_.take();
    if (batch.empty()) break;
    for (Delivery& delivery : batch) {
      take(delivery.result, delivery.name);
      taken(delivery.result.number);
    }
  }
  journal_.sync();
}

void Outlet::stop() {
  deliveries_.stop();
  if (thread_.joinable()) thread_.join();
}

std::string journal_path_of(const Options& options, int index) { return formatted("{}.{}", options.journal, index); }

}  // namespace starling::farm
