// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "port.hpp"

#include "task/error_text.hpp"

namespace starling::farm {
namespace {

constexpr std::size_t kMostPieces = 1024;

}  // namespace

Port::Port(const Options& options, Program& program, const Tree& tree, int rank, Bell& bell)
    : program_(program), bell_(bell), pieces_(&bell), order_(options.order) {
  if (const auto place = tree.input_place(rank)) inlet_.emplace(program, static_cast<InletHost&>(*this), *place);
  const auto place = tree.output_place(rank);
  if (!place) return;
  outlet_.emplace(program, journal_, *place, options, journal_path_of(options, place->index),
                  [&](const TaskName& name) { done_before_.push_back(name); });
  outlet_->start(
      [this](std::uint64_t number) {
        {
          const std::lock_guard lock(mutex_);
          taken_.push_back(number);
        }
        bell_.ring();
      },
      [this](const std::exception_ptr& error) { fail(error); });
}

void Port::fail(const std::exception_ptr& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }
  bell_.ring();
}

std::exception_ptr Port::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void Port::give(Task&& piece) {
  auto bytes = std::make_shared<Buffer>();
  program_.pack_in(piece.value, *bytes);
  const std::size_t size = bytes->size();
  piece.value = Value(Slice{std::move(bytes), 0, size});
  piece.number = given_++;
  piece.state = TaskState::kPiece;
  pieces_.put(std::move(piece));
}

void Port::input_has_ended(const std::exception_ptr& error) {
  if (error) fail(error);
  {
    const std::lock_guard lock(mutex_);
    input_ended_ = true;
  }
  bell_.ring();
}

void Port::allow(std::uint64_t pieces) {
  allowed_.store(pieces, std::memory_order_relaxed);
  if (!inlet_ || over_.load()) return;
  if (!std::exchange(started_, true)) inlet_->start();
  inlet_->wake();
}

void Port::end_input() {
  over_.store(true);
  if (inlet_ && !started_) input_has_ended({});
  if (inlet_) inlet_->wake();
}

void Port::take(const std::shared_ptr<const Buffer>& message, Depot& depot) {
  for (Task& task : tasks_of(message)) take_one(std::move(task), depot);
}

/// One that was missing comes again, or word that it will not come; in the order of Input its place has waited for it.
void Port::take_one(Task&& task, Depot& depot) {
  const std::uint64_t number = task.number;
  if (task.state == TaskState::kFailed) {
    slots_.erase(number);
    return pass_on(number);
  }
  const bool is_new = slots_.insert_or_assign(number, Slot{}).second;
  if (is_new && order_ == Order::kInput) line_.push_back(number);
  Delivery& delivery = slots_.at(number).delivery;
  Slice bytes = task.value.as<Slice>();
  std::memcpy(&delivery.name, bytes.data(), sizeof delivery.name);
  bytes.offset += sizeof delivery.name;
  bytes.size -= sizeof delivery.name;
  const bool away = std::exchange(task.away, false);
  delivery.result = std::move(task);
  if (!away) return fill(number, bytes);
  depot.ask(parcel_of(bytes), Depot::What::kResult, [this, number](const Slice* data) {
    if (data != nullptr) {
      fill(number, *data);
    } else {
      miss(number);
    }
  });
}

void Port::fill(std::uint64_t number, const Slice& bytes) {
  Slot& slot = slots_.at(number);
  slot.delivery.result.value = Value(bytes);
  slot.here = true;
  pass_on(number);
}

void Port::miss(std::uint64_t number) {
  missing_.push_back(number);
  if (order_ == Order::kAny) slots_.erase(number);
}

void Port::pass_on(std::uint64_t number) {
  const auto give = [&](std::map<std::uint64_t, Slot>::iterator slot) {
    outlet_->put(std::move(slot->second.delivery));
    slots_.erase(slot);
  };
  if (order_ == Order::kAny) {
    const auto slot = slots_.find(number);
    if (slot != slots_.end() && slot->second.here) give(slot);
    return;
  }
  for (; !line_.empty(); line_.pop_front()) {
    const auto slot = slots_.find(line_.front());
    if (slot == slots_.end()) continue;
    if (!slot->second.here) return;
    give(slot);
  }
}

bool Port::send(Neighbors& neighbors, Depot& depot, int server) {
  bool busy = false;
  if (!std::exchange(told_done_, true)) {
    neighbors.send(server, make_list(MessageKind::kReady, std::exchange(done_before_, {})));
    busy = true;
  }
  std::vector<std::uint64_t> taken;
  std::exception_ptr error;
  bool input_ended = false;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(taken_);
    if (error_ && !std::exchange(error_told_, true)) error = error_;
    input_ended = input_ended_ && !std::exchange(input_end_told_, input_ended_);
  }
  if (!taken.empty()) neighbors.send(server, make_list(MessageKind::kTaken, taken)), busy = true;
  while (send_pieces(neighbors, depot, server)) busy = true;
  if (!missing_.empty()) {
    neighbors.send(server, make_list(MessageKind::kMissing, std::exchange(missing_, {})));
    busy = true;
  }
  if (error) neighbors.send(server, make_text(MessageKind::kTrouble, text_of(error))), busy = true;
  if (input_ended) neighbors.send(server, make_word(MessageKind::kInputEnd)), busy = true;
  return busy;
}

/// What is large stays here.
bool Port::send_pieces(Neighbors& neighbors, Depot& depot, int server) {
  Tasks pieces;
  pieces_.try_take(pieces, kMostPieces);
  if (pieces.empty()) return false;
  Message message(MessageKind::kPieces);
  for (Task& piece : pieces) {
    piece.away = piece.value.as<Slice>().size > kSmallData;
    if (piece.away) piece.value = Value(depot.keep(piece.number, piece.value.as<Slice>()));
    const Slice& bytes = piece.value.as<Slice>();
    message.add(piece, [&](Buffer& to) { to.append(bytes.data(), bytes.size); });
  }
  neighbors.send(server, message.finish());
  return true;
}

void Port::close() {
  end_input();
  if (inlet_) inlet_->join();
  if (outlet_) outlet_->stop();
}

}  // namespace starling::farm
