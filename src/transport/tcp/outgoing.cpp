// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/outgoing.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "datatype/pack/pack.hpp"

namespace starling::transport::tcp {
namespace {

/// Memory that an idle connection may have for what it keeps.
constexpr std::size_t kSpareBytes = 4096;

}  // namespace

void Outgoing::send(int socket, const Frame& frame, const void* payload) {
  ++frames_;
  const Piece pieces[] = {{&frame, sizeof frame}, {payload, frame.bytes}};
  write(socket, pieces);
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
  if (broken_) return forget_kept();
  iovec parts[3];
  std::size_t count = 0;
  if (kept_bytes() != 0) parts[count++] = {kept_.data() + begin_, kept_bytes()};
  for (const Piece& piece : pieces) {
    if (piece.bytes != 0) parts[count++] = {const_cast<void*>(piece.data), piece.bytes};
  }
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = count;
  ssize_t written = 0;
  do written = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (written < 0 && errno == EINTR);
  if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) {
    broken_ = true;
    return forget_kept();
  }
  std::size_t taken = written < 0 ? 0 : static_cast<std::size_t>(written);
  const std::size_t of_kept = std::min(taken, kept_bytes());
  begin_ += of_kept;
  taken -= of_kept;
  for (const Piece& piece : pieces) {
    const std::size_t of_piece = std::min(taken, piece.bytes);
    append(static_cast<const std::byte*>(piece.data) + of_piece, piece.bytes - of_piece);
    taken -= of_piece;
  }
  stuck_ = kept_bytes() != 0;
  if (!stuck_) forget_kept();
}

void Outgoing::forget_kept() noexcept {
  kept_.clear();
  if (kept_.capacity() > kSpareBytes) std::vector<std::byte>().swap(kept_);
  begin_ = 0;
  frames_ = 0;
  stuck_ = false;
}

}  // namespace starling::transport::tcp
