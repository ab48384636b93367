// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "futures.hpp"

#include <coroutine>
#include <utility>

namespace starling::array::detail {

void Futures::clear() {
  // Frames that are destroyed drop their futures.
  std::vector<Waiter> left;
  for (Slot& slot : slots_) {
    left.insert(left.end(), slot.waiters.begin(), slot.waiters.end());
    slot.waiters.clear();
  }
  for (const Waiter& each : left) std::coroutine_handle<>::from_address(each.frame).destroy();
  free_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].name = 0;
    slots_[i].call.reset();
    free_.push_back(static_cast<std::uint32_t>(i));
  }
}

const Futures::Slot* Futures::find(std::uint32_t name) const {
  const std::uint32_t at = name & ((1u << kSlotBits) - 1);
  return name != 0 && at < slots_.size() && slots_[at].name == name ? &slots_[at] : nullptr;
}

std::uint32_t Futures::make() {
  if (free_.empty()) {
    if (slots_.size() == 1u << kSlotBits) throw Error("more than 4194304 futures wait at once on one process");
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  generation_ = (generation_ + 1) & ((1u << (32 - kSlotBits)) - 1);
  if (generation_ == 0) generation_ = 1;
  Slot& slot = slots_[at];
  slot.name = generation_ << kSlotBits | at;
  slot.shares = 1;
  slot.is_ready = slot.is_error = false;
  slot.bytes.clear();
  return slot.name;
}

void Futures::share(std::uint32_t name) {
  if (Slot* slot = find(name)) ++slot->shares;
}

void Futures::drop(std::uint32_t name) {
  Slot* slot = find(name);
  if (slot == nullptr || --slot->shares != 0) return;
  slot->name = 0;
  slot->call.reset();
  free_.push_back(static_cast<std::uint32_t>(slot - slots_.data()));
}

bool Futures::ready(std::uint32_t name) const {
  const Slot* slot = find(name);
  return slot != nullptr && slot->is_ready;
}

void Futures::wait(std::uint32_t name, Waiter waiter) {
  if (Slot* slot = find(name)) slot->waiters.push_back(waiter);
}

bool Futures::set(std::uint32_t name, const char* bytes, std::size_t size, bool is_error,
                  std::vector<Waiter>& waiters) {
  Slot* slot = find(name);
  if (slot == nullptr || slot->is_ready) return false;
  slot->bytes.assign(bytes, bytes + size);
  slot->is_ready = true;
  slot->is_error = is_error;
  waiters = std::exchange(slot->waiters, {});
  return true;
}

const std::vector<char>& Futures::value(std::uint32_t name) const {
  const Slot* slot = find(name);
  if (slot == nullptr)
    throw Error("this future was made by another process, or is none: only its process can wait for it");
  if (slot->is_ready && slot->is_error) throw Error(std::string(slot->bytes.data(), slot->bytes.size()));
  return slot->bytes;
}

void Futures::note_call(std::uint32_t name, Call call) {
  if (Slot* slot = find(name)) slot->call = std::make_unique<Call>(std::move(call));
}

std::unique_ptr<Futures::Call> Futures::take_call(std::uint32_t name) {
  Slot* slot = find(name);
  return slot != nullptr ? std::move(slot->call) : nullptr;
}

std::size_t Futures::suspended() const {
  std::size_t count = 0;
  for (const Slot& slot : slots_) count += slot.waiters.size();
  return count;
}

}  // namespace starling::array::detail
