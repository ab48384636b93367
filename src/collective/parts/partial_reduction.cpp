// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/partial_reduction.hpp"

#include <new>

#include "collective/choose/shape.hpp"

namespace starling::collective {

Partial::Partial(Call& call, const Arguments& a, Area& area, void* into)
    : call_(call),
      a_(a),
      area_(area),
      type_(*a.receive_type),
      into_(into),
      k_(area.next()),
      bytes_(a.receive_count * type_.size()),
      by_message_(!call.state().slots || !dense(type_) || bytes_ > area.slot_bytes()),
      combining_(call, into ? into : input(a), a.receive_count, type_) {}

Offer& Partial::offer_of(std::int32_t rank) noexcept {
  return *std::launder(reinterpret_cast<Offer*>(area_.line(rank, k_).payload));
}

void Partial::put_into_slot() {
  if (by_message_ || slot_ != kNoSlot) return;
  slot_ = call_.rank();
  put(area_.slot(slot_, k_), input(a_), a_.receive_count, type_);
}

Place Partial::place() {
  put_into_slot();
  return {by_message_ ? call_.rank() : slot_, by_message_, bytes_};
}

bool Partial::leave(std::int32_t& other) {
  put_into_slot();
  Line& line = area_.line(call_.rank(), k_);
  auto* offer = new (line.payload) Offer;
  offer->slot = by_message_ ? Offer::kByMessage : slot_;
  offer->contributions = contributions_;
  line.bytes = bytes_;
  other = area_.wait_or_take(k_);
  return other < 0;
}

void Partial::combine_slot(std::int32_t slot) {
  std::byte* theirs = area_.slot(slot, k_);
  if (into_) {
    call_.reduce(theirs, into_, a_.receive_count, type_);
  } else if (slot_ == kNoSlot) {  // no copy of the own input is needed: the slot is this rank's now
    call_.reduce(input(a_), theirs, a_.receive_count, type_);
    slot_ = slot;
  } else {
    call_.reduce(theirs, area_.slot(slot_, k_), a_.receive_count, type_);
  }
}

Task combine(Call& call, Partial& partial, std::int32_t from) {
  Offer& offer = partial.offer_of(from);
  const std::int64_t theirs = partial.area_.line(from, partial.k_).bytes;
  const std::int32_t contributions = offer.contributions;
  const std::int32_t slot = offer.slot;
  compare_bytes(call, from, theirs, partial.bytes_);
  if (slot == Offer::kByMessage) {
    void* incoming = partial.combining_.incoming();
    // release: nothing rides along, but the other's send follows what this rank has done.
    offer.taker.store(call.rank() + 1, std::memory_order_release);
    partial.area_.ring(from);
    if (incoming) {
      co_await call.receive(incoming, partial.a_.receive_count, partial.type_, from);
      partial.combining_.append();
    }
  } else if (theirs == partial.bytes_ && !partial.by_message_) {
    partial.combine_slot(slot);
  }
  partial.contributions_ += contributions;
}

Task hand_over(Call& call, Partial& partial) {
  if (!partial.by_message()) co_return;
  Offer& offer = partial.offer_of(call.rank());
  co_await call.until([&offer] { return offer.taker.load(std::memory_order_acquire) != 0; });
  const std::int32_t taker = offer.taker.load(std::memory_order_relaxed) - 1;
  const Arguments& a = call.arguments();
  co_await call.send(partial.current(), a.receive_count, *a.receive_type, taker);
}

double as_they_come_cost(const Shape& shape, const Machine& machine) noexcept {
  const auto bytes = static_cast<double>(shape.bytes);
  const bool by_message = !shape.slots || !shape.dense || shape.bytes > shape.slot_bytes;
  const double meets = 2 * machine.line_ns;
  const double added = by_message ? machine.message(bytes) + bytes * machine.reduce_byte_ns
                                  : bytes * (machine.copy_byte_ns + machine.fold_byte_ns);
  if (shape.late) return meets + added + (shape.ranks > machine.cores ? machine.turn_ns : 0);
  const double left = by_message ? 0 : bytes * machine.copy_byte_ns * machine.share(shape.ranks);
  return left + log2_ceil(shape.ranks) * (meets + added * machine.share(shape.ranks) + machine.wait(shape.ranks));
}

}  // namespace starling::collective
