// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/p2p/send_buffer.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "datatype/pack/pack.hpp"
#include "mpi/boundary/status.hpp"

namespace starling::mpi {

/// Completes when no segment with a number below its own is in flight.
class FlushRequest final : public p2p::Request {
 public:
  explicit FlushRequest(SendBuffer& buffer, std::uint64_t number)
      : Request(p2p::RequestKind::kSend), buffer_(buffer), number_(number) {
    completion = kEmptyCompletion;
  }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  void dispose() override {
    std::erase(buffer_.flushes_, this);
    delete this;
  }

 private:
  SendBuffer& buffer_;
  std::uint64_t number_;
};

SendBuffer::~SendBuffer() {
  reap();
  STARLING_ASSERT(segments_.empty(), "a buffer for buffered sends is flushed before it goes");
}

bool SendBuffer::automatic() const noexcept { return address_ == MPI_BUFFER_AUTOMATIC; }

Status SendBuffer::attach(void* address, std::int64_t bytes) {
  if (attached()) {
    return Status::error(ErrorClass::kBuffer,
                         "a buffer for buffered sends is attached already; detach it before attaching another");
  }
  if (address == nullptr) {
    return Status::error(ErrorClass::kBuffer,
                         "the buffer is a null pointer; pass memory of your own or MPI_BUFFER_AUTOMATIC");
  }
  address_ = address;
  bytes_ = bytes;
  return {};
}

std::byte* SendBuffer::memory(Segment& segment) const noexcept {
  return segment.own_memory ? segment.own_memory.get() : static_cast<std::byte*>(address_) + segment.offset;
}

void SendBuffer::reap() {
  std::erase_if(segments_, [](std::unique_ptr<Segment>& segment) {
    if (!segment->request->complete()) return false;
    segment->request->dispose();
    return true;
  });
}

Result<SendBuffer::Segment*> SendBuffer::allocate(std::size_t bytes) {
  auto segment = std::make_unique<Segment>();
  segment->owner = this;
  segment->number = next_number_++;
  segment->bytes = bytes;
  if (automatic()) {
    segment->own_memory.reset(new (std::nothrow) std::byte[std::max<std::size_t>(bytes, 1)]);
    if (!segment->own_memory) {
      return Status::error(ErrorClass::kNoMem, formatted("there is no memory for a buffered send of {} bytes", bytes));
    }
    return segments_.emplace_back(std::move(segment)).get();
  }
  const std::size_t needed = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::size_t free_from = 0;
  auto place = segments_.begin();
  while (place != segments_.end() && (*place)->offset - free_from < needed) {
    free_from = (*place)->offset + ((*place)->bytes + kAlignment - 1) / kAlignment * kAlignment;
    ++place;
  }
  if (place == segments_.end() && free_from + bytes > static_cast<std::size_t>(bytes_)) {
    return Status::error(ErrorClass::kBuffer,
                         formatted("the attached buffer of {} bytes has no room for a message of {} bytes behind those "
                                   "that still wait to be received; attach a larger one",
                                   bytes_, bytes));
  }
  segment->offset = free_from;
  return segments_.insert(place, std::move(segment))->get();
}

Status SendBuffer::send(p2p::PointToPoint& engine, const p2p::Message& message) {
  if (!attached()) {
    return Status::error(ErrorClass::kBuffer, "no buffer is attached for buffered sends; call MPI_Buffer_attach first");
  }
  Result<std::int64_t> bytes = datatype::packed_bytes(message.count, *message.type);
  if (!bytes.ok()) return std::move(bytes).status();
  reap();
  Result<Segment*> room = allocate(static_cast<std::size_t>(bytes.value()));
  if (!room.ok()) {
    engine.progress().poll();
    reap();
    room = allocate(static_cast<std::size_t>(bytes.value()));
    if (!room.ok()) return std::move(room).status();
  }
  Segment& segment = *room.value();
  std::byte* copy = memory(segment);
  datatype::PackCursor(*message.type, message.buffer, message.count).pack(copy, segment.bytes);
  p2p::Message packed = message;
  packed.buffer = copy;
  packed.count = bytes.value();
  packed.type = &datatype::byte_type();
  segment.request = engine.isend(packed, p2p::SendMode::kStandard);
  if (!segment.request->complete()) {
    segment.request->set_continuation(
        [](p2p::Request& /*request*/, void* context) { static_cast<Segment*>(context)->owner->segment_left(); },
        &segment);
  }
  return {};
}

std::uint64_t SendBuffer::oldest_in_flight() const noexcept {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (const auto& segment : segments_) {
    if (!segment->request->complete()) oldest = std::min(oldest, segment->number);
  }
  return oldest;
}

void SendBuffer::segment_left() {
  if (flushes_.empty()) return;
  const std::uint64_t oldest = oldest_in_flight();
  for (FlushRequest* flush : flushes_) {
    if (!flush->complete() && flush->number() <= oldest) flush->finish();
  }
}

p2p::Request* SendBuffer::start_flush() {
  auto* flush = new FlushRequest(*this, next_number_);
  flushes_.push_back(flush);
  if (flush->number() <= oldest_in_flight()) flush->finish();
  return flush;
}

void SendBuffer::flush(p2p::PointToPoint& engine) {
  const std::uint64_t number = next_number_;
  engine.progress().wait([&] { return number <= oldest_in_flight(); },
                         [&] {
                           observe::Wait wait(observe::WaitKind::kAll);
                           for (const auto& segment : segments_) {
                             if (!segment->request->complete()) wait.add(segment->request->awaited());
                           }
                           return wait;
                         });
  reap();
}

Result<SendBuffer::Memory> SendBuffer::detach(p2p::PointToPoint& engine) {
  if (!attached()) {
    return Status::error(ErrorClass::kBuffer,
                         "no buffer for buffered sends is attached, so there is none to detach; attach one first");
  }
  flush(engine);
  const Memory memory{address_, bytes_};
  address_ = nullptr;
  bytes_ = 0;
  return memory;
}

SendBuffer& send_buffer_of(Context& context, CommObject& comm) {
  const auto attached = [](const Slot<SendBuffer>& buffer) { return buffer && buffer.get()->attached(); };
  if (attached(comm.buffer)) return *comm.buffer;
  SessionObject* from = context.session(to_handle<MPI_Session>(comm.comm->group()->origin()));
  return from != nullptr && attached(from->buffer) ? *from->buffer : *context.send_buffer;
}

void flush(Context& context, const Slot<SendBuffer>& buffer) {
  if (buffer) buffer.get()->flush(*context.p2p);
}

void flush_buffers(Context& context) {
  flush(context, context.send_buffer);
  if (context.world_comm) flush(context, context.world_comm->buffer);
  if (context.self_comm) flush(context, context.self_comm->buffer);
  context.sessions.for_each([&](std::uintptr_t /*handle*/, auto& session) { flush(context, session->buffer); });
  context.comms.for_each([&](std::uintptr_t /*handle*/, auto& comm) { flush(context, comm->buffer); });
}

}  // namespace starling::mpi
