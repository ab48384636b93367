// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/incoming.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace starling::transport::tcp {
namespace {

/// After a payload of more bytes the next is expected to be as long.
constexpr std::size_t kLong = 32 * 1024;
/// What is read then beside the payload.
constexpr std::size_t kBesideLong = 4096;

}  // namespace

std::ptrdiff_t Incoming::read(int socket, std::span<std::byte> staging) noexcept {
  iovec parts[2] = {{}, {staging.data(), staging.size()}};
  if (payload_ != nullptr) parts[0] = {payload_ + payload_bytes_, frame_.bytes - payload_bytes_};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  ssize_t got = 0;
  do {
    got = payload_ == nullptr ? recv(socket, staging.data(), staging.size(), MSG_DONTWAIT)
                              : recvmsg(socket, &message, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  return got;
}

Incoming::Outcome Incoming::receive(int socket, std::span<std::byte> staging, FrameSink& sink) {
  if (payload_ != nullptr && !own_payload_ && sink.destination(frame_) != payload_) {
    own_payload_ = std::make_unique<std::byte[]>(frame_.bytes);  // for what nobody wants any more
    payload_ = own_payload_.get();
  }
  // Of a long payload as little as possible shall take the way over the staging memory.
  if (expects_long_) staging = staging.first(std::min(staging.size(), kBesideLong));
  const std::ptrdiff_t got = read(socket, staging);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Outcome::kNothing;
  if (got <= 0) {
    why_ = got < 0 ? errno : 0;
    return Outcome::kEnded;
  }
  auto left = static_cast<std::size_t>(got);
  if (payload_ != nullptr) {
    const std::size_t of_payload = std::min<std::size_t>(left, frame_.bytes - payload_bytes_);
    payload_bytes_ += of_payload;
    left -= of_payload;
    if (payload_bytes_ != frame_.bytes) return Outcome::kSome;
    const std::byte* payload = std::exchange(payload_, nullptr);
    const auto own = std::exchange(own_payload_, nullptr);
    head_bytes_ = 0;
    sink.on_frame(frame_, {payload, payload_bytes_}, placed_);
  }
  if (take(staging.first(left), sink)) return Outcome::kSome;
  why_ = EPROTO;
  return Outcome::kEnded;
}

bool Incoming::take(std::span<const std::byte> read, FrameSink& sink) {
  while (!read.empty()) {
    if (!take_head(read)) return true;
    if (frame_.bytes > max_payload_) return false;
    expects_long_ = frame_.bytes > kLong;
    if (read.size() < frame_.bytes) {
      begin_payload(read, sink);
      return true;
    }
    head_bytes_ = 0;
    const std::size_t bytes = frame_.bytes;
    sink.on_frame(frame_, read.first(bytes), false);
    read = read.subspan(bytes);
  }
  return true;
}

bool Incoming::take_head(std::span<const std::byte>& read) noexcept {
  if (head_bytes_ < sizeof frame_) {
    const std::size_t of_header = std::min(read.size(), sizeof frame_ - head_bytes_);
    std::memcpy(reinterpret_cast<std::byte*>(&frame_) + head_bytes_, read.data(), of_header);
    head_bytes_ += of_header;
    read = read.subspan(of_header);
    if (head_bytes_ != sizeof frame_) return false;
  }
  const std::size_t of_pad = std::min(read.size(), sizeof frame_ + frame_.pad - head_bytes_);
  head_bytes_ += of_pad;
  read = read.subspan(of_pad);
  return head_bytes_ == sizeof frame_ + frame_.pad;
}

void Incoming::begin_payload(std::span<const std::byte> first, FrameSink& sink) {
  payload_ = sink.destination(frame_);
  placed_ = payload_ != nullptr;
  if (!placed_) {
    own_payload_ = std::make_unique_for_overwrite<std::byte[]>(frame_.bytes);
    payload_ = own_payload_.get();
  }
  std::copy(first.begin(), first.end(), payload_);
  payload_bytes_ = first.size();
}

}  // namespace starling::transport::tcp
