// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/context_id_broadcast.hpp"

#include <limits>

#include "world/communicators/binomial.hpp"

namespace starling::world {
namespace {

// Below every user's and every collective's tag, and next to that of leaders (bridge.cpp).
constexpr std::int32_t kHeraldTag = std::numeric_limits<std::int32_t>::min() + 1;

p2p::Message message(comm::Communicator& comm, std::int32_t rank, std::uint32_t* word) {
  return {word, sizeof *word, &datatype::byte_type(), rank, kHeraldTag, &comm, p2p::Channel::kCollective};
}

}  // namespace

ContextIdBroadcast::ContextIdBroadcast(World& world, Ref<comm::Communicator> inter, Side side, std::uint32_t* word)
    : Request(p2p::RequestKind::kCollective), world_(world), inter_(std::move(inter)), side_(side), word_(word) {
  comm::Communicator& local = *inter_->local();
  const std::int32_t rank = local.rank();
  if (rank != 0) {
    hearing_ = world_.p2p().ireceive(message(local, rank - binomial_step(rank, local.size()), word_));
  } else if (side_ == Side::kHears) {
    hearing_ = world_.p2p().ireceive(message(*inter_, 0, word_));
  }
  if (hearing_ == nullptr) pass_on();
  world_.progress().add(*this);
}

ContextIdBroadcast::~ContextIdBroadcast() { world_.progress().remove(*this); }

void ContextIdBroadcast::dispose() { delete this; }

void ContextIdBroadcast::send(comm::Communicator& comm, std::int32_t rank) {
  telling_.push_back(world_.p2p().isend(message(comm, rank, word_), p2p::SendMode::kStandard));
}

void ContextIdBroadcast::pass_on() {
  comm::Communicator& local = *inter_->local();
  const std::int32_t rank = local.rank();
  if (rank == 0 && side_ == Side::kKnows) send(*inter_, 0);
  for (std::int32_t step = binomial_step(rank, local.size()) / 2; step > 0; step /= 2) {
    if (rank + step < local.size()) send(local, rank + step);
  }
}

bool ContextIdBroadcast::heard() {
  if (hearing_ == nullptr) return true;
  if (!hearing_->complete()) return false;
  failure = std::move(hearing_->failure);
  hearing_->dispose();
  hearing_ = nullptr;
  pass_on();
  return true;
}

bool ContextIdBroadcast::poll() {
  if (complete() || !heard()) return false;
  for (const p2p::Request* sending : telling_) {
    if (!sending->complete()) return false;
  }
  for (p2p::Request* sent : telling_) sent->dispose();
  telling_.clear();
  finish();
  return true;
}

}  // namespace starling::world
