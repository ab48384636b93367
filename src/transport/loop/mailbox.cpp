// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/loop/mailbox.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace starling::transport::loop {
namespace {

/// Frames taken from one sender before the next sender is looked at.
constexpr int kBatch = 16;

/// Another one for each link of a network.
std::uint64_t seed_of(const Settings& settings, WorldRank from, WorldRank to) {
  std::seed_seq sequence{static_cast<std::uint32_t>(settings.seed), static_cast<std::uint32_t>(settings.seed >> 32),
                         static_cast<std::uint32_t>(from.value), static_cast<std::uint32_t>(to.value)};
  std::uint32_t words[2];
  sequence.generate(std::begin(words), std::end(words));
  return (std::uint64_t{words[0]} << 32) | words[1];
}

}  // namespace

Mailbox::Mailbox(WorldRank owner, std::int32_t ranks, const Settings& settings) {
  for (std::int32_t from = 0; from < ranks; ++from) {
    links_.emplace_back(settings, seed_of(settings, WorldRank(from), owner));
  }
}

Result<std::unique_ptr<Mailbox>> Mailbox::create(WorldRank owner, std::int32_t ranks, const Settings& settings) {
  std::unique_ptr<Mailbox> mailbox(new Mailbox(owner, ranks, settings));
  STARLING_TRY(mailbox->timer_.open());
  return mailbox;
}

void Mailbox::expect(std::int64_t due_ns) {
  if (due_ns < look_at_ns_.load(std::memory_order_relaxed)) look_at_ns_.store(due_ns, std::memory_order_relaxed);
  if (!armed_ || due_ns >= timer_at_ns_) return;
  timer_at_ns_ = due_ns;
  timer_.set(due_ns);
}

Mailbox::Room Mailbox::room_for(WorldRank from, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  Link& link = links_[from.index()];
  if (link.is_broken()) return Room::kBroken;
  if (link.has_room(bytes)) return Room::kThereIs;
  link.sender_waits = true;
  return Room::kFull;
}

std::int64_t Mailbox::post(WorldRank from, Frame frame) {
  const std::scoped_lock lock(mutex_);
  Link& link = links_[from.index()];
  if (closed_ || link.is_broken()) return 0;
  const std::int64_t due_ns = link.push(std::move(frame));
  expect(due_ns);
  return due_ns;
}

std::size_t Mailbox::under_way(WorldRank from) {
  const std::scoped_lock lock(mutex_);
  Link& link = links_[from.index()];
  link.sender_waits = link.sender_waits || link.size() != 0;
  return link.size();
}

void Mailbox::lose_late(WorldRank from) {
  const std::scoped_lock lock(mutex_);
  links_[from.index()].drop_late(now_ns());
}

bool Mailbox::may_have_arrivals() const noexcept {
  const std::int64_t look_at = look_at_ns_.load(std::memory_order_relaxed);
  return look_at == 0 || (look_at != Link::kNever && look_at <= now_ns());
}

void Mailbox::take(std::vector<Arrival>& arrivals, std::vector<WorldRank>& waiting) {
  const std::scoped_lock lock(mutex_);
  const std::int64_t now = now_ns();
  std::int64_t look_at = Link::kNever;
  WorldRank from(0);
  for (Link& link : links_) {
    const std::size_t before = arrivals.size();
    Frame frame;
    for (int i = 0; i < kBatch && link.pop(now, &frame); ++i) arrivals.push_back({from, std::move(frame)});
    if (link.sender_waits && arrivals.size() != before) {
      link.sender_waits = false;
      waiting.push_back(from);
    }
    look_at = std::min(look_at, link.due_ns());
    ++from.value;
  }
  look_at_ns_.store(look_at, std::memory_order_relaxed);
  if (!arrivals.empty()) armed_ = false;  // the owner does not sleep now
}

void Mailbox::take_broken(std::vector<WorldRank>& broken) {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(has_broken_, false)) return;
  WorldRank from(0);
  for (Link& link : links_) {
    if (link.is_broken() && !link.is_told) {
      link.is_told = link.size() == 0;
      if (link.is_told) broken.push_back(from);
      has_broken_ = has_broken_ || !link.is_told;
    }
    ++from.value;
  }
}

void Mailbox::take_rest(WorldRank from, std::vector<Arrival>& arrivals) {
  const std::scoped_lock lock(mutex_);
  Link& link = links_[from.index()];
  link.set_broken();
  link.is_told = true;
  Frame frame;
  while (link.pop(Link::kNever - 1, &frame)) arrivals.push_back({from, std::move(frame)});
}

bool Mailbox::arm(std::int64_t own_due_ns) {
  const std::scoped_lock lock(mutex_);
  armed_ = false;
  timer_.clear();
  timer_at_ns_ = std::min(look_at_ns_.load(std::memory_order_relaxed), own_due_ns);
  if (timer_at_ns_ <= now_ns()) return false;
  armed_ = true;
  if (timer_at_ns_ != Link::kNever) timer_.set(timer_at_ns_);
  return true;
}

void Mailbox::ring() {
  const std::scoped_lock lock(mutex_);
  expect(0);
}

void Mailbox::break_link(WorldRank from, UnderWay packets) {
  const std::scoped_lock lock(mutex_);
  Link& link = links_[from.index()];
  link.set_broken();
  if (packets == UnderWay::kIsLost) link.drop_all();
  has_broken_ = true;
  expect(0);
}

void Mailbox::close(std::vector<WorldRank>& waiting) {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  armed_ = false;
  WorldRank from(0);
  for (Link& link : links_) {
    link.drop_all();
    if (std::exchange(link.sender_waits, false)) waiting.push_back(from);
    ++from.value;
  }
  look_at_ns_.store(Link::kNever, std::memory_order_relaxed);
}

}  // namespace starling::transport::loop
