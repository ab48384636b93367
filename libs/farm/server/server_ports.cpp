// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the server hears from the Inputs and Outputs of other processes, and what it has for them.
#include <algorithm>
#include <stdexcept>

#include "base/format.hpp"
#include "server.hpp"

namespace starling::farm {

std::size_t Server::input_of(int rank) const {
  return static_cast<std::size_t>(std::find(inputs_.begin(), inputs_.end(), rank) - inputs_.begin());
}

void Server::port_is_ready(int rank, const std::vector<TaskName>& done_before) {
  for (const TaskName& name : done_before) note_done(name);
  if (not_ready_.erase(rank) > 0) begin_input();
}

void Server::new_pieces(int rank, Tasks& pieces) {
  for (Task& piece : pieces) piece.input = static_cast<std::uint16_t>(input_of(rank));
  done_.put(pieces);
}

void Server::port_input_has_ended(int rank) {
  Task end;
  end.state = TaskState::kInputEnd;
  end.input = static_cast<std::uint16_t>(input_of(rank));
  done_.put(std::move(end));
}

void Server::hear(TaskState of, const std::vector<std::uint64_t>& numbers) {
  Tasks all(numbers.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].number = numbers[i];
    all[i].state = of;
  }
  done_.put(all);
}

void Server::port_has_died(int rank) {
  if (finished()) return;
  const bool has_output = std::count(outputs_.begin(), outputs_.end(), rank) > 0;
  if (not_ready_.contains(rank)) {  // to erase from an empty set is a write, and the Inlet reads it by then (room_for)
    not_ready_.erase(rank);
    if (has_output && options_.start == Start::kResume) {
      return trouble(
          formatted("farm: rank {} died before it told what its Output had taken in the earlier run; --resume goes on "
                    "once it is there",
                    rank));
    }
    begin_input();
  }
  put_death(TaskState::kInputDied, inputs_, rank);
  put_death(TaskState::kOutputDied, outputs_, rank);
}

void Server::put_death(TaskState state, const std::vector<int>& ranks, int rank) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  if (found == ranks.end()) return;
  Task death;
  death.state = state;
  death.input = static_cast<std::uint16_t>(found - ranks.begin());
  done_.put(std::move(death));
}

void Server::trouble(const std::string& text) {
  if (!finished()) fail(std::make_exception_ptr(std::runtime_error(text)));
}

/// What has come, and an equal share of the room that is left.
Server::Room Server::room_for(int rank) const {
  if (!not_ready_.empty()) return {0, 0, 1};
  const std::uint64_t inputs = std::max<std::size_t>(1, live_inputs_.load(std::memory_order_relaxed));
  const std::uint64_t limit = window_.limit();
  const std::uint64_t room = limit - std::min(limit, under_way());
  const std::uint64_t seen = router_->seen(input_of(rank));
  return {seen + (room + inputs - 1) / inputs, seen, much_room()};
}

Deliveries* Server::deliveries_for(int rank) {
  const auto found = elsewhere_.find(rank);
  return found != elsewhere_.end() ? &found->second : nullptr;
}

}  // namespace starling::farm
