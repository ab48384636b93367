// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "server.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/format.hpp"
#include "progress.hpp"
#include "task/error_text.hpp"

namespace starling::farm {
namespace {

constexpr std::size_t kMostResults = 128;  ///< Before Input is looked after.

}  // namespace

Server::Server(const Options& options, Program& program, const Tree& tree, bool results_stay, Queue& ready, Queue& done,
               Bell& bell)
    : options_(options),
      program_(program),
      ready_(ready),
      done_(done),
      bell_(bell),
      rank_(tree.root()),
      inputs_(tree.inputs()),
      outputs_(tree.outputs()),
      live_inputs_(inputs_.size()) {
  const std::vector<int> here{rank_};
  if (program.has_stages() || inputs_ != here || outputs_ != here) {
    router_ = std::make_unique<Router>(
        Router::Parts{options, program, ready, tally_, journal_, part_, releases_, results_stay}, inputs_);
  }
  for (const auto* ranks : {&inputs_, &outputs_}) {
    std::copy_if(ranks->begin(), ranks->end(), std::inserter(not_ready_, not_ready_.end()),
                 [&](int rank) { return rank != rank_; });
  }
  if (const auto place = tree.input_place(rank_)) inlet_.emplace(program, static_cast<InletHost&>(*this), *place);
  set_up_output();
  gate_ = resumed_;
}

/// The only Output, if it is here, and the run share a journal: there every record has Output's mark.
void Server::set_up_output() {
  const auto each = [this](const TaskName& name) { note_done(name); };
  const bool only_here = outputs_ == std::vector<int>{rank_};
  if (!only_here && !options_.journal.empty()) {
    journal_.open(options_.journal, options_.start, [&](const TaskName& name, std::uint64_t) { each(name); });
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const auto index = static_cast<int>(i);
    if (outputs_[i] != rank_) {
      Deliveries& there = elsewhere_.try_emplace(outputs_[i], &bell_).first->second;
      router_->add({outputs_[i], nullptr, &there});
      continue;
    }
    const Place place{rank_, index, static_cast<int>(outputs_.size())};
    outlet_.emplace(program_, only_here ? journal_ : output_journal_, place, options_,
                    only_here ? options_.journal : journal_path_of(options_, index), each);
    if (router_) router_->add({rank_, &*outlet_, nullptr});
  }
}

void Server::note_done(const TaskName& name) {
  if (name.input() >= inputs_.size()) {
    throw std::runtime_error(
        formatted("farm: the journal names Input number {}, and this run has {}; resume with the same Inputs, or begin "
                  "afresh with "
                  "another journal",
                  name.input(), inputs_.size()));
  }
  if (router_) {
    router_->note_done(name);
  } else {
    resumed_.admit(name.number());
  }
}

Server::~Server() {
  failed_ = true;
  if (inlet_) inlet_->wake();
  done_.stop();
}

void Server::start() {
  if (outlet_ && outputs_.size() > 1) {
    outlet_->start([this](std::uint64_t number) { hear(TaskState::kTaken, {number}); },
                   [this](const std::exception_ptr& error) { fail(error); });
  }
  done_.set_most_handful(1);
  output_ = std::jthread([this] { write(); });
  begin_input();
}

void Server::begin_input() {
  if (not_ready_.empty() && inlet_) inlet_->start();
}

/// Input gives them all something at once: the first result may be long in coming.
void Server::set_threads(std::uint64_t threads) {
  window_.set_threads(threads);
  if (inlet_) inlet_->wake_if_waiting();
}

void Server::stop_input() {
  if (!input_ended_.load()) stopped_early_.store(true);
  if (inlet_) inlet_->wake();
}

void Server::fail(const std::exception_ptr& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    failed_.store(true);
  }
  if (inlet_) inlet_->wake();
  done_.poke();
  bell_.ring();
}

std::uint64_t Server::under_way() const {
  return tally_.created.load(std::memory_order_relaxed) - tally_.settled.load(std::memory_order_relaxed);
}

std::uint64_t Server::room() const {
  if (router_) {
    const std::uint64_t allowed = room_for(rank_).allowed;
    return allowed - std::min(allowed, given_);
  }
  const std::uint64_t limit = window_.limit();
  return limit - std::min(limit, under_way());
}

std::uint64_t Server::much_room() const {
  return std::max<std::uint64_t>(1, window_.limit() / 4 / std::max<std::size_t>(1, live_inputs_.load()));
}

void Server::give(Task&& piece) {
  const std::uint64_t number = given_++;
  if (router_) {
    piece.state = TaskState::kPiece;
    piece.input = static_cast<std::uint16_t>(input_of(rank_));
    return done_.put(std::move(piece));
  }
  if (resumed_.has_admitted(number)) {
    tally_.skipped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  piece.number = number;
  tally_.created.fetch_add(1, std::memory_order_relaxed);
  ready_.put(std::move(piece));
}

void Server::input_has_ended(const std::exception_ptr& error) {
  if (error) fail(error);
  if (router_) {
    port_input_has_ended(rank_);
  } else {
    input_ended_.store(true);
    done_.poke();
  }
  bell_.ring();
}

void Server::write() {
  try {
    write_all();
    if (outlet_) outlet_->stop();
    journal_.sync();
  } catch (...) {
    fail(std::current_exception());
  }
  finished_.store(true);
  bell_.ring();
}

bool Server::complete() const {
  return failed_.load() || (input_ended_.load() && tally_.settled.load() == tally_.created.load());
}

void Server::write_all() {
  std::uint64_t counted = 0;
  Tasks batch;
  while (!complete()) {
    batch.clear();
    if (!done_.take(batch, kMostResults, 1)) return;
    for (Task& task : batch) settle(task);
    if (router_) {
      live_inputs_.store(router_->live_inputs(), std::memory_order_relaxed);
      if (router_->live_inputs() == 0) input_ended_.store(true);
    }
    window_.count(settled() - std::exchange(counted, settled()), Clock::now());
    // After the last piece the results of the rest have ever fewer to wait for.
    done_.set_most_handful(std::max<std::uint64_t>(1, (input_ended_.load() ? under_way() : window_.limit()) / 8));
    if (inlet_ && (router_ || room() >= much_room())) inlet_->wake_if_waiting();
    if (router_) bell_.ring();  // others may wait for room
  }
}

void Server::settle(Task& task) {
  if (failed_.load(std::memory_order_relaxed)) return;
  if (router_) return router_->on_task(task);
  if (!gate_.admit(task.number)) {
    ++part_.duplicates;
    return;
  }
  part_.retries += task.failures - (task.state == TaskState::kFailed ? 1U : 0U);
  if (options_.order == Order::kAny) return deliver(task);
  waiting_.emplace(task.number, std::move(task));
  deliver_in_order();
}

void Server::deliver_in_order() {
  for (;;) {
    if (resumed_.has_admitted(turn_)) {
      ++turn_;
    } else if (!waiting_.empty() && waiting_.begin()->first == turn_) {
      deliver(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++turn_;
    } else {
      return;
    }
  }
}

void Server::deliver(Task& task) {
  if (task.state == TaskState::kFailed) {
    part_.quarantine.push_back({task.number, task.failures, text_of(task)});
  } else {
    note_slow(part_, task.number, task.cost_ns);
    outlet_->take(task, TaskName::of(0, task.number));
    ++part_.tasks;
  }
  tally_.settled.fetch_add(1);
}

std::exception_ptr Server::join(Summary& summary) {
  if (inlet_) inlet_->join();
  if (output_.joinable()) output_.join();
  part_.skipped = tally_.skipped;
  part_.input = inlet_.has_value();
  part_.output = outlet_.has_value();
  part_.drained = stopped_early_;
  if (!stopped_early_ && !error_) part_.not_given = router_ ? router_->not_given() : resumed_.count_from(given_);
  summary = std::move(part_);
  return error_;
}

}  // namespace starling::farm
