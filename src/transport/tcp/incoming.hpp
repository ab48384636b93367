// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Incoming: what a connection reads. Frames that arrive whole are handed on where they lie in the staging memory, which
// all connections of a rank share. The payload of a frame that arrives in parts goes to the place that the sink has for
// it, or to memory of its own until the frame is whole.
// Thread safety: the world's lock. Invariants: frames are handed on whole and in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "transport/tcp/frame.hpp"

namespace starling::transport::tcp {

/// Takes the frames that a connection has read.
class FrameSink {
 public:
  /// placed: destination() had a place for its payload when that began to arrive.
  virtual void on_frame(const Frame& frame, std::span<const std::byte> payload, bool placed) = 0;
  /// See transport::Sink.
  virtual std::byte* destination(const Frame& frame) = 0;

 protected:
  ~FrameSink() = default;
};

class Incoming {
 public:
  enum class Outcome : std::uint8_t {
    kNothing,  ///< has arrived
    kSome,
    kEnded,  ///< nothing comes any more; see why()
  };

  explicit Incoming(std::size_t max_payload) noexcept : max_payload_(max_payload) {}

  /// Reads once. staging: much more than a frame's header.
  Outcome receive(int socket, std::span<std::byte> staging, FrameSink& sink);

  /// Why nothing comes any more, as an errno; 0: the peer has closed.
  [[nodiscard]] int why() const noexcept { return why_; }

 private:
  /// Reads what is left of the payload, and then into staging; -1 as recv.
  [[nodiscard]] std::ptrdiff_t read(int socket, std::span<std::byte> staging) noexcept;
  /// Hands on the frames in what was read; false when it is no frame.
  bool take(std::span<const std::byte> read, FrameSink& sink);

  std::size_t max_payload_;
  int why_ = 0;
  bool expects_long_ = false;  ///< the last payload was long

  /// Takes the header and its pad off what was read; whether that is all of them.
  [[nodiscard]] bool take_head(std::span<const std::byte>& read) noexcept;
  /// A payload begins to arrive in parts.
  void begin_payload(std::span<const std::byte> first, FrameSink& sink);

  // Of a frame that has arrived in part.
  Frame frame_;
  std::size_t head_bytes_ = 0;                ///< of its header and pad
  std::byte* payload_ = nullptr;              ///< where its payload goes; set once its header is whole
  std::size_t payload_bytes_ = 0;             ///< that have arrived
  bool placed_ = false;                       ///< the sink had a place for it
  std::unique_ptr<std::byte[]> own_payload_;  ///< where the sink has no place
};

}  // namespace starling::transport::tcp
