// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The shared-memory layout of one connection (one sender, one receiver).
//
//   ReceiverLine | HeldLine | CopyDescriptor[kCopyDescriptors] | Postbox[ring_slots] | buffers
//
// The sender fills postboxes in order and publishes each packet by storing its sequence number; the receiver empties
// them in order and says how far it is in its line, which the sender reads only when its ring looks full. Each packet
// also says how much of the other direction its sender has taken meanwhile, so that two ranks that answer each other
// know it at no cost. A short payload lies in the postbox, a somewhat longer one in the postboxes behind it, a larger
// one in the buffers, and the postbox says where. Every postbox begins with a sequence number, so that old payload is
// never taken for a new packet; in the postboxes that only continue a packet it is zero. Source: Sun HPC ClusterTools,
// "Sun MPI Implementation", Postboxes and Buffers.
//
// Thread safety: each field names its writer; a postbox belongs to the sender until published and to the receiver until
// consumed has passed it. All orders that C++ permits are tried in tests/weak_memory: postbox_test.cpp for the packets,
// single_copy_test.cpp for the copy descriptors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"

namespace starling::transport::shm {

/// Where a packet's payload is.
enum class Form : std::uint8_t {
  kInline = 0,       ///< payload in the postbox and those behind it, no words
  kInlineWords = 1,  ///< two words, then up to Words::kInlineBytes of payload in the postbox
  kBuffer = 2,       ///< two words, payload in the buffers
  // The same, where the sender had the choice (FillingChoice); the receiver may do as it does.
  kBufferBySettings = 3,
  kBufferThroughCache = 4,
};

/// What a postbox holds besides the header when its payload is not simply inline.
struct Words {
  static constexpr std::size_t kInlineBytes = 24;

  std::uint64_t words[2];
  union {
    std::uint64_t offset;  ///< of the payload in the buffers
    std::byte data[kInlineBytes];
  };
};

struct alignas(kCacheLine) Postbox {
  static constexpr std::size_t kInlineBytes = 40;

  std::atomic<std::uint32_t> sequence{0};  ///< sequence_at(position in the stream of postboxes), stored last
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  Form form = Form::kInline;
  std::uint8_t taken = 0;  ///< postboxes of the other direction taken since the packet before said so, at most 255
  std::uint32_t context_id = 0;
  std::int32_t tag = 0;
  std::int32_t source = 0;
  std::uint32_t bytes = 0;  ///< of payload
  union {
    std::byte data[kInlineBytes];
    Words far;
  };

  Postbox() noexcept : data{} {}
};
static_assert(sizeof(Postbox) == kCacheLine && sizeof(Words) == Postbox::kInlineBytes);

/// A postbox that continues the payload of the one before it.
struct alignas(kCacheLine) Continuation {
  static constexpr std::size_t kBytes = kCacheLine - sizeof(std::uint32_t);

  std::atomic<std::uint32_t> zero{0};
  std::byte data[kBytes];
};
static_assert(sizeof(Continuation) == sizeof(Postbox));

/// Never zero, and different for positions that share a postbox.
[[nodiscard]] constexpr std::uint32_t sequence_at(std::uint64_t position) noexcept {
  return static_cast<std::uint32_t>(position) * 2 + 1;
}

/// Postboxes that an inline payload takes.
[[nodiscard]] constexpr std::uint32_t postboxes_for(std::size_t bytes) noexcept {
  if (bytes <= Postbox::kInlineBytes) return 1;
  return 1 +
         static_cast<std::uint32_t>((bytes - Postbox::kInlineBytes + Continuation::kBytes - 1) / Continuation::kBytes);
}

/// Written by the receiver: how much of the stream it has taken.
struct alignas(kCacheLine) ReceiverLine {
  std::atomic<std::uint64_t> consumed{0};
};

/// Written by the receiver, seldom: bytes of this sender's messages that wait for a receive.
struct alignas(kCacheLine) HeldLine {
  std::atomic<std::uint64_t> bytes{0};
};

/// A long message that both ends copy straight from memory to memory, chunk by chunk.
///
/// The sender offers it with its message's announcement; the receiver opens it when the message is matched. Then
/// each end takes the next chunk whenever it is in the library: the receiver reads from the sender's memory, the sender
/// writes into the receiver's. The sender may use a descriptor again once the receiver has closed it.
struct alignas(kCacheLine) CopyDescriptor {
  enum DescriptorState : std::uint32_t {
    kFree = 0,
    kOffered = 1,
    kOpen = 2,
    kRefused = 3,  ///< the receiver asks for the data another way
    kClosed = 4,
    kTakenBack = 5,
    kDeclined = 6,  ///< the receiver has dropped the message and asks for nothing
  };

  std::atomic<std::uint32_t> state{kFree};  ///< kFree, kOffered, kTakenBack by the sender, the others by the receiver
  std::uint32_t chunk_bytes = 0;            ///< receiver, before kOpen
  std::uint64_t bytes = 0;                  ///< receiver, before kOpen
  std::uint64_t source = 0;                 ///< sender, before kOffered
  std::uint64_t destination = 0;            ///< receiver, before kOpen
  std::atomic<std::uint64_t> claimed{0};    ///< both: bytes handed out so far, in chunks
  std::atomic<std::uint64_t> copied{0};     ///< both: bytes copied so far
};
static_assert(sizeof(CopyDescriptor) == kCacheLine);

/// As many long messages between two ranks as both ends can be busy with; with the usual ring they need no page more.
inline constexpr std::uint32_t kCopyDescriptors = 32;

struct ConnectionHead {
  ReceiverLine receiver;
  HeldLine held;
  CopyDescriptor copy_descriptors[kCopyDescriptors];
};
static_assert(sizeof(ReceiverLine) == kCacheLine && sizeof(HeldLine) == kCacheLine);
static_assert(sizeof(ConnectionHead) == (2 + kCopyDescriptors) * kCacheLine);

}  // namespace starling::transport::shm
