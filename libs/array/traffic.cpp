// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Who counts what of a message, for the strategies that weigh links. A message between elements of one array is a link
// of its sender. Of two arrays each that measures hears of it, since elements of the other one stay where they are in
// its balancing step: as a link of the sender, and as a visit at the receiver's array. What main sends is a visit. An
// answer counts as a message of its caller, when it comes.
#include <memory>

#include "core.hpp"

namespace starling::array::detail {

void ArrayCore::count_link(const Index& index, std::uint32_t reply, std::size_t bytes) {
  Entry* from = core_.running();
  if (reply != 0) {
    core_.futures().note_call(
        reply, {from != nullptr ? from->array : nullptr, from != nullptr ? from->index : Index(), this, index});
  }
  count_traffic(from, index, bytes);
}

void ArrayCore::count_traffic(Entry* from, const Index& index, std::size_t bytes) {
  const bool is_of_this = from != nullptr && from->array == this;
  if (is_of_this && from->index == index) return;
  if (from != nullptr && from->array->balancer().is_measuring_links()) {
    from->extra().links.count(number_, index, bytes);
  }
  if (!is_of_this && balancer_.is_measuring_links()) balancer_.count_visit(index, bytes);
}

/// Where the caller is gone, with its links, nobody counts.
void Core::count_reply(std::uint32_t slot, std::size_t bytes) {
  const std::unique_ptr<Futures::Call> call = futures_.take_call(slot);
  if (call == nullptr) return;
  Entry* from = call->from != nullptr ? call->from->find_here(call->caller) : nullptr;
  if (call->from == nullptr || from != nullptr) call->to->count_traffic(from, call->called, bytes);
}

void Balancer::measure_links(bool on) {
  if (on != measures_links_) array_.core().arrays_with_links += on ? 1 : -1;
  measures_links_ = on;
  visits_.clear();
  for (const Entry* each : array_.here()) {
    if (each->extras) each->extras->links.clear();
  }
}

}  // namespace starling::array::detail
