// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/context_id_broadcast.hpp"

#include <limits>

#include "world/communicators/binomial.hpp"

namespace starling::world {
namespace {

// Below every user's and every collective's tag, and next to that of leaders (leader_exchange.cpp).
constexpr std::int32_t kBroadcastTag = std::numeric_limits<std::int32_t>::min() + 1;

p2p::Message message(comm::Communicator& comm, std::int32_t rank, std::uint32_t* word) {
  return {word, sizeof *word, &datatype::byte_type(), rank, kBroadcastTag, &comm, p2p::Channel::kCollective};
}

}  // namespace

ContextIdBroadcast::ContextIdBroadcast(World& world, Ref<comm::Communicator> inter, Side side, std::uint32_t* word)
    : Request(p2p::RequestKind::kCollective), world_(world), inter_(std::move(inter)), side_(side), word_(word) {
  comm::Communicator& local = *inter_->local();
  const std::int32_t rank = local.rank();
  if (rank != 0) {
    receive_ = world_.p2p().ireceive(message(local, rank - binomial_step(rank, local.size()), word_));
  } else if (side_ == Side::kReceives) {
    receive_ = world_.p2p().ireceive(message(*inter_, 0, word_));
  }
  if (receive_ == nullptr) pass_on();
  world_.progress().add(*this);
}

ContextIdBroadcast::~ContextIdBroadcast() { world_.progress().remove(*this); }

void ContextIdBroadcast::dispose() { delete this; }

void ContextIdBroadcast::send(comm::Communicator& comm, std::int32_t rank) {
  sends_.push_back(world_.p2p().isend(message(comm, rank, word_), p2p::SendMode::kStandard));
}

void ContextIdBroadcast::pass_on() {
  comm::Communicator& local = *inter_->local();
  const std::int32_t rank = local.rank();
  if (rank == 0 && side_ == Side::kKnows) send(*inter_, 0);
  for (std::int32_t step = binomial_step(rank, local.size()) / 2; step > 0; step /= 2) {
    if (rank + step < local.size()) send(local, rank + step);
  }
}

bool ContextIdBroadcast::received() {
  if (receive_ == nullptr) return true;
  if (!receive_->complete()) return false;
  failure = std::move(receive_->failure);
  receive_->dispose();
  receive_ = nullptr;
  pass_on();
  return true;
}

bool ContextIdBroadcast::poll() {
  if (complete() || !received()) return false;
  for (const p2p::Request* sending : sends_) {
    if (!sending->complete()) return false;
  }
  for (p2p::Request* sent : sends_) sent->dispose();
  sends_.clear();
  finish();
  return true;
}

}  // namespace starling::world
