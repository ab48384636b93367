// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FarOrigin: what one rank has under way at the targets of a window that are on other nodes.
//
// An access is a request (far_message.hpp). Its call returns when the request and its data are on their way; the
// origin's buffers are free when what was sent has left and what was asked for has come (finish_here), and all is done
// at the target after a flush (finish). Data of more than a piece go straight from and to the program's memory where
// both sides are contiguous, else through pieces of which a bounded number is under way.
//
// Thread safety: the world's lock; what waits gives it up. Invariants: what is under way to one target is reaped in the
// order in which it was begun.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "datatype/pack/pack.hpp"
#include "p2p/point_to_point.hpp"
#include "rma/far/combs.hpp"
#include "rma/far/far_message.hpp"
#include "rma/far/toward.hpp"
#include "rma/shared/window_peers.hpp"
#include "rma/target/target.hpp"

namespace starling::rma {

/// An access to a far target: its data at both ends, and where the target's begin.
struct FarAccess {
  const Place* place = nullptr;
  std::uint64_t address = 0;  ///< of displacement 0, as Comb counts
};

/// Whether a target says of each access whether it holds the memory, before the call returns.
enum class FarMemory : std::uint8_t { kFixed, kAttached };

class FarOrigin {
 public:
  FarOrigin(p2p::PointToPoint& p2p, comm::Communicator& comm, WindowPeers& peers, FarMemory memory);
  ~FarOrigin();
  FarOrigin(const FarOrigin&) = delete;
  FarOrigin& operator=(const FarOrigin&) = delete;

  // Accesses; both sides have the same number of bytes, but for a get, whose origin may take more. The data of
  // accumulates are elements of one predefined type. Without effect where the window is broken.
  Status put(const Buffer& origin, const FarAccess& to);
  Status get(const Buffer& origin, const FarAccess& from);
  /// result has a type where the old values are wanted.
  Status accumulate(const Buffer& origin, const Buffer& result, datatype::PredefinedOp op, const FarAccess& to);
  Status compare_and_swap(const void* wanted, const void* compare, void* result, const FarAccess& to);

  /// Waits until the origin's buffers are free, and what was asked for has come.
  Status finish_here(std::int32_t rank);
  Status finish_here_all();
  /// What completes with the accesses to a target so far, at the origin; null: they are complete.
  [[nodiscard]] p2p::Request* watch(std::int32_t rank);
  /// Waits until all accesses are done at the target as well.
  Status finish(std::int32_t rank);
  Status finish_all();
  /// Waits until all that was ever sent has been taken.
  Status settle();
  /// Lets go of what is under way. The window is broken.
  void abandon();

  void lock(std::int32_t rank, LockKind kind);
  /// Asks for the shared locks of several ranks at once; false: for none, and `refused` is one that has another lock.
  bool try_lock_shared(std::span<const std::int32_t> ranks, std::int32_t* refused);
  void unlock(std::int32_t rank, LockKind kind);
  void tell(std::int32_t rank, FarAct act);

  /// Takes back what has arrived or left; part of every poll.
  bool reap();

 private:
  /// A buffer with a request at its beginning, and its combs.
  struct Packet {
    std::unique_ptr<std::byte[]> bytes;
    std::int64_t size = 0;
    std::byte* data = nullptr;  ///< behind the combs
  };
  static Packet packet_of(FarRequest request, std::span<const Comb> combs, std::int64_t data_bytes);
  [[nodiscard]] FarRequest request_of(FarAct act, const FarAccess& access) const;

  Toward& toward(std::int32_t rank);
  [[nodiscard]] p2p::Message message(void* data, std::int64_t bytes, std::int32_t rank, FarTag tag) const;
  void send(Toward& to, Packet packet);
  void send_word(Toward& to, FarAct act, std::uint8_t flags = 0);
  void note(Toward& to, Toward::Pending pending);
  void be_busy(Toward& to);
  /// A message of an access without a result, and what the target says of it, where it is asked.
  Status send_access(Toward& to, Packet packet, const FarRequest& request);
  /// What was sent last will be answered when it is done, and so all before it.
  void expect_answer(Toward& to);
  /// Receives the answer to a request that was sent: into a buffer, which lands later, or straight into the landing
  /// where that is one stretch.
  Status receive_answer(Toward& from, const FarRequest& request, Toward::Landing landing);
  /// Waits for one byte.
  Result<std::uint8_t> wait_for_byte(Toward& from, FarTag tag);
  /// What the target says of the memory, where it is asked. answer: what it would send then, or null.
  Status await_verdict(Toward& from, const FarRequest& request, p2p::Request* answer);
  Status put_long(const datatype::PackCursor& from, const FarAccess& to);
  Status get_long(const Buffer& origin, const FarAccess& from, std::int64_t bytes);
  /// Waits until few pieces are under way.
  void make_room(Toward& to);
  enum class Covers : std::uint8_t { kAccesses, kWordsToo };
  /// Asks the target to answer, if no answer that is awaited covers all that it has been sent.
  void begin_flush(Toward& to, Covers covers);
  enum class Ends : std::uint8_t { kHere, kBoth };
  /// Waits for the end of what has begun, at this end or at both, and says what failed.
  Status await_end(Toward& to, Ends ends);
  /// ... towards all targets that something was sent to.
  Status await_all_ends(Ends ends);

  p2p::PointToPoint& p2p_;
  comm::Communicator& comm_;
  WindowPeers& peers_;
  FarMemory memory_;
  std::unordered_map<std::int32_t, Toward> targets_;
  std::vector<Toward*> busy_;  ///< with something under way
};

}  // namespace starling::rma
