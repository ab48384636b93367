// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/far/far_target.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "p2p/request/failures.hpp"
#include "rma/far/combs.hpp"
#include "rma/far/elements.hpp"

namespace starling::rma {
namespace {

/// No more is taken while so much waits.
constexpr std::int64_t kMostQueued = 256;
constexpr std::int64_t kMostQueuedBytes = std::int64_t{8} << 20;

/// The parts of a request.
struct Parts {
  FarRequest request;
  std::span<const Comb> combs;
  const std::byte* data;
};

Parts parts_of(const std::byte* bytes) {
  Parts parts;
  std::memcpy(&parts.request, bytes, sizeof parts.request);
  const std::byte* const combs = bytes + sizeof parts.request;
  parts.combs = {reinterpret_cast<const Comb*>(combs), parts.request.combs};
  parts.data = combs + parts.combs.size_bytes();
  return parts;
}

}  // namespace

FarTarget::FarTarget(p2p::PointToPoint& p2p, comm::Communicator& comm, WindowPeers& peers, const Control& control,
                     std::uint64_t base)
    : p2p_(p2p),
      comm_(comm),
      peers_(peers),
      access_(control.access(comm.rank())),
      accumulates_(control.accumulate(comm.rank())),
      attachments_(&control.attachments(comm.rank())),
      base_(base) {}

FarTarget::~FarTarget() = default;

p2p::Message FarTarget::message(void* data, std::int64_t bytes, std::int32_t rank, FarTag tag) const {
  return {data, bytes, &datatype::byte_type(), rank, tag, &comm_, p2p::Channel::kPartitioned};
}

bool FarTarget::serve() {
  bool moved = take();
  for (auto& [origin, queue] : queues_) {
    if (!queue.empty()) moved |= do_requests(origin, queue);
  }
  if (!lockers_.empty()) moved |= grant();
  if (!answers_.empty()) moved |= reap_answers();
  return moved;
}

bool FarTarget::take() {
  bool moved = false;
  while (queued_ < kMostQueued && queued_bytes_ < kMostQueuedBytes) {
    p2p::Completion found;
    p2p::MatchedMessage* const matched = p2p_.improbe(message(nullptr, 0, p2p::kAnySource, kRequestTag), &found);
    if (matched == nullptr) break;
    Incoming incoming;
    incoming.size = found.bytes;
    incoming.bytes.reset(new std::byte[static_cast<std::size_t>(found.bytes)]);
    incoming.message = p2p_.imreceive(*matched, message(incoming.bytes.get(), found.bytes, found.source, kRequestTag));
    ++queued_;
    queued_bytes_ += incoming.size;
    queues_[found.source].push_back(std::move(incoming));
    moved = true;
  }
  return moved;
}

bool FarTarget::do_requests(std::int32_t origin, std::deque<Incoming>& queue) {
  bool moved = false;
  while (!queue.empty() && do_request(origin, queue.front()) == Done::kYes) {
    --queued_;
    queued_bytes_ -= queue.front().size;
    queue.pop_front();
    moved = true;
  }
  return moved;
}

FarTarget::Done FarTarget::do_request(std::int32_t origin, Incoming& incoming) {
  if (incoming.message != nullptr) {
    if (!incoming.message->complete()) return Done::kNotYet;
    const bool failed = !incoming.message->failure.ok();
    std::exchange(incoming.message, nullptr)->dispose();
    if (failed) return Done::kYes;  // the origin has died
  }
  if (incoming.data != nullptr) {
    if (!incoming.data->complete()) return Done::kNotYet;
    std::exchange(incoming.data, nullptr)->dispose();
    if (parts_of(incoming.bytes.get()).request.has(FarRequest::kAnswers)) answer(origin, kReplyTag, nullptr, 0);
    return Done::kYes;
  }
  return act(origin, incoming);
}

FarTarget::Done FarTarget::act(std::int32_t origin, Incoming& incoming) {
  const Parts parts = parts_of(incoming.bytes.get());
  const FarRequest& request = parts.request;
  switch (request.act) {
    case FarAct::kPut: put(origin, parts.request, parts.combs, parts.data); return Done::kYes;
    case FarAct::kLongPut: return begin_long_put(origin, request, parts.combs, incoming);
    case FarAct::kGet:
      if (allow(origin, request)) get(origin, request, parts.combs);
      return Done::kYes;
    case FarAct::kAccumulate: return accumulate(origin, request, parts.combs, parts.data);
    case FarAct::kCompareAndSwap: return swap(origin, request, parts.combs, parts.data);
    case FarAct::kFlush: answer(origin, kReplyTag, nullptr, 0); return Done::kYes;
    case FarAct::kLock: lock(origin, request.has(FarRequest::kExclusive)); return Done::kYes;
    case FarAct::kTryLock: answer_byte(origin, kLockTag, access_.try_shared()); return Done::kYes;
    case FarAct::kUnlock:
      request.has(FarRequest::kExclusive) ? peers_.drop_exclusive(access_) : peers_.drop_shared(access_);
      return Done::kYes;
    case FarAct::kPosted: ++posted_[origin]; return Done::kYes;
    case FarAct::kCompleted: ++completed_[origin]; return Done::kYes;
  }
  return Done::kYes;
}

bool FarTarget::allows(const FarRequest& request) const {
  return !request.has(FarRequest::kAsks) || attachments_->holds(request.begin, request.end);
}

bool FarTarget::allow(std::int32_t origin, const FarRequest& request) {
  const bool allowed = allows(request);
  if (request.has(FarRequest::kAsks)) answer_byte(origin, kVerdictTag, allowed);
  return allowed;
}

void FarTarget::conclude(std::int32_t origin, const FarRequest& request, bool allowed) {
  if (request.has(FarRequest::kAsks)) answer_byte(origin, kVerdictTag, allowed);
  if (request.has(FarRequest::kAnswers)) answer(origin, kReplyTag, nullptr, 0);
}

void FarTarget::put(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs,
                    const std::byte* data) {
  const bool allowed = allows(request);
  if (allowed) scatter(combs, base_, data);
  conclude(origin, request, allowed);
}

FarTarget::Done FarTarget::begin_long_put(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs,
                                          Incoming& incoming) {
  if (!allow(origin, request)) return Done::kYes;
  const auto bytes = static_cast<std::int64_t>(request.bytes);
  incoming.data = p2p_.ireceive(message(one_stretch(combs, base_), bytes, origin, kDataTag));
  return Done::kNotYet;
}

void FarTarget::get(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs) {
  const auto bytes = static_cast<std::int64_t>(request.bytes);
  if (const std::byte* const memory = one_stretch(combs, base_)) return answer(origin, kReplyTag, memory, bytes);
  std::unique_ptr<std::byte[]> packed(new std::byte[request.bytes]);
  gather(combs, base_, packed.get());
  const void* const data = packed.get();
  answer(origin, kReplyTag, data, bytes, std::move(packed));
}

bool FarTarget::take_accumulate_lock() noexcept {
  const bool taken = accumulates_.try_exclusive();
  if (taken == !waits_for_accumulates_) return taken;
  waits_for_accumulates_ = !taken;
  // seq_cst: as a doorbell's sleeping (docs/design/progress.md). The rank looks again before it sleeps.
  taken ? accumulates_.waiting.fetch_sub(1, std::memory_order_relaxed)
        : accumulates_.waiting.fetch_add(1, std::memory_order_seq_cst);
  return taken;
}

FarTarget::Done FarTarget::accumulate(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs,
                                      const std::byte* operand) {
  if (!take_accumulate_lock()) return Done::kNotYet;
  const bool allowed = allows(request);
  std::unique_ptr<std::byte[]> old;
  if (allowed && request.has(FarRequest::kFetches)) {
    old.reset(new std::byte[request.bytes]);
    gather(combs, base_, old.get());
  }
  if (allowed) combine(request, combs, base_, operand);
  // Only now: whoever has the answer takes the access to be done.
  conclude(origin, request, allowed);
  if (const void* const data = old.get()) {
    answer(origin, kReplyTag, data, static_cast<std::int64_t>(request.bytes), std::move(old));
  }
  peers_.drop_exclusive(accumulates_);
  return Done::kYes;
}

FarTarget::Done FarTarget::swap(std::int32_t origin, const FarRequest& request, std::span<const Comb> combs,
                                const std::byte* elements) {
  if (!take_accumulate_lock()) return Done::kNotYet;
  if (allow(origin, request)) {
    std::unique_ptr<std::byte[]> old(new std::byte[request.bytes]);
    gather(combs, base_, old.get());
    if (std::memcmp(old.get(), elements + request.bytes, request.bytes) == 0) scatter(combs, base_, elements);
    const void* const data = old.get();
    answer(origin, kReplyTag, data, static_cast<std::int64_t>(request.bytes), std::move(old));
  }
  peers_.drop_exclusive(accumulates_);
  return Done::kYes;
}

bool FarTarget::try_take(bool exclusive) noexcept { return exclusive ? access_.try_exclusive() : access_.try_shared(); }

void FarTarget::lock(std::int32_t origin, bool exclusive) {
  if (try_take(exclusive)) return answer_byte(origin, kLockTag, true);
  // seq_cst: as in WindowPeers.
  if (lockers_.empty()) access_.waiting.fetch_add(1, std::memory_order_seq_cst);
  lockers_.push_back({origin, exclusive});
}

bool FarTarget::grant() {
  const std::size_t before = lockers_.size();
  std::erase_if(lockers_, [&](const Locker& locker) {
    if (!try_take(locker.exclusive)) return false;
    answer_byte(locker.origin, kLockTag, true);
    return true;
  });
  if (lockers_.empty()) access_.waiting.fetch_sub(1, std::memory_order_relaxed);
  return lockers_.size() != before;
}

void FarTarget::answer_byte(std::int32_t origin, FarTag tag, bool yes) {
  auto byte = std::make_unique<std::byte[]>(1);
  byte[0] = static_cast<std::byte>(yes ? 1 : 0);
  const void* const data = byte.get();
  answer(origin, tag, data, 1, std::move(byte));
}

void FarTarget::answer(std::int32_t origin, FarTag tag, const void* data, std::int64_t bytes,
                       std::unique_ptr<std::byte[]> owned) {
  p2p::Request* const request =
      p2p_.isend(message(const_cast<void*>(data), bytes, origin, tag), p2p::SendMode::kStandard);
  if (request->complete()) return request->dispose();
  answers_.push_back({request, std::move(owned)});
}

bool FarTarget::reap_answers() {
  return std::erase_if(answers_, [](Answer& answer) {
           if (!answer.request->complete()) return false;
           answer.request->dispose();
           return true;
         }) != 0;
}

void FarTarget::abandon() {
  const Status why = p2p::process_failed(p2p::kAnySource);
  const auto end = [&](p2p::Request* request) {
    if (request == nullptr) return;
    if (!request->complete()) request->give_up(why);
    p2p_.wait(*request);
    request->dispose();
  };
  auto queues = std::exchange(queues_, {});
  for (auto& [origin, queue] : queues) {
    for (Incoming& incoming : queue) {
      end(incoming.message);
      end(incoming.data);
    }
  }
  auto answers = std::exchange(answers_, {});
  for (Answer& answer : answers) end(answer.request);
  if (!lockers_.empty()) access_.waiting.fetch_sub(1, std::memory_order_relaxed);
  lockers_.clear();
  queued_ = 0;
  queued_bytes_ = 0;
}

}  // namespace starling::rma
