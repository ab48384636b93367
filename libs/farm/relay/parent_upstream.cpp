// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parent_upstream.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "gather.hpp"

namespace starling::farm {
namespace {

constexpr std::size_t kMostResultsAtOnce = 4096;

}  // namespace

void throw_server_is_dead() {
  throw std::runtime_error(
      "farm: the process of Input and Output is dead; with a journal, --resume goes on from there");
}

/// A spare in a dead one's place does not wait for those below: they may have work from others.
ParentUpstream::ParentUpstream(const RelayContext& context)
    : context_(context), joined_(context.neighbors.deaths(context.neighbors.rank()) > 0) {
  const TreeNode& here = context.tree.nodes[static_cast<std::size_t>(context.neighbors.rank())];
  add(here.parent);
  for (const int parent : here.further_parents) add(parent);
}

ParentUpstream::Above ParentUpstream::above_of(int process) const {
  Above above;
  above.way = context_.tree.ancestors(process);
  above.way.insert(above.way.begin(), process);
  return above;
}

void ParentUpstream::add(int parent) {
  Above& above = above_.emplace_back(above_of(parent));
  above.order = above_.size() - 1;
  context_.neighbors.listen_to(parent, Neighbors::kParent);
}

void ParentUpstream::on_replaced(int place) {
  const int rank = context_.neighbors.rank();
  const TreeNode& here = context_.tree.nodes[static_cast<std::size_t>(rank)];
  std::vector<int> parents = here.further_parents;
  parents.insert(parents.begin(), here.parent);
  const std::vector<int> way = context_.tree.ancestors(rank);
  const auto order_in = [](const std::vector<int>& all, int which) {
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), which) - all.begin());
  };
  Above above = above_of(place);
  above.order = order_in(parents, place);
  above.is_parent = above.order < parents.size();
  if (!above.is_parent) above.order = order_in(way, place);
  if (!above.is_parent && above.order == way.size()) return;  // not above
  const auto nearer = [&](const Above& other) {
    if (other.is_parent || above.is_parent) return other.is_parent && (!above.is_parent || other.order < above.order);
    return !other.way.empty() && order_in(way, other.way.front()) < above.order;
  };
  above_.insert(std::find_if_not(above_.begin(), above_.end(), nearer), std::move(above));
  context_.neighbors.listen_to(place, Neighbors::kParent);
}

ParentUpstream::Above& ParentUpstream::nearest() {
  const auto found = std::find_if(above_.begin(), above_.end(), [](const Above& above) { return above.is_parent; });
  return found != above_.end() ? *found : above_.front();
}

ParentUpstream::Above& ParentUpstream::answer(std::uint64_t number) {
  for (Above& above : above_) {
    if (above.unanswered.erase(number) > 0) return above;
  }
  return nearest();
}

void ParentUpstream::send(const Above& above, std::shared_ptr<const Buffer> message) {
  if (!above.way.empty()) context_.neighbors.send(above.way.front(), std::move(message));
}

void ParentUpstream::tell_threads(bool joining) {
  for (Above& above : above_) join(above, joining && above.joined);
}

/// anew: it has just taken the place of one that died.
void ParentUpstream::join(Above& above, bool anew) {
  const std::uint64_t threads = &above == &nearest() ? context_.threads() : 0;
  if (context_.children.stopping() || (!joined_ && !context_.children.all_joined())) return;
  if (above.joined && above.threads_told == threads && !anew) return;
  Hello hello{threads, context_.slate.name(), {}};
  hello.held.assign(above.unanswered.begin(), above.unanswered.end());
  if (!anew) hello.held.clear();
  if (anew && above.joined) hello.held.push_back(kNoTask);
  send(above, make_hello(hello));
  above.threads_told = threads;
  above.joined = joined_ = true;
}

void ParentUpstream::take_tasks(int parent, const std::shared_ptr<const Buffer>& message) {
  Tasks tasks = tasks_of(message);
  for (Above& above : above_) {
    if (above.way.empty() || above.way.front() != parent) continue;
    for (const Task& task : tasks) above.unanswered.insert(task.number);
  }
  std::erase_if(tasks, [&](Task& task) {
    if (!task.away) return false;
    if (!context_.children.stopping()) context_.fetch(std::move(task));
    return true;
  });
  context_.ready.put(tasks);
}

bool ParentUpstream::results_wait() const {
  return std::any_of(above_.begin(), above_.end(), [](const Above& above) { return above.gathered.count() > 0; });
}

bool ParentUpstream::send_results() {
  Tasks results;
  context_.done.try_take(results, kMostResultsAtOnce);
  const Clock::time_point now = Clock::now();
  for (Task& result : results) {
    Above& above = answer(result.number);
    if (above.gathered.count() == 0) above.gathered_since = now;
    if (stays_here(result, above)) {
      result.value = Value(context_.depot.keep(result.number | kResultKey, result.value.as<Slice>()));
      result.away = true;
    }
    const Slice& packed = result.value.as<Slice>();
    above.gathered.add(result, [&](Buffer& bytes) { bytes.append(packed.data(), packed.size); });
    if (above.gathered.size() >= kLargeMessage) flush(above);
  }
  bool busy = !results.empty();
  for (Above& above : above_) busy |= flush_if_enough(above);
  return busy;
}

/// A large result that would go to the server.
bool ParentUpstream::stays_here(const Task& result, const Above& above) const {
  return context_.results_stay && result.state == TaskState::kResult && result.value.as<Slice>().size > kSmallData &&
         !above.way.empty() && above.way.front() == context_.tree.root();
}

bool ParentUpstream::flush_if_enough(Above& above) {
  if (above.gathered.count() == 0 || above.way.empty() || !context_.neighbors.idle(above.way.front())) return false;
  const Gathered gathered{above.gathered.count(), above.gathered.size(), Clock::now() - above.gathered_since,
                          above.unanswered.size(), context_.threads()};
  if (!shall_go_up(context_.options.gather, gathered)) return false;
  flush(above);
  return true;
}

void ParentUpstream::flush(Above& above) {
  send(above, above.gathered.finish());
  above.gathered = Message(MessageKind::kResults);
}

bool ParentUpstream::give_back(MessageKind kind, const Tasks& tasks) {
  std::map<Above*, Message> messages;
  for (const Task& task : tasks) {
    messages.try_emplace(&answer(task.number), kind).first->second.add(task, [](Buffer&) {});
  }
  for (auto& [above, message] : messages) send(*above, message.finish());
  return true;
}

void ParentUpstream::on_no_threads() {
  Tasks all;
  context_.ready.try_take(all, context_.ready.size());
  give_back(MessageKind::kBack, all);
}

void ParentUpstream::drain() { send(nearest(), make_word(MessageKind::kDrain)); }

void ParentUpstream::grow() {
  if (!context_.children.stopping()) send(nearest(), make_word(MessageKind::kGrow));
}

void ParentUpstream::tell_loss(int place, int deaths_before) {
  send(nearest(), make_list(MessageKind::kLost, std::vector<int>{place, deaths_before}));
}

bool ParentUpstream::on_death(int peer) {
  const auto dead = std::find_if(above_.begin(), above_.end(),
                                 [&](const Above& above) { return !above.way.empty() && above.way.front() == peer; });
  if (dead == above_.end()) return false;
  dead->way.erase(dead->way.begin());
  dead->is_parent = false;
  if (context_.children.stopping()) {
    further_up_.insert(dead->way.begin(), dead->way.end());
    dead->way.clear();
    return true;
  }
  if (dead->way.empty()) throw_server_is_dead();
  // More to do first, and then what becomes of what there is.
  const auto index = static_cast<std::size_t>(dead - above_.begin());
  if (nearest().is_parent) join(nearest(), false);
  replace(index);
  tell_threads(false);
  return true;
}

void ParentUpstream::on_stop(int peer) {
  for (Above& above : above_) {
    if (!above.way.empty() && above.way.front() == peer) above.stopped = true;
  }
}

bool ParentUpstream::released() const {
  return std::all_of(above_.begin(), above_.end(), [](const Above& above) {
    return above.stopped || !above.joined || !above.is_parent || above.way.empty();
  });
}

/// Of a process that died: the next one of its way takes its place, if it is not above already.
void ParentUpstream::replace(std::size_t index) {
  Above& above = above_[index];
  for (Above& other : above_) {
    if (&other == &above || other.way.empty() || other.way.front() != above.way.front()) continue;
    other.unanswered.merge(above.unanswered);
    Message gathered = std::exchange(above.gathered, Message(MessageKind::kResults));
    join(other, true);
    if (gathered.count() > 0) send(other, gathered.finish());
    above_.erase(above_.begin() + static_cast<std::ptrdiff_t>(index));
    return;
  }
  context_.neighbors.listen_to(above.way.front(), Neighbors::kParent);
  join(above, true);
}

/// After deaths anybody further up may expect this process, since it has heard of one before the run ended.
void ParentUpstream::say_bye(const std::vector<NodeReport>& reports) {
  const Above* const told = &nearest();
  bool after_deaths = context_.children.after_deaths() || !further_up_.empty();
  for (const Above& above : above_) {
    send(above, make_list(MessageKind::kBye, &above == told ? reports : std::vector<NodeReport>()));
    further_up_.insert(above.way.begin(), above.way.end());
    after_deaths = after_deaths || !above.is_parent;
  }
  if (!after_deaths) return;
  for (const Above& above : above_) {
    if (!above.way.empty()) further_up_.erase(above.way.front());
  }
  for (const int place : further_up_) {
    context_.neighbors.send(place, make_list(MessageKind::kBye, std::vector<NodeReport>()));
  }
}

}  // namespace starling::farm
