// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Fabric: one endpoint of libfabric (FI_EP_RDM) for messages (FI_MSG), with its addresses and its queue of completions.
// Thread safety: the world's lock, but any thread may poll descriptor().
// Invariants: a buffer that has been handed over stays where it is until its completion is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "transport/ofi/buffers.hpp"
#include "transport/ofi/frame.hpp"
#include "transport/ofi/settings.hpp"
#include "transport/tcp/socket_address.hpp"

namespace starling::transport::ofi {

/// The number under which the provider knows a peer's address.
using Place = std::uint64_t;

enum class Outcome : std::uint8_t {
  kDone,
  kNotNow,  ///< no room; a later poll may make some
  kFailed,  ///< see Fabric::last_error
};

struct Completion {
  Buffer* buffer = nullptr;  ///< null: of something injected, which has failed
  std::size_t bytes = 0;     ///< of what has been received
  bool failed = false;       ///< see Fabric::last_error
};

/// Memory that the provider knows; others may read it, or this process may read theirs into it.
class Registration {
 public:
  virtual ~Registration() = default;

  std::uint64_t address = 0;    ///< by which others name its beginning
  std::uint64_t key = 0;        ///< by which others may read it; not 0 where the address may be
  void* description = nullptr;  ///< for what this process does with it
};

class Fabric {
 public:
  /// own: the addresses of this rank in other networks, the best first; a provider with several takes the one that it
  /// has in common with them.
  static Result<std::unique_ptr<Fabric>> open(const Settings& settings, std::span<const tcp::SocketAddress> own);
  virtual ~Fabric() = default;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// Where others reach this endpoint; its token is 0.
  [[nodiscard]] virtual const Introduction& introduction() const noexcept = 0;
  /// Nothing when the provider does not take the address.
  [[nodiscard]] virtual std::optional<Place> insert(const Introduction& peer) = 0;

  /// Buffers that may be under way to one peer, so that one who does not look takes not all.
  [[nodiscard]] virtual std::uint32_t most_under_way() const noexcept = 0;
  /// Bytes that can be injected.
  [[nodiscard]] virtual std::size_t most_injected() const noexcept = 0;
  /// Sends a copy.
  [[nodiscard]] virtual Outcome inject(Place to, const void* data, std::size_t bytes) = 0;
  /// Sends the first bytes of the buffer, whose completion is reported.
  [[nodiscard]] virtual Outcome send(Place to, Buffer& buffer, std::size_t bytes) = 0;
  /// Gives the buffer to whatever comes next.
  [[nodiscard]] virtual Outcome receive(Buffer& buffer) = 0;

  /// Buffers of kPacketBytes that the provider may use, for as long as the fabric lives.
  [[nodiscard]] virtual Status allocate(std::size_t count, Buffer::Purpose purpose, std::vector<Buffer*>& made) = 0;

  /// The longest stretch of another process's memory that is read at once; 0: this provider reads none.
  [[nodiscard]] virtual std::size_t longest_read() const noexcept = 0;
  enum class Access : std::uint8_t { kReadByOthers, kReadInto };
  /// Null where the provider does not take it.
  [[nodiscard]] virtual std::unique_ptr<Registration> register_memory(void* memory, std::size_t bytes,
                                                                      Access access) = 0;
  struct Read {
    void* into = nullptr;
    std::size_t bytes = 0;
    void* description = nullptr;  ///< of what is read into
    std::uint64_t address = 0;    ///< there
    std::uint64_t key = 0;
  };
  /// Reads another process's memory; the completion of the buffer, which has no memory, is reported.
  [[nodiscard]] virtual Outcome read(Place from, Buffer& buffer, const Read& read) = 0;

  /// What is complete; how many of them.
  [[nodiscard]] virtual std::size_t poll(std::span<Completion> found) = 0;
  /// Why the last call or completion has failed, as the provider says it.
  [[nodiscard]] virtual const std::string& last_error() const noexcept = 0;

  /// Readable when there is a completion; -1: this provider has none.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
  /// From now on the descriptor becomes readable when something is to be done; false: something is already.
  [[nodiscard]] virtual bool arm() = 0;

 protected:
  Fabric() = default;
};

}  // namespace starling::transport::ofi
