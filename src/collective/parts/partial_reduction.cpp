// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/partial_reduction.hpp"

#include <new>

#include "collective/choose/shape.hpp"

namespace starling::collective {

PartialReduction::PartialReduction(Call& call, const Arguments& a, SharedBuffer& shared, void* into)
    : call_(call),
      a_(a),
      shared_(shared),
      type_(*a.receive_type),
      into_(into),
      k_(shared.next()),
      bytes_(a.receive_count * type_.size()),
      by_message_(!call.node_memory().has_segments() || !dense(type_) || bytes_ > shared.segment_bytes()),
      combining_(call, into ? into : input(a), a.receive_count, type_) {}

Offer& PartialReduction::offer_of(std::int32_t rank) noexcept {
  return *std::launder(reinterpret_cast<Offer*>(shared_.flag(rank, k_).payload));
}

void PartialReduction::put_into_segment() {
  if (by_message_ || segment_ != kNoSegment) return;
  segment_ = call_.rank();
  put(shared_.data(segment_, k_, bytes_), input(a_), a_.receive_count, type_);
}

ResultPlace PartialReduction::place() {
  put_into_segment();
  return {by_message_ ? call_.rank() : segment_, by_message_, bytes_};
}

bool PartialReduction::leave(std::int32_t& other) {
  put_into_segment();
  Flag& flag = shared_.flag(call_.rank(), k_);
  auto* offer = new (flag.payload) Offer;
  offer->segment = by_message_ ? Offer::kByMessage : segment_;
  offer->contributions = contributions_;
  flag.bytes = bytes_;
  other = shared_.wait_or_take(k_);
  return other < 0;
}

void PartialReduction::combine_segment(std::int32_t segment) {
  std::byte* theirs = shared_.data(segment, k_, bytes_);
  if (into_) {
    call_.reduce(theirs, into_, a_.receive_count, type_);
  } else if (segment_ == kNoSegment) {  // no copy of the own input is needed: the segment is this rank's now
    call_.reduce(input(a_), theirs, a_.receive_count, type_);
    segment_ = segment;
  } else {
    call_.reduce(theirs, shared_.data(segment_, k_, bytes_), a_.receive_count, type_);
  }
}

Task combine(Call& call, PartialReduction& partial, std::int32_t from) {
  Offer& offer = partial.offer_of(from);
  const std::int64_t theirs = partial.shared_.flag(from, partial.k_).bytes;
  const std::int32_t contributions = offer.contributions;
  const std::int32_t segment = offer.segment;
  compare_bytes(call, from, theirs, partial.bytes_);
  if (segment == Offer::kByMessage) {
    void* incoming = partial.combining_.incoming();
    // release: nothing rides along, but the other's send follows what this rank has done.
    offer.taker.store(call.rank() + 1, std::memory_order_release);
    partial.shared_.ring(from);
    if (incoming) {
      co_await call.receive(incoming, partial.a_.receive_count, partial.type_, from);
      partial.combining_.append();
    }
  } else if (theirs == partial.bytes_ && !partial.by_message_) {
    partial.combine_segment(segment);
  }
  partial.contributions_ += contributions;
}

Task hand_over(Call& call, PartialReduction& partial) {
  if (!partial.by_message()) co_return;
  Offer& offer = partial.offer_of(call.rank());
  co_await call.until([&offer] { return offer.taker.load(std::memory_order_acquire) != 0; });
  const std::int32_t taker = offer.taker.load(std::memory_order_relaxed) - 1;
  const Arguments& a = call.arguments();
  co_await call.send(partial.current(), a.receive_count, *a.receive_type, taker);
}

double arrival_order_cost(const Shape& shape, const Machine& machine) noexcept {
  const auto bytes = static_cast<double>(shape.bytes);
  const bool by_message = !shape.has_segments || !shape.dense || shape.bytes > shape.segment_bytes;
  const double meets = 2 * machine.line_ns;
  const double added = by_message ? machine.message(bytes) + bytes * machine.reduce_byte_ns
                                  : bytes * (machine.copy_byte_ns + machine.fold_byte_ns);
  if (shape.late) return meets + added + (shape.ranks > machine.cores ? machine.turn_ns : 0);
  const double left = by_message ? 0 : bytes * machine.copy_byte_ns * machine.share(shape.ranks);
  return left + log2_ceil(shape.ranks) * (meets + added * machine.share(shape.ranks) + machine.wait(shape.ranks));
}

}  // namespace starling::collective
