// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

#include <memory>

#include "population/array_core.hpp"

namespace starling::array::detail {

namespace {

/// Between an element, or null for main, and an element of array `to`.
void count_traffic(Entry* from, ArrayCore& to, const Index& index, std::size_t bytes) {
  const bool is_of_this = from != nullptr && from->array == &to.elements();
  if (is_of_this && from->index == index) return;
  if (from != nullptr && from->array->array().balancer().is_measuring_links()) {
    from->extra().links.count(to.number(), index, bytes);
  }
  if (!is_of_this && to.balancer().is_measuring_links()) to.balancer().count_visit(index, bytes);
}

}  // namespace

void count_link(Futures& futures, ArrayCore& to, const Index& index, std::uint32_t reply, std::size_t bytes) {
  Entry* from = to.host().running();
  if (reply != 0) {
    ArrayCore* caller = from != nullptr ? &from->array->array() : nullptr;
    futures.note_call(reply, {caller, from != nullptr ? from->index : Index(), &to, index});
  }
  count_traffic(from, to, index, bytes);
}

/// Where the caller is gone, with its links, nobody counts.
void count_reply(Futures& futures, std::uint32_t slot, std::size_t bytes) {
  const std::unique_ptr<Futures::Call> call = futures.take_call(slot);
  if (call == nullptr) return;
  Entry* from = call->from != nullptr ? call->from->elements().find_here(call->caller) : nullptr;
  if (call->from == nullptr || from != nullptr) count_traffic(from, *call->to, call->called, bytes);
}

}  // namespace starling::array::detail
