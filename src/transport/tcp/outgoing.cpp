// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/outgoing.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "datatype/pack/pack.hpp"
#include "transport/tcp/socket_state.hpp"

namespace starling::transport::tcp {
namespace {

/// Memory that an idle connection may have for what it keeps.
constexpr std::size_t kSpareBytes = 4096;
/// Payloads that are copied behind their header: shorter than what the system takes to read a list of two.
constexpr std::size_t kCopied = 1024;
/// Payloads that are not begun before the socket has room for them.
constexpr std::size_t kLongFrame = 32 * 1024;

/// What the socket takes of the parts; -1: see errno.
ssize_t taken_of(int socket, std::span<iovec> parts) noexcept {
  constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ssize_t written = 0;
  do {
    written = parts.size() == 1 ? send(socket, parts[0].iov_base, parts[0].iov_len, kFlags)
                                : sendmsg(socket, &message, kFlags);
  } while (written < 0 && errno == EINTR);
  return written;
}

}  // namespace

void Outgoing::send(int socket, const Frame& frame, const void* payload) {
  ++frames_;
  if (frame.bytes <= kCopied) {
    std::byte copy[sizeof frame + kCopied];
    std::memcpy(copy, &frame, sizeof frame);
    if (frame.bytes != 0) std::memcpy(copy + sizeof frame, payload, frame.bytes);
    const Piece pieces[] = {{copy, sizeof frame + frame.bytes}};
    return write(socket, pieces);
  }
  const PaddedFrame padded(frame);
  const Piece pieces[] = {{&padded, sizeof padded}, {payload, frame.bytes}};
  write(socket, pieces);
}

bool Outgoing::has_room(int socket, std::size_t bytes) noexcept {
  if (bytes <= kLongFrame) return true;
  stuck_ = !has_room_for(socket, bytes);
  return !stuck_;
}

std::size_t Outgoing::begin(int socket, const Frame& frame, const void* payload) {
  const PaddedFrame padded(frame);
  append(&padded, sizeof padded);
  owed_ = frame.bytes;
  return go_on(socket, payload, frame.bytes);
}

std::size_t Outgoing::go_on(int socket, const void* payload, std::size_t bytes) {
  const Piece pieces[] = {{payload, bytes}};
  const std::size_t taken = written_of(socket, pieces);
  owed_ -= taken;
  if (kept_bytes() == 0) forget_kept();
  return taken;
}

void Outgoing::keep(const Frame& frame, const void* payload) {
  ++frames_;
  append(&frame, sizeof frame);
  append(payload, frame.bytes);
}

void Outgoing::keep_packed(Frame frame, datatype::PackCursor& cursor) {
  ++frames_;
  const std::size_t at = kept_.size();
  kept_.resize(at + sizeof frame + frame.bytes);
  frame.bytes = static_cast<std::uint32_t>(cursor.pack(kept_.data() + at + sizeof frame, frame.bytes));
  std::memcpy(kept_.data() + at, &frame, sizeof frame);
  kept_.resize(at + sizeof frame + frame.bytes);
}

void Outgoing::write(int socket) { write(socket, {}); }

void Outgoing::append(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  kept_.insert(kept_.end(), first, first + bytes);
}

void Outgoing::write(int socket, std::span<const Piece> pieces) {
  std::size_t taken = written_of(socket, pieces);
  if (broken_) return forget_kept();
  for (const Piece& piece : pieces) {
    const std::size_t of_piece = std::min(taken, piece.bytes);
    append(static_cast<const std::byte*>(piece.data) + of_piece, piece.bytes - of_piece);
    taken -= of_piece;
  }
  stuck_ = kept_bytes() != 0;
  if (!stuck_) forget_kept();
}

std::size_t Outgoing::written_of(int socket, std::span<const Piece> pieces) {
  if (broken_) return 0;
  iovec parts[3];
  std::size_t count = 0;
  if (kept_bytes() != 0) parts[count++] = {kept_.data() + begin_, kept_bytes()};
  for (const Piece& piece : pieces) {
    if (piece.bytes != 0) parts[count++] = {const_cast<void*>(piece.data), piece.bytes};
  }
  if (count == 0) return 0;
  const ssize_t written = taken_of(socket, {parts, count});
  if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) broken_ = true;
  const std::size_t taken = written < 0 ? 0 : static_cast<std::size_t>(written);
  const std::size_t of_kept = std::min(taken, kept_bytes());
  begin_ += of_kept;
  return taken - of_kept;
}

void Outgoing::forget_kept() noexcept {
  kept_.clear();
  if (kept_.capacity() > kSpareBytes) std::vector<std::byte>().swap(kept_);
  begin_ = 0;
  frames_ = 0;
  stuck_ = false;
}

}  // namespace starling::transport::tcp
