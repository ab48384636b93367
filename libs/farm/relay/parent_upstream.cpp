// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parent_upstream.hpp"

#include <stdexcept>

#include "gather.hpp"

namespace starling::farm {
namespace {

constexpr std::size_t kMostResultsAtOnce = 4096;

}  // namespace

void throw_server_is_dead() {
  throw std::runtime_error(
      "farm: the process of Input and Output is dead; with a journal, --resume goes on from there");
}

ParentUpstream::ParentUpstream(const RelayContext& context)
    : context_(context), ancestors_(context.tree.ancestors(context.neighbors.rank())) {
  context_.neighbors.listen_to(ancestors_.front(), Neighbors::kParent);
}

void ParentUpstream::send(std::shared_ptr<const Buffer> message) {
  if (!ancestors_.empty()) context_.neighbors.send(ancestors_.front(), std::move(message));
}

void ParentUpstream::tell_threads(bool joining) {
  const std::uint64_t threads = context_.threads();
  if (context_.children.stopping() || (!context_.children.all_joined() && threads_told_ == 0)) return;
  if (threads_told_ == threads && !joining) return;
  Hello hello{threads, context_.slate.name(), {}};
  if (joining) hello.held.assign(unanswered_.begin(), unanswered_.end());
  send(make_hello(hello));
  threads_told_ = threads;
}

void ParentUpstream::take_tasks(const std::shared_ptr<const Buffer>& message) {
  Tasks tasks = tasks_of(message);
  for (const Task& task : tasks) unanswered_.insert(task.number);
  context_.ready.put(tasks);
}

bool ParentUpstream::send_results() {
  if (ancestors_.empty()) return false;
  Tasks results;
  context_.done.try_take(results, kMostResultsAtOnce);
  const Clock::time_point now = Clock::now();
  if (!results_wait()) gathered_since_ = now;
  for (const Task& result : results) {
    const Slice& packed = result.value.as<Slice>();
    gathered_.add(result, [&](Buffer& bytes) { bytes.append(packed.data(), packed.size); });
    unanswered_.erase(result.number);
    if (gathered_.size() >= kLargeMessage) flush();
  }
  if (!results_wait() || !context_.neighbors.idle(ancestors_.front())) return !results.empty();
  const Gathered gathered{gathered_.count(), gathered_.size(), now - gathered_since_, unanswered_.size(),
                          context_.threads()};
  if (!shall_go_up(context_.options.gather, gathered)) return !results.empty();
  flush();
  return true;
}

void ParentUpstream::flush() {
  send(gathered_.finish());
  gathered_ = Message(MessageKind::kResults);
}

bool ParentUpstream::give_back(MessageKind kind, const Tasks& tasks) {
  if (tasks.empty()) return true;
  Message message(kind);
  for (const Task& task : tasks) {
    message.add(task, [](Buffer&) {});
    unanswered_.erase(task.number);
  }
  send(message.finish());
  return true;
}

void ParentUpstream::on_no_threads() {
  Tasks all;
  context_.ready.try_take(all, context_.ready.size());
  give_back(MessageKind::kBack, all);
}

void ParentUpstream::drain() { send(make_word(MessageKind::kDrain)); }

void ParentUpstream::grow() {
  if (!context_.children.stopping()) send(make_word(MessageKind::kGrow));
}

void ParentUpstream::tell_loss(int rank) { send(make_list(MessageKind::kLost, std::vector<int>{rank})); }

bool ParentUpstream::on_death(int peer) {
  if (ancestors_.empty() || peer != ancestors_.front()) return false;
  ancestors_.erase(ancestors_.begin());
  if (context_.children.stopping()) {
    ancestors_.clear();
    return true;
  }
  if (ancestors_.empty()) throw_server_is_dead();
  context_.neighbors.listen_to(ancestors_.front(), Neighbors::kParent);
  tell_threads(true);
  return true;
}

void ParentUpstream::say_bye(const std::vector<NodeReport>& reports) { send(make_list(MessageKind::kBye, reports)); }

}  // namespace starling::farm
