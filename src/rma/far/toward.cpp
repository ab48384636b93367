// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/far/toward.hpp"

#include <utility>

#include "datatype/pack/pack.hpp"

namespace starling::rma {

void Toward::foresee_flush(FarRequest& request) noexcept {
  // A verdict tells as much, but for that on a long put, whose data come after it.
  if (++accesses == foreseen_flush && !request.has(FarRequest::kAsks)) request.flags |= FarRequest::kAnswers;
}

void Toward::note_flush() noexcept {
  if (accesses != 0) foreseen_flush = std::exchange(accesses, 0);
}

void Toward::land(const Pending& pending) noexcept {
  const Landing& landing = pending.landing;
  if (!landing.type || !pending.request->failure.ok()) return;
  datatype::UnpackCursor cursor(*landing.type, landing.address, landing.count);
  cursor.seek(landing.position);
  cursor.unpack(pending.buffer.get(), static_cast<std::size_t>(landing.bytes));
}

bool Toward::reap() {
  bool moved = false;
  while (!pending.empty() && pending.front().request->complete()) {
    Pending& first = pending.front();
    land(first);
    if (failure.ok()) failure = std::move(first.request->failure);
    first.request->dispose();
    pending.pop_front();
    ++reaped;
    moved = true;
  }
  while (!answers.empty() && answers.front()->complete()) {
    p2p::Request* const answer = answers.front();
    answers.pop_front();
    if (failure.ok()) failure = std::move(answer->failure);
    answer->dispose();
    ++answers_taken;
    moved = true;
  }
  if (moved && !watchers.empty()) tell_watchers();
  return moved;
}

void Toward::tell_watchers() {
  while (!watchers.empty() && watchers.front().count <= reaped) {
    FarAccessRequest* const request = watchers.front().request;
    watchers.pop_front();
    request->finish_with(failure.copy());
  }
}

void Toward::give_up(const Status& why) {
  for (Pending& one : pending) {
    if (!one.request->complete()) one.request->give_up(why);
  }
  for (p2p::Request* const answer : answers) {
    if (!answer->complete()) answer->give_up(why);
  }
}

}  // namespace starling::rma
