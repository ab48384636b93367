// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "workers.hpp"

#include <algorithm>
#include <exception>

#include "task/error_text.hpp"

namespace starling::farm {
namespace {

constexpr std::uint64_t kChunkNs = 50'000;
constexpr std::uint64_t kLongChunkNs = 4 * kChunkNs;
constexpr std::size_t kLargestChunk = 256;
constexpr std::uint64_t kGatherNs = 500'000;  ///< Of the time in which that many results come.
constexpr std::uint64_t kMostGathered = 1024;
constexpr std::uint64_t kShortTaskNs = 500;
constexpr std::size_t kShortTasks = 8;

/// Writes on the slate while it lives. Relaxed: it is read after the death of this process.
class AtTask {
 public:
  AtTask(std::atomic<std::uint64_t>& slot, std::uint64_t number) : slot_(slot) {
    slot_.store(number + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // not after what may end the process
  }
  ~AtTask() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    slot_.store(0, std::memory_order_relaxed);
  }
  AtTask(const AtTask&) = delete;
  AtTask& operator=(const AtTask&) = delete;

 private:
  std::atomic<std::uint64_t>& slot_;
};

}  // namespace

Workers::Workers(Program& program, Queue& ready, Queue& done, Slate& slate, const Setting& setting)
    : program_(program), ready_(ready), done_(done), slate_(slate), setting_(setting) {
  start(setting.threads);
}

void Workers::start(int threads) {
  threads_now_.fetch_add(threads, std::memory_order_relaxed);
  for (int i = 0; i < threads; ++i) {
    const auto thread = static_cast<int>(counts_.size());
    const std::shared_ptr<Count> count = counts_.emplace_back(std::make_shared<Count>());
    count->slot = slate_.slot(counts_.size() - 1);
    {
      const std::lock_guard lock(mutex_);
      ++running_;
    }
    threads_.emplace_back([this, thread, count] { loop(thread, *count); });
  }
}

void Workers::join() {
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool Workers::join_for(std::chrono::milliseconds time) {
  {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, time, [this] { return running_ == 0; })) return false;
  }
  join();
  return true;
}

void Workers::loop(int thread, Count& count) {
  std::unique_ptr<Calculator> calculator;
  std::string broken;
  try {
    calculator = program_.calculator({setting_.rank, thread});
  } catch (...) {
    broken = "setting up Calculate failed: " + text_of(std::current_exception());
  }
  const std::size_t sharers = 2 * static_cast<std::size_t>(threads());
  Tasks chunk;
  while (ready_.take(chunk, chunk_size(), sharers)) {
    if (setting_.fetch) setting_.fetch(chunk);
    count.chunk = &chunk;
    finish(chunk, work(calculator.get(), broken, chunk, count));
  }
  const std::lock_guard lock(mutex_);
  --running_;
  ended_.notify_all();
}

/// So many of a chunk have been calculated.
void Workers::finish(Tasks& chunk, std::size_t finished) {
  if (finished < chunk.size()) give_back(chunk, finished);
  try_again_later(chunk);
  if (setting_.results == Results::kPacked) pack(chunk);
  done_.put(chunk);
}

/// What was not begun goes back to where it came from.
void Workers::give_back(Tasks& chunk, std::size_t finished) {
  const auto rest = chunk.begin() + static_cast<std::ptrdiff_t>(finished);
  Tasks back(std::make_move_iterator(rest), std::make_move_iterator(chunk.end()));
  chunk.resize(finished);
  ready_.put_first(back);
}

/// What failed and may be tried again goes to the end of the queue.
void Workers::try_again_later(Tasks& chunk) {
  const auto shall_be = [](const Task& task) { return task.state == TaskState::kInput; };
  if (std::none_of(chunk.begin(), chunk.end(), shall_be)) return;
  Tasks again;
  std::erase_if(chunk, [&](Task& task) {
    if (!shall_be(task)) return false;
    again.push_back(std::move(task));
    return true;
  });
  ready_.put(again);
}

/// Calculates a chunk from its front, and stops early where it takes much longer than expected. Returns how many are
/// done.
std::size_t Workers::work(Calculator* calculator, const std::string& broken, Tasks& chunk, Count& count) {
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  std::size_t finished = 0;
  // Tasks that take about as long as reading the clock share a reading.
  const std::size_t group = mean_ns_.load(std::memory_order_relaxed) < kShortTaskNs ? kShortTasks : 1;
  while (finished < chunk.size() && ns_between(start, before) <= kLongChunkNs) {
    const std::size_t first = finished;
    const std::size_t end = std::min(finished + group, chunk.size());
    while (finished < end) run_one(calculator, broken, chunk[finished++], count);
    const Clock::time_point now = Clock::now();
    for (std::size_t i = first; i < end; ++i) chunk[i].cost_ns = ns_between(before, now) / (end - first);
    before = now;
  }
  const std::uint64_t spent_ns = ns_between(start, before);
  count.tasks += finished;
  count.busy_ns += spent_ns;
  learn(spent_ns, finished);
  return finished;
}

void Workers::run_one(Calculator* calculator, const std::string& broken, Task& task, Count& count) const {
  if (task.state == TaskState::kGone) return;
  std::string error = broken;
  if (calculator != nullptr) {
    try {
      if (task.value.holds<Slice>()) task.value = program_.unpack_in(task.value.as<Slice>());
      task.value = calculate(*calculator, task, count);
      task.state = TaskState::kResult;
      return;
    } catch (...) {
      error = text_of(std::current_exception());
    }
  }
  ++count.failures;
  if (++task.failures >= setting_.attempts) {
    task.state = TaskState::kFailed;
    task.value = Value(std::move(error));
  }
}

Value Workers::calculate(Calculator& calculator, Task& task, Count& count) {
  const CurrentTask::Shown shown(count.current, task);
  if (count.slot == nullptr) return calculator.calculate(task.value);
  const AtTask at(*count.slot, task.number);
  return calculator.calculate(task.value);
}

void Workers::copy_stragglers(const std::function<bool(std::uint64_t)>& wanted,
                              const std::function<void(Tasks&)>& each) {
  if (!program_.can_retry()) return;
  for (const std::shared_ptr<Count>& count : counts_) {
    if (count->left_behind) continue;
    Tasks copies;
    count->current.look([&](const Task& task) {
      if (task.failures > 0 || !wanted(task.number)) return;
      auto bytes = std::make_shared<Buffer>();
      program_.pack_in(task.value, *bytes);
      Task& copy = copies.emplace_back();
      copy.number = task.number;
      copy.value = Value(Slice{bytes, 0, bytes->size()});
    });
    if (!copies.empty()) each(copies);
  }
}

void Workers::take_overdue(std::chrono::nanoseconds limit, const std::function<void(Task&&)>& each) {
  const Clock::time_point now = Clock::now();
  for (std::size_t thread = 0; thread < counts_.size(); ++thread) {
    Count& count = *counts_[thread];
    const std::uint64_t shown = count.current.shown();
    if (count.left_behind) continue;
    if (shown != count.watched || shown == 0) {
      count.watched = shown;
      count.watched_since = now;
      continue;
    }
    if (now - count.watched_since <= limit) continue;
    Task overdue;
    const auto take = [&](const Task& task) { leave_behind(thread, task, overdue); };
    if (!count.current.take_away(shown, take)) continue;  // done just now
    start(1);
    each(std::move(overdue));
  }
}

/// What its chunk has before the task is done, and what it has behind it was not begun. The task stays where it is: its
/// thread may look at it for ever.
void Workers::leave_behind(std::size_t thread, const Task& task, Task& copy) {
  Count& count = *counts_[thread];
  count.left_behind = true;
  ++count.failures;
  threads_now_.fetch_sub(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  slate_.leave();
  threads_[thread].detach();
  copy.number = task.number;
  copy.failures = static_cast<std::uint16_t>(task.failures + 1);
  if (program_.can_retry()) {
    auto bytes = std::make_shared<Buffer>();
    program_.pack_in(task.value, *bytes);
    copy.value = Value(Slice{bytes, 0, bytes->size()});
  }
  const auto at = static_cast<std::size_t>(&task - count.chunk->data());
  Tasks rest;
  for (std::size_t i = 0; i < count.chunk->size(); ++i) {
    if (i != at) rest.push_back(std::move((*count.chunk)[i]));
  }
  finish(rest, at);
}

void Workers::pack(Tasks& chunk) const {
  auto bytes = std::make_shared<Buffer>();
  for (Task& task : chunk) {
    const std::size_t offset = bytes->size();
    if (task.state == TaskState::kResult) pack_result(task, *bytes);
    if (task.state == TaskState::kFailed) {
      bytes->append(task.value.as<std::string>().data(), task.value.as<std::string>().size());
    }
    task.value = Value(Slice{bytes, offset, bytes->size() - offset});
  }
}

/// What cannot be packed would not be better packed if it was calculated again.
void Workers::pack_result(Task& task, Buffer& bytes) const {
  const std::size_t before = bytes.size();
  try {
    program_.pack_out(task.value, bytes);
  } catch (...) {
    bytes.shrink(before);
    task.state = TaskState::kFailed;
    ++task.failures;
    task.value = Value("packing the result failed: " + text_of(std::current_exception()));
  }
}

void Workers::learn(std::uint64_t spent_ns, std::size_t count) {
  if (count == 0) return;
  const std::uint64_t old = mean_ns_.load(std::memory_order_relaxed);
  mean_ns_.store((7 * old + spent_ns / count) / 8, std::memory_order_relaxed);
  ready_.set_handful(std::max<std::size_t>(1, chunk_size() / 2));
  // Results wait for more of them, for waking Output takes a core from Calculate; it looks by itself soon.
  const std::uint64_t mean_ns = mean_ns_.load(std::memory_order_relaxed) + 1;
  done_.set_handful(static_cast<std::size_t>(
      std::clamp<std::uint64_t>(kGatherNs * static_cast<std::uint64_t>(threads()) / mean_ns, 1, kMostGathered)));
}

std::size_t Workers::chunk_size() const {
  return std::clamp<std::size_t>(kChunkNs / (mean_ns_.load(std::memory_order_relaxed) + 1), 1, kLargestChunk);
}

NodeReport Workers::report() const {
  NodeReport report;
  report.rank = setting_.rank;
  report.threads = threads();
  for (const std::shared_ptr<Count>& count : counts_) {
    report.tasks += count->tasks;
    report.failures += count->failures;
    report.left_behind += count->left_behind ? 1 : 0;
    report.busy_s += static_cast<double>(count->busy_ns) * 1e-9;
  }
  report.wall_s = s_between(started_, Clock::now());
  return report;
}

}  // namespace starling::farm
