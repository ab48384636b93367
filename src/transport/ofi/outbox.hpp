// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Outbox: frames on their way to peers, and what is to be sent when the provider takes it: what it has refused,
// credits, answers, and questions to peers that do not say what they have seen. Thread safety: the world's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "transport/ofi/fabric.hpp"
#include "transport/ofi/ofi_peers.hpp"

namespace starling::transport::ofi {

class Outbox {
 public:
  class Host {
   public:
    /// Tells the peer where this rank is, if it has not been told.
    virtual void introduce(OfiPeer& peer) = 0;
    /// Looks whether the peer has ended.
    virtual void note_end(OfiPeer& peer) = 0;
    /// The provider reports an error about it.
    virtual void break_with(OfiPeer& peer) = 0;
    /// This rank sends something after its goodbye.
    virtual void take_goodbye_back(OfiPeer& peer) = 0;

   protected:
    ~Host() = default;
  };

  Outbox(Fabric& fabric, OfiPeers& peers, WorldRank rank, Host& host) noexcept
      : fabric_(fabric), most_under_way_(fabric.most_under_way()), peers_(peers), rank_(rank), host_(host) {}

  /// Whether the peer, which is joined, may be sent something.
  [[nodiscard]] bool has_room(const OfiPeer& peer) const noexcept;
  /// Null: there is no memory, see failure.
  [[nodiscard]] Buffer* free_buffer(Status& failure);
  /// Whether a frame with so much payload is injected.
  [[nodiscard]] bool injects(std::size_t bytes) const noexcept;

  /// Completes the frame of a packet that leaves now.
  void complete(OfiPeer& peer, Frame& frame);
  /// Sends a frame with a payload that is injected; false: it must be tried again.
  bool inject(OfiPeer& peer, Frame frame, const void* payload, std::size_t bytes);
  /// The buffer has a complete frame and its payload.
  void send(OfiPeer& peer, Buffer& buffer);
  /// The provider is through with a buffer.
  void take_back(Buffer& buffer, bool failed);

  /// There is something to do for the peer.
  void list(OfiPeer& peer) {
    if (!std::exchange(peer.is_listed, true)) listed_.push_back(peer.address);
  }
  /// Does it.
  void work();
  /// Asks the peer what it has seen.
  void ask(OfiPeer& peer);
  /// Asks peers that have not said for a while that they have seen all.
  void ask_around(std::int64_t now_ns);
  [[nodiscard]] bool is_unseen() const noexcept { return !unseen_.empty(); }
  [[nodiscard]] std::int64_t ask_at_ns() const noexcept { return unseen_.empty() ? INT64_MAX : ask_at_ns_; }

  /// Something waits for the provider.
  [[nodiscard]] bool is_busy() const noexcept { return under_way_ != 0 || is_refused_ || !listed_.empty(); }
  void begin_poll() noexcept { is_refused_ = false; }
  /// Nothing is sent to the peer any more.
  void forget(OfiPeer& peer);

 private:
  /// True: nothing is left to do.
  bool work_for(OfiPeer& peer);
  Outcome hand_over(OfiPeer& peer, Buffer& buffer);

  Fabric& fabric_;
  const std::uint32_t most_under_way_;
  OfiPeers& peers_;
  WorldRank rank_;
  Host& host_;
  std::vector<Buffer*> free_;
  std::vector<Address> listed_;
  std::vector<Address> unseen_;    ///< peers that may not have seen all
  std::uint64_t under_way_ = 0;    ///< buffers that the provider has
  std::int64_t ask_at_ns_ = 0;     ///< when peers are asked next
  std::int64_t ask_pause_ns_ = 0;  ///< between two questions
  bool is_refused_ = false;        ///< since the last poll the provider has not taken something
};

}  // namespace starling::transport::ofi
