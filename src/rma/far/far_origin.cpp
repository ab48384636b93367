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

Toward& FarOrigin::toward(std::int32_t rank) {
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

void FarOrigin::note(Toward& to, Toward::Pending pending) {
  to.pending.push_back(std::move(pending));
  ++to.begun;
  be_busy(to);
}

void FarOrigin::be_busy(Toward& to) {
  if (!std::exchange(to.is_busy, true)) busy_.push_back(&to);
}

void FarOrigin::expect_answer(Toward& to) {
  to.note_covered();
  to.answers.push_back(p2p_.ireceive(message(nullptr, 0, to.rank, kReplyTag)));
  ++to.answers_asked;
  be_busy(to);
}

void FarOrigin::send(Toward& to, Packet packet) {
  p2p::Request* const request =
      p2p_.isend(message(packet.bytes.get(), packet.size, to.rank, kRequestTag), p2p::SendMode::kStandard);
  if (!request->complete()) return note(to, {request, std::move(packet.bytes), {}});
  if (to.failure.ok()) to.failure = std::move(request->failure);
  request->dispose();
}

Status FarOrigin::send_access(Toward& to, Packet packet, const FarRequest& request) {
  send(to, std::move(packet));
  // Where the target is asked for its verdict that comes when all is done, but for data that follow.
  to.has_unanswered_accesses |= !request.has(FarRequest::kAsks) || request.act == FarAct::kLongPut;
  if (request.has(FarRequest::kAnswers)) expect_answer(to);
  return await_verdict(to, request, nullptr);
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

Status FarOrigin::receive_answer(Toward& from, const FarRequest& request, Toward::Landing landing) {
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
  from.note_covered();
  return await_verdict(from, request, answer);
}

p2p::Request* FarOrigin::watch(std::int32_t rank) {
  const auto found = targets_.find(rank);
  if (found == targets_.end()) return nullptr;
  Toward& to = found->second;
  to.reap();
  if (to.pending.empty()) return nullptr;
  auto* const request = new FarAccessRequest(comm_.peer(rank));
  to.watchers.push_back({to.begun, request});
  return request;
}

bool FarOrigin::reap() {
  bool moved = false;
  for (std::size_t i = 0; i < busy_.size();) {
    moved |= busy_[i]->reap();
    if (busy_[i]->idle()) {
      busy_[i]->is_busy = false;
      busy_[i] = busy_.back();
      busy_.pop_back();
    } else {
      ++i;
    }
  }
  return moved;
}

void FarOrigin::make_room(Toward& to) {
  to.reap();
  if (to.pending.size() < kMostPending) return;
  const std::uint64_t enough = to.begun - kMostPending / 2;
  peers_.wait([&] { return to.reaped >= enough; }, [&](std::int32_t rank) { return rank == to.rank; });
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
  target.foresee_flush(request);
  STARLING_TRY(send_access(target, packet_of(request, list.next(from.total()), 0), request));
  void* const data = const_cast<std::byte*>(from.memory());
  note(target, {p2p_.isend(message(data, from.total(), target.rank, kDataTag), p2p::SendMode::kStandard), {}, {}});
  return {};
}

Status FarOrigin::put(const Buffer& origin, const FarAccess& to) {
  datatype::PackCursor from(*origin.type, origin.address, origin.count);
  if (peers_.broken() || from.total() == 0) return {};
  Toward& target = toward(to.place->rank);
  if (from.total() > kLongBytes && from.is_contiguous() && to.place->type->is_contiguous()) return put_long(from, to);
  CombList list(*to.place, to.address);
  FarRequest request = request_of(FarAct::kPut, to);
  while (!from.done() && !peers_.broken()) {
    const std::int64_t bytes = std::min(kFarPieceBytes, from.remaining());
    make_room(target);
    request.bytes = static_cast<std::uint64_t>(bytes);
    if (bytes == from.remaining()) target.foresee_flush(request);
    Packet packet = packet_of(request, list.next(bytes), bytes);
    from.pack(packet.data, static_cast<std::size_t>(bytes));
    STARLING_TRY(send_access(target, std::move(packet), request));
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
  target.note_covered();
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
    if (result.type == nullptr && position + bytes == total) target.foresee_flush(request);
    Packet packet = packet_of(request, list.next(bytes), stores ? bytes : 0);
    if (stores) operand.pack(packet.data, static_cast<std::size_t>(bytes));
    if (result.type != nullptr) {
      send(target, std::move(packet));
      STARLING_TRY(receive_answer(
          target, request,
          {Ref<const datatype::Datatype>::share(result.type), result.address, result.count, position, bytes}));
    } else {
      STARLING_TRY(send_access(target, std::move(packet), request));
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

Status FarOrigin::await_end(Toward& to, Ends ends) {
  to.reap();
  const std::uint64_t begun = to.begun;
  const std::uint64_t asked = ends == Ends::kBoth ? to.answers_asked : 0;
  peers_.wait([&] { return to.reaped >= begun && to.answers_taken >= asked; },
              [&](std::int32_t rank) { return rank == to.rank; });
  if (peers_.broken()) abandon();
  return std::exchange(to.failure, Status());
}

Status FarOrigin::await_all_ends(Ends ends) {
  std::vector<Toward*> known;  // others may come while a call waits
  for (auto& [rank, to] : targets_) known.push_back(&to);
  Status first;
  for (Toward* const to : known) {
    Status ended = await_end(*to, ends);
    if (first.ok()) first = std::move(ended);
  }
  return first;
}

void FarOrigin::begin_flush(Toward& to, Covers covers) {
  to.note_flush();
  const bool has_words = covers == Covers::kWordsToo && to.has_unanswered_words;
  if (peers_.broken() || (!to.has_unanswered_accesses && !has_words)) return;
  send_word(to, FarAct::kFlush);
  expect_answer(to);
}

Status FarOrigin::finish_here(std::int32_t rank) {
  const auto found = targets_.find(rank);
  return found == targets_.end() ? Status() : await_end(found->second, Ends::kHere);
}

Status FarOrigin::finish_here_all() { return await_all_ends(Ends::kHere); }

Status FarOrigin::finish(std::int32_t rank) {
  const auto found = targets_.find(rank);
  if (found == targets_.end()) return {};
  begin_flush(found->second, Covers::kAccesses);
  return await_end(found->second, Ends::kBoth);
}

Status FarOrigin::finish_all() {
  for (auto& [rank, to] : targets_) begin_flush(to, Covers::kAccesses);
  return await_all_ends(Ends::kBoth);
}

Status FarOrigin::settle() {
  for (auto& [rank, to] : targets_) begin_flush(to, Covers::kWordsToo);
  return await_all_ends(Ends::kBoth);
}

void FarOrigin::abandon() {
  const Status why = p2p::process_failed(p2p::kAnySource);
  for (auto& [rank, to] : targets_) to.give_up(why);
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

}  // namespace starling::rma
