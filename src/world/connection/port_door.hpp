// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PortDoor: where processes of other hosts call a port. The name of the port has its addresses and a key; a caller
// proves that it knows the key, and the door proves it to the caller, before anything else is read. Callers come in one
// after the other, while the process that has opened the port accepts at it; the others wait in the system's queue.
//
//   caller                             door
//   DoorHello: nonce              ->
//                                 <-   DoorChallenge: nonce, proof
//   DoorEntry: proof, card, who   ->
//                                 <-   DoorAnswer: card, who      when a process accepts (dynamic/port_call.hpp)
//
// Thread safety: the holder of the world's lock. Invariants: what a stranger sends costs 16 bytes of memory and two
// seconds at most.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/status.hpp"
#include "config/config.hpp"
#include "progress/engine.hpp"
#include "transport/tcp/listener.hpp"
#include "transport/tcp/proofs.hpp"
#include "transport/wake_source.hpp"

namespace starling::world {

/// Where a port can be called, as its name has it: a key and addresses.
struct DoorName {
  transport::tcp::Secret key{};
  std::vector<std::string> addresses;

  /// "<key in hexadecimal>,<address>,<address>..."
  [[nodiscard]] std::string text() const;
  static std::optional<DoorName> parse(std::string_view text);
};

struct DoorHello {
  static constexpr std::uint64_t kMagic = 0x31726f6f64676e69;  ///< counted up with each change of the messages
  std::uint64_t magic = kMagic;
  transport::tcp::Nonce nonce{};
};
struct DoorChallenge {
  transport::tcp::Nonce nonce{};
  transport::tcp::Proof proof{};
};
struct DoorEntry {
  transport::tcp::Proof proof{};
};
static_assert(sizeof(DoorHello) == 24 && sizeof(DoorChallenge) == 48 && sizeof(DoorEntry) == 32, "sent as they are");

/// What both ends make of the key and the two nonces.
struct DoorProofs {
  transport::tcp::Proof of_door;
  transport::tcp::Proof of_caller;
  transport::tcp::Secret secret;  ///< of the connection that they make

  static Result<DoorProofs> of(const transport::tcp::Secret& key, const transport::tcp::Nonce& caller,
                               const transport::tcp::Nonce& door);
};

class PortDoor final : public transport::WakeSource {
 public:
  /// A process that has proved that it knows the port's key. The rest of what it says is still to be read.
  struct Caller {
    Descriptor socket;
    transport::tcp::Secret secret;
  };

  static Result<std::unique_ptr<PortDoor>> open(const config::Store& config);
  ~PortDoor() = default;
  PortDoor(const PortDoor&) = delete;
  PortDoor& operator=(const PortDoor&) = delete;

  [[nodiscard]] const DoorName& name() const noexcept { return name_; }

  /// The next caller, if one has come and proved itself. Does not wait.
  std::optional<Caller> take();

  [[nodiscard]] int descriptor() const noexcept override { return events_.get(); }
  bool arm() override;

 private:
  struct Visitor {
    Descriptor socket;
    DoorProofs proofs{};
    bool is_challenged = false;
    std::int64_t due_ns = 0;
  };

  PortDoor() = default;
  bool watch(int descriptor) const noexcept;
  void let_in();
  /// False: it has gone, or is a stranger.
  bool hear(Visitor& visitor, bool* proved);

  DoorName name_;
  std::vector<transport::tcp::Listener> listeners_;
  Descriptor events_;  ///< an epoll set
  std::optional<Visitor> visitor_;
};

/// While it lives, a call at the door wakes this process. door: null, there is none.
class AtDoor {
 public:
  AtDoor(progress::Engine& progress, PortDoor* door) : progress_(progress), door_(door) {
    if (door_ != nullptr) progress_.add_wake_source(*door_);
  }
  ~AtDoor() {
    if (door_ != nullptr) progress_.remove_wake_source(*door_);
  }
  AtDoor(const AtDoor&) = delete;
  AtDoor& operator=(const AtDoor&) = delete;

 private:
  progress::Engine& progress_;
  PortDoor* door_;
};

}  // namespace starling::world
