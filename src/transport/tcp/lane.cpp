// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/lane.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace starling::transport::tcp {
namespace {

/// For the other rank to answer a call; it may compute.
constexpr std::int64_t kCallNs = 30'000'000'000;
/// The pause before a lane that has ended is called again is doubled each time that it ends soon, up to so many.
constexpr std::int64_t kMostPauses = 64;
constexpr std::int64_t kLongNs = 60'000'000'000;
constexpr std::int64_t kPauseNsPerMs = 1'000'000;

}  // namespace

Piece make_piece(PiecePool& pool, std::uint64_t packet, std::uint64_t at, const void* payload, std::size_t bytes) {
  Piece piece{packet, at, bytes, pool.take()};
  const PaddedFrame head(frame_of_piece(packet, at, bytes));
  std::memcpy(piece.memory.get(), &head, sizeof head);
  std::memcpy(piece.memory.get() + sizeof head, payload, bytes);
  return piece;
}

void Lane::call(WorldRank to, Handshake& handshake, EventSet& events, const Settings& settings, std::int64_t now_ns) {
  call_ = std::make_unique<LaneCall>(to, number_, handshake, events);
  call_until_ns_ = now_ns + kCallNs;
  first_pause_ns_ = settings.lane_pause_ms * kPauseNsPerMs;
  call_->begin(way_, settings);
}

void Lane::look_after_call(std::int64_t now_ns, bool has_event) {
  if (has_event) call_->go_on();
  if (!call_->is_over() && now_ns >= call_until_ns_) call_->give_up();
  if (!call_->is_over()) return;
  if (call_->state() == LaneCall::State::kOpen) {
    socket_ = call_->take_socket();
    opened_ns_ = now_ns;
    why_ = 0;
    rate = {};
    handed_bytes = 0;
  } else {
    static_cast<void>(close(now_ns));
  }
  call_.reset();
}

void Lane::give(Piece piece, std::int64_t now_ns) {
  handed_bytes += piece.frame_bytes();
  rate.note_handed();
  if (!silence_.expects()) silence_.expect(now_ns);
  pieces_.push_back(std::move(piece));
  write();
}

void Lane::write() {
  while (!is_free() && why_ == 0) {
    const Piece& piece = pieces_[written_];
    const ssize_t gone = send(socket_.get(), piece.memory.get() + written_bytes_, piece.frame_bytes() - written_bytes_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (gone < 0 && errno == EINTR) continue;
    if (gone < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)) return;
    if (gone < 0) {
      why_ = errno;
      return;
    }
    written_bytes_ += static_cast<std::size_t>(gone);
    if (written_bytes_ != piece.frame_bytes()) return;
    ++written_;
    written_bytes_ = 0;
  }
}

void Lane::forget(std::uint64_t before, PiecePool& pool) {
  for (std::size_t i = 0; i < written_;) {
    if (pieces_[i].packet >= before) {
      ++i;
      continue;
    }
    pool.give(std::move(pieces_[i].memory));
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
    --written_;
  }
}

std::vector<Piece> Lane::close(std::int64_t now_ns) {
  // Nothing of it shall arrive any more.
  const linger at_once{1, 0};
  if (socket_.valid()) setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_.reset();
  const bool lived_long = opened_ns_ != 0 && now_ns - opened_ns_ > kLongNs;
  pauses_ = lived_long || pauses_ == 0 ? 1 : std::min(2 * pauses_, kMostPauses);
  opened_ns_ = 0;
  due_ns_ = now_ns + pauses_ * first_pause_ns_;
  silence_ = {};
  written_ = written_bytes_ = 0;
  std::vector<Piece> left(std::make_move_iterator(pieces_.begin()), std::make_move_iterator(pieces_.end()));
  pieces_.clear();
  return left;
}

std::size_t Lane::waiting_bytes() const noexcept {
  std::size_t bytes = static_cast<std::size_t>(unacknowledged_bytes(socket_.get()).value_or(0));
  for (std::size_t i = written_; i < pieces_.size(); ++i) bytes += pieces_[i].frame_bytes();
  return bytes - written_bytes_;
}

}  // namespace starling::transport::tcp
