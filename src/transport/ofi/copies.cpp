// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/copies.hpp"

#include <algorithm>
#include <utility>

namespace starling::transport::ofi {

namespace {

constexpr std::uint32_t kAdvancesBetweenLooks = 64;

}  // namespace

CopyOffer Copies::offer(Address to, const void* source, std::uint64_t bytes, Withdrawal withdrawal) {
  if (bytes == 0 || withdrawal == Withdrawal::kPossible || fabric_.longest_read() == 0) return {};
  if (!host_.has_room(to)) return {};  // it would be registered once more at each attempt
  // What others read is not written.
  auto memory = fabric_.register_memory(const_cast<void*>(source), bytes, Fabric::Access::kReadByOthers);
  if (!memory) return {};
  const CopyOffer made{{memory->address, memory->key}};
  // Providers that keep registrations give one key to all memory within one; an equal offer is one of the same memory.
  if (made.is_none() || outgoing(to, made) != nullptr) return {};
  outgoing_.push_back({to, made, std::move(memory)});
  return made;
}

Copies::Outgoing* Copies::outgoing(Address to, const CopyOffer& offer) noexcept {
  const auto found =
      std::ranges::find_if(outgoing_, [&](const Outgoing& each) { return each.to == to && each.offer == offer; });
  return found != outgoing_.end() ? &*found : nullptr;
}

Copies::Incoming* Copies::incoming(Address from, const CopyOffer& offer) noexcept {
  const auto found =
      std::ranges::find_if(incoming_, [&](const auto& each) { return each->from == from && each->offer == offer; });
  return found != incoming_.end() ? found->get() : nullptr;
}

CopyState Copies::help(Address to, const CopyOffer& offer) {
  const Outgoing* const copy = outgoing(to, offer);
  if (copy == nullptr || !copy->copied) return CopyState::kWaiting;
  withdraw(to, offer);
  return CopyState::kDone;
}

void Copies::withdraw(Address to, const CopyOffer& offer) {
  std::erase_if(outgoing_, [&](const Outgoing& each) { return each.to == to && each.offer == offer; });
}

CopyState Copies::take_back(Address to, const CopyOffer& offer) {
  if (help(to, offer) == CopyState::kDone) return CopyState::kDone;
  if (Outgoing* const copy = outgoing(to, offer)) {
    copy->memory.reset();
    copy->taken_back = true;
  }
  return CopyState::kGone;
}

void Copies::note_copied(Address by, const CopyOffer& offer) {
  Outgoing* const copy = outgoing(by, offer);
  if (copy == nullptr) return;
  copy->copied = true;
  if (copy->taken_back) withdraw(by, offer);
}

bool Copies::open(Address from, const CopyOffer& offer, void* destination, std::uint64_t bytes) {
  auto copy = std::make_unique<Incoming>();
  copy->buffer.purpose = Buffer::Purpose::kRead;
  copy->buffer.peer = from;
  copy->from = from;
  copy->offer = offer;
  copy->destination = static_cast<std::byte*>(destination);
  copy->bytes = bytes;
  if (bytes != 0) copy->memory = fabric_.register_memory(destination, bytes, Fabric::Access::kReadInto);
  copy->failed = bytes != 0 && copy->memory == nullptr;
  ask(*copy);
  incoming_.push_back(std::move(copy));
  return true;
}

// One at a time, for they share a buffer.
void Copies::ask(Incoming& copy) {
  if (copy.failed || copy.under_way != 0 || copy.asked == copy.bytes) return;
  const std::size_t bytes = std::min<std::uint64_t>(copy.bytes - copy.asked, fabric_.longest_read());
  const Outcome outcome = fabric_.read(host_.place_of(copy.from), copy.buffer,
                                       {copy.destination + copy.asked, bytes, copy.memory->description,
                                        copy.offer.words[0] + copy.asked, copy.offer.words[1]});
  if (outcome == Outcome::kDone) {
    copy.asked += bytes;
    ++copy.under_way;
  }
  copy.failed = outcome == Outcome::kFailed;
}

void Copies::note_read(Buffer& buffer, bool failed) noexcept {
  for (const std::unique_ptr<Incoming>& copy : incoming_) {
    if (&copy->buffer != &buffer) continue;
    --copy->under_way;
    copy->failed |= failed;
  }
}

CopyState Copies::advance(Address from, const CopyOffer& offer) {
  Incoming* const copy = incoming(from, offer);
  if (copy == nullptr) return CopyState::kRefused;
  ask(*copy);
  if (copy->under_way != 0 || (!copy->failed && copy->asked != copy->bytes)) {
    // Who waits for nothing else does not poll.
    if (++in_vain_ % kAdvancesBetweenLooks == 0) host_.look();
    return CopyState::kWaiting;
  }
  const CopyState state = copy->failed ? CopyState::kRefused : CopyState::kDone;
  std::erase_if(incoming_, [&](const auto& each) { return each.get() == copy; });
  // Not before: then the peer may make an equal offer.
  if (state == CopyState::kDone) host_.tell_copied(from, offer);
  return state;
}

}  // namespace starling::transport::ofi
