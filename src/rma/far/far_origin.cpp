// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/far/far_origin.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"
#include "p2p/request/failures.hpp"

namespace starling::rma {
namespace {

/// Data that are strided at one side travel in pieces of this size.
constexpr std::int64_t kFarPieceBytes = std::int64_t{64} * 1024;
/// Longer contiguous data are not copied into a request.
constexpr std::int64_t kLongBytes = kFarPieceBytes;
/// Elements are combined in pieces of this size, as on one node.
constexpr std::int64_t kCombinedBytes = std::int64_t{32} * 1024;
/// What is under way to one target at most, in messages.
constexpr std::size_t kMostPending = 64;

}  // namespace

FarOrigin::FarOrigin(p2p::PointToPoint& p2p, comm::Communicator& comm, WindowPeers& peers, FarMemory memory)
    : p2p_(p2p), comm_(comm), peers_(peers), memory_(memory) {}

FarOrigin::~FarOrigin() = default;

FarOrigin::Toward& FarOrigin::toward(std::int32_t rank) {
  Toward& found = targets_[rank];
  found.rank = rank;
  return found;
}

p2p::Message FarOrigin::message(void* data, std::int64_t bytes, std::int32_t rank, FarTag tag) const {
  return {data, bytes, &datatype::byte_type(), rank, tag, &comm_, p2p::Channel::kPartitioned};
}

FarOrigin::Packet FarOrigin::packet_of(FarRequest request, std::span<const Comb> combs, std::int64_t data_bytes) {
  request.combs = static_cast<std::uint32_t>(combs.size());
  const std::size_t head = sizeof request + combs.size_bytes();
  Packet packet;
  packet.size = static_cast<std::int64_t>(head) + data_bytes;
  packet.bytes.reset(new std::byte[static_cast<std::size_t>(packet.size)]);
  std::memcpy(packet.bytes.get(), &request, sizeof request);
  if (!combs.empty()) std::memcpy(packet.bytes.get() + sizeof request, combs.data(), combs.size_bytes());
  packet.data = packet.bytes.get() + head;
  return packet;
}

FarRequest FarOrigin::request_of(FarAct act, const FarAccess& access) const {
  FarRequest request;
  request.act = act;
  if (memory_ == FarMemory::kFixed) return request;
  const Stretch touched = stretch_of(access.place->count, *access.place->type);
  request.flags = FarRequest::kAsks;
  request.begin = access.address + static_cast<std::uint64_t>(touched.begin);
  request.end = access.address + static_cast<std::uint64_t>(touched.end);
  return request;
}

void FarOrigin::note(Toward& to, Pending pending) {
  to.pending.push_back(std::move(pending));
  ++to.begun;
  if (!std::exchange(to.is_busy, true)) busy_.push_back(&to);
}

void FarOrigin::send(Toward& to, Packet packet) {
  p2p::Request* const request =
      p2p_.isend(message(packet.bytes.get(), packet.size, to.rank, kRequestTag), p2p::SendMode::kStandard);
  if (!request->complete()) return note(to, {request, std::move(packet.bytes), {}});
  if (to.failure.ok()) to.failure = std::move(request->failure);
  request->dispose();
}

void FarOrigin::send_word(Toward& to, FarAct act, std::uint8_t flags) {
  FarRequest request;
  request.act = act;
  request.flags = flags;
  send(to, packet_of(request, {}, 0));
}

void FarOrigin::tell(std::int32_t rank, FarAct act) {
  if (peers_.broken()) return;
  Toward& to = toward(rank);
  to.has_unanswered_words = true;
  send_word(to, act);
}

Status FarOrigin::receive_answer(Toward& from, const FarRequest& request, Landing landing) {
  datatype::UnpackCursor cursor(*landing.type, landing.address, landing.count);
  std::unique_ptr<std::byte[]> buffer;
  std::byte* place = nullptr;
  const std::int64_t bytes = landing.bytes;
  if (cursor.is_contiguous()) {
    cursor.seek(landing.position);
    place = cursor.memory();
    landing = {};
  } else {
    buffer.reset(new std::byte[static_cast<std::size_t>(bytes)]);
    place = buffer.get();
  }
  p2p::Request* const answer = p2p_.ireceive(message(place, bytes, from.rank, kReplyTag));
  note(from, {answer, std::move(buffer), std::move(landing)});
  return await_verdict(from, request, answer);
}

void FarOrigin::land(const Pending& pending) noexcept {
  const Landing& landing = pending.landing;
  if (!landing.type || !pending.request->failure.ok()) return;
  datatype::UnpackCursor cursor(*landing.type, landing.address, landing.count);
  cursor.seek(landing.position);
  cursor.unpack(pending.buffer.get(), static_cast<std::size_t>(landing.bytes));
}

bool FarOrigin::reap(Toward& to) {
  bool moved = false;
  while (!to.pending.empty() && to.pending.front().request->complete()) {
    Pending& first = to.pending.front();
    land(first);
    if (to.failure.ok()) to.failure = std::move(first.request->failure);
    first.request->dispose();
    to.pending.pop_front();
    ++to.reaped;
    moved = true;
  }
  if (moved && !to.watchers.empty()) tell_watchers(to);
  return moved;
}

void FarOrigin::tell_watchers(Toward& to) {
  while (!to.watchers.empty() && to.watchers.front().count <= to.reaped) {
    FarAccessRequest* const request = to.watchers.front().request;
    to.watchers.pop_front();
    request->finish_with(to.failure.copy());
  }
}

p2p::Request* FarOrigin::watch(std::int32_t rank) {
  const auto found = targets_.find(rank);
  if (found == targets_.end()) return nullptr;
  Toward& to = found->second;
  reap(to);
  if (to.pending.empty()) return nullptr;
  auto* const request = new FarAccessRequest(comm_.peer(rank));
  to.watchers.push_back({to.begun, request});
  return request;
}

bool FarOrigin::reap() {
  bool moved = false;
  for (std::size_t i = 0; i < busy_.size();) {
    moved |= reap(*busy_[i]);
    if (busy_[i]->pending.empty()) {
      busy_[i]->is_busy = false;
      busy_[i] = busy_.back();
      busy_.pop_back();
    } else {
      ++i;
    }
  }
  return moved;
}

void FarOrigin::wait_until_reaped(Toward& to, std::uint64_t count) {
  peers_.wait([&] { return to.reaped >= count; }, [&](std::int32_t rank) { return rank == to.rank; });
}

void FarOrigin::make_room(Toward& to) {
  reap(to);
  if (to.pending.size() >= kMostPending) wait_until_reaped(to, to.begun - kMostPending / 2);
}

Result<std::uint8_t> FarOrigin::wait_for_byte(Toward& from, FarTag tag) {
  std::uint8_t byte = 0;
  p2p::Request* const request = p2p_.ireceive(message(&byte, 1, from.rank, tag));
  peers_.wait([&] { return request->complete(); }, [&](std::int32_t rank) { return rank == from.rank; });
  if (!request->complete()) request->give_up(p2p::process_failed(p2p::kAnySource));
  p2p_.wait(*request);
  Status failure = std::move(request->failure);
  request->dispose();
  if (!failure.ok()) return failure;
  return byte;
}

Status FarOrigin::await_verdict(Toward& from, const FarRequest& request, p2p::Request* answer) {
  if (!request.has(FarRequest::kAsks)) return {};
  const Result<std::uint8_t> verdict = wait_for_byte(from, kVerdictTag);
  if (!verdict.ok()) return verdict.status().copy();
  if (verdict.value() != 0) return {};
  if (answer != nullptr) answer->cancel();
  return not_attached(from.rank);
}

Status FarOrigin::put_long(const datatype::PackCursor& from, const FarAccess& to) {
  Toward& target = toward(to.place->rank);
  CombList list(*to.place, to.address);
  FarRequest request = request_of(FarAct::kLongPut, to);
  request.bytes = static_cast<std::uint64_t>(from.total());
  send(target, packet_of(request, list.next(from.total()), 0));
  STARLING_TRY(await_verdict(target, request, nullptr));
  void* const data = const_cast<std::byte*>(from.memory());
  note(target, {p2p_.isend(message(data, from.total(), target.rank, kDataTag), p2p::SendMode::kStandard), {}, {}});
  return {};
}

Status FarOrigin::put(const Buffer& origin, const FarAccess& to) {
  datatype::PackCursor from(*origin.type, origin.address, origin.count);
  if (peers_.broken() || from.total() == 0) return {};
  Toward& target = toward(to.place->rank);
  target.has_unanswered_accesses = true;
  if (from.total() > kLongBytes && from.is_contiguous() && to.place->type->is_contiguous()) return put_long(from, to);
  CombList list(*to.place, to.address);
  FarRequest request = request_of(FarAct::kPut, to);
  while (!from.done() && !peers_.broken()) {
    const std::int64_t bytes = std::min(kFarPieceBytes, from.remaining());
    make_room(target);
    request.bytes = static_cast<std::uint64_t>(bytes);
    Packet packet = packet_of(request, list.next(bytes), bytes);
    from.pack(packet.data, static_cast<std::size_t>(bytes));
    send(target, std::move(packet));
    STARLING_TRY(await_verdict(target, request, nullptr));
  }
  return {};
}

Status FarOrigin::get_long(const Buffer& origin, const FarAccess& from, std::int64_t bytes) {
  Toward& target = toward(from.place->rank);
  CombList list(*from.place, from.address);
  FarRequest request = request_of(FarAct::kGet, from);
  request.bytes = static_cast<std::uint64_t>(bytes);
  send(target, packet_of(request, list.next(bytes), 0));
  const p2p::Message into{
      origin.address, origin.count, origin.type, target.rank, kReplyTag, &comm_, p2p::Channel::kPartitioned};
  p2p::Request* const answer = p2p_.ireceive(into);
  note(target, {answer, {}, {}});
  return await_verdict(target, request, answer);
}

Status FarOrigin::get(const Buffer& origin, const FarAccess& from) {
  const std::int64_t total = from.place->count * from.place->type->size();
  if (peers_.broken() || total == 0) return {};
  Toward& target = toward(from.place->rank);
  if (from.place->type->is_contiguous()) {
    make_room(target);
    return get_long(origin, from, total);
  }
  CombList list(*from.place, from.address);
  FarRequest request = request_of(FarAct::kGet, from);
  for (std::int64_t position = 0; position < total && !peers_.broken();) {
    const std::int64_t bytes = std::min(kFarPieceBytes, total - position);
    make_room(target);
    request.bytes = static_cast<std::uint64_t>(bytes);
    send(target, packet_of(request, list.next(bytes), 0));
    STARLING_TRY(receive_answer(
        target, request,
        {Ref<const datatype::Datatype>::share(origin.type), origin.address, origin.count, position, bytes}));
    position += bytes;
  }
  return {};
}

Status FarOrigin::accumulate(const Buffer& origin, const Buffer& result, datatype::PredefinedOp op,
                             const FarAccess& to) {
  const Place& place = *to.place;
  const datatype::Basic basic = place.type->basic();
  const std::int64_t total = place.count * place.type->size();
  if (peers_.broken() || total == 0) return {};
  const bool stores = op != datatype::PredefinedOp::kNoOp;
  const datatype::Datatype& element = datatype::predefined(basic);
  datatype::PackCursor operand(stores ? *origin.type : element, origin.address, stores ? origin.count : 0);
  CombList list(place, to.address);
  FarRequest request = request_of(FarAct::kAccumulate, to);
  request.op = op;
  request.type = basic;
  if (result.type != nullptr) request.flags |= FarRequest::kFetches;
  const std::int64_t piece = kCombinedBytes / element.size() * element.size();
  Toward& target = toward(place.rank);
  for (std::int64_t position = 0; position < total && !peers_.broken();) {
    const std::int64_t bytes = std::min(piece, total - position);
    make_room(target);
    request.bytes = static_cast<std::uint64_t>(bytes);
    Packet packet = packet_of(request, list.next(bytes), stores ? bytes : 0);
    if (stores) operand.pack(packet.data, static_cast<std::size_t>(bytes));
    target.has_unanswered_accesses |= result.type == nullptr;
    send(target, std::move(packet));
    if (result.type != nullptr) {
      STARLING_TRY(receive_answer(
          target, request,
          {Ref<const datatype::Datatype>::share(result.type), result.address, result.count, position, bytes}));
    } else {
      STARLING_TRY(await_verdict(target, request, nullptr));
    }
    position += bytes;
  }
  return {};
}

Status FarOrigin::compare_and_swap(const void* wanted, const void* compare, void* result, const FarAccess& to) {
  if (peers_.broken()) return {};
  const Place& place = *to.place;
  const std::int64_t bytes = place.type->size();
  const auto size = static_cast<std::size_t>(bytes);
  CombList list(place, to.address);
  FarRequest request = request_of(FarAct::kCompareAndSwap, to);
  request.bytes = size;
  Packet packet = packet_of(request, list.next(bytes), 2 * bytes);
  std::memcpy(packet.data, wanted, size);
  std::memcpy(packet.data + size, compare, size);
  Toward& target = toward(place.rank);
  make_room(target);
  send(target, std::move(packet));
  return receive_answer(target, request, {Ref<const datatype::Datatype>::share(place.type), result, 1, 0, bytes});
}

Status FarOrigin::finish_here(std::int32_t rank) {
  const auto found = targets_.find(rank);
  if (found == targets_.end()) return {};
  Toward& to = found->second;
  reap(to);
  wait_until_reaped(to, to.begun);
  if (peers_.broken()) abandon();
  return std::exchange(to.failure, Status());
}

Status FarOrigin::finish_here_all() {
  Status first;
  for (const std::int32_t rank : known()) {
    Status finished = finish_here(rank);
    if (first.ok()) first = std::move(finished);
  }
  return first;
}

void FarOrigin::ask_to_flush(Toward& to) {
  to.has_unanswered_accesses = false;
  to.has_unanswered_words = false;
  if (peers_.broken()) return;
  send_word(to, FarAct::kFlush);
  note(to, {p2p_.ireceive(message(nullptr, 0, to.rank, kReplyTag)), {}, {}});
}

Status FarOrigin::finish(std::int32_t rank) {
  const auto found = targets_.find(rank);
  if (found == targets_.end()) return {};
  if (found->second.has_unanswered_accesses) ask_to_flush(found->second);
  return finish_here(rank);
}

Status FarOrigin::finish_all() {
  for (auto& [rank, to] : targets_) {
    if (to.has_unanswered_accesses) ask_to_flush(to);
  }
  return finish_here_all();
}

Status FarOrigin::settle() {
  for (auto& [rank, to] : targets_) {
    if (to.has_unanswered_accesses || to.has_unanswered_words) ask_to_flush(to);
  }
  return finish_here_all();
}

void FarOrigin::abandon() {
  const Status why = p2p::process_failed(p2p::kAnySource);
  for (auto& [rank, to] : targets_) {
    for (Pending& pending : to.pending) {
      if (!pending.request->complete()) pending.request->give_up(why);
    }
  }
  reap();
  peers_.progress().wait([&] { return busy_.empty(); });
}

void FarOrigin::lock(std::int32_t rank, LockKind kind) {
  if (peers_.broken()) return;
  Toward& to = toward(rank);
  send_word(to, FarAct::kLock, kind == LockKind::kExclusive ? FarRequest::kExclusive : 0);
  static_cast<void>(wait_for_byte(to, kLockTag));  // the caller looks whether the window is broken
}

bool FarOrigin::try_lock_shared(std::span<const std::int32_t> ranks, std::int32_t* refused) {
  for (const std::int32_t rank : ranks) send_word(toward(rank), FarAct::kTryLock);
  std::vector<std::int32_t> taken;
  bool all = true;
  for (const std::int32_t rank : ranks) {
    const Result<std::uint8_t> answer = wait_for_byte(toward(rank), kLockTag);
    if (answer.ok() && answer.value() != 0) {
      taken.push_back(rank);
    } else {
      *refused = rank;
      all = false;
    }
  }
  if (!all) {
    for (const std::int32_t rank : taken) unlock(rank, LockKind::kShared);
  }
  return all;
}

void FarOrigin::unlock(std::int32_t rank, LockKind kind) {
  if (peers_.broken()) return;
  Toward& to = toward(rank);
  to.has_unanswered_words = true;
  send_word(to, FarAct::kUnlock, kind == LockKind::kExclusive ? FarRequest::kExclusive : 0);
}

std::vector<std::int32_t> FarOrigin::known() const {
  std::vector<std::int32_t> ranks;
  for (const auto& [rank, to] : targets_) ranks.push_back(rank);
  return ranks;
}

}  // namespace starling::rma
