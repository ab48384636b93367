// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FarOrigin: what one rank has under way at the targets of a window that are on other nodes.
//
// An access is a request (far_message.hpp). Its call returns when the request and its data are on their way; the
// origin's buffers are free when what was sent has left and what was asked for has come (finish_here), and all is done
// at the target after a flush (finish). Data of more than a piece go straight from and to the program's memory where
// both sides are contiguous, else through pieces of which a bounded number is under way.
//
// A program that flushes flushes again: after as many accesses as before the last flush the next one asks the target to
// answer when it is done, as it would answer a flush. If a flush follows it has only to wait. If none does the answer
// is a message for nothing, one for each flush at most.
//
// Thread safety: the world's lock; what waits gives it up. Invariants: what is under way to one target is reaped in the
// order in which it was begun.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ref.hpp"
#include "datatype/pack/pack.hpp"
#include "p2p/point_to_point.hpp"
#include "rma/far/combs.hpp"
#include "rma/far/far_access_request.hpp"
#include "rma/far/far_message.hpp"
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
  /// Where what has come in a buffer goes.
  struct Landing {
    Ref<const datatype::Datatype> type;  ///< null: nowhere
    void* address = nullptr;
    std::int64_t count = 0;
    std::int64_t position = 0;  ///< in the packed sequence
    std::int64_t bytes = 0;
  };
  struct Pending {
    p2p::Request* request;
    std::unique_ptr<std::byte[]> buffer;
    Landing landing;
  };
  /// A request that completes when so many pendings are reaped.
  struct Watcher {
    std::uint64_t count;
    FarAccessRequest* request;
  };
  /// What is known of one target.
  struct Toward {
    std::int32_t rank = 0;
    std::deque<Pending> pending;
    std::uint64_t begun = 0;   ///< pendings so far
    std::uint64_t reaped = 0;  ///< of them
    std::deque<Watcher> watchers;
    std::deque<p2p::Request*> answers;  ///< each says that all before it is done at the target
    std::uint64_t answers_asked = 0;
    std::uint64_t answers_taken = 0;
    std::uint64_t accesses = 0;        ///< without a result, since the last flush
    std::uint64_t foreseen_flush = 1;  ///< after so many of them
    bool has_unanswered_accesses = false;
    bool has_unanswered_words = false;  ///< unlocks and the like
    bool is_busy = false;               ///< on busy_
    Status failure;                     ///< the first since the last finish

    [[nodiscard]] bool idle() const noexcept { return pending.empty() && answers.empty(); }
  };

  /// A buffer with a request at its beginning, and its combs.
  struct Packet {
    std::unique_ptr<std::byte[]> bytes;
    std::int64_t size = 0;
    std::byte* data = nullptr;  ///< behind the combs
  };
  static void set_flags(Packet& packet, std::uint8_t flags) noexcept;
  static Packet packet_of(FarRequest request, std::span<const Comb> combs, std::int64_t data_bytes);
  [[nodiscard]] FarRequest request_of(FarAct act, const FarAccess& access) const;

  Toward& toward(std::int32_t rank);
  [[nodiscard]] p2p::Message message(void* data, std::int64_t bytes, std::int32_t rank, FarTag tag) const;
  void send(Toward& to, Packet packet);
  void send_word(Toward& to, FarAct act, std::uint8_t flags = 0);
  void note(Toward& to, Pending pending);
  /// The same of a result, which tells as well that all before it is done.
  void note_result(Toward& to, Pending pending);
  void be_busy(Toward& to);
  /// A message of an access without a result; the last one asks for an answer where a flush is foreseen.
  Status send_access(Toward& to, Packet packet, FarRequest request, bool is_last);
  /// What was sent last will be answered when it is done, and so all before it.
  void expect_answer(Toward& to);
  /// Receives the answer to a request that was sent: into a buffer, which lands later, or straight into the landing
  /// where that is one stretch.
  Status receive_answer(Toward& from, const FarRequest& request, Landing landing);
  /// Waits for one byte.
  Result<std::uint8_t> wait_for_byte(Toward& from, FarTag tag);
  /// What the target says of the memory, where it is asked. answer: what it would send then, or null.
  Status await_verdict(Toward& from, const FarRequest& request, p2p::Request* answer);
  Status put_long(const datatype::PackCursor& from, const FarAccess& to);
  Status get_long(const Buffer& origin, const FarAccess& from, std::int64_t bytes);
  bool reap(Toward& to);
  static void tell_watchers(Toward& to);
  static void land(const Pending& pending) noexcept;
  void wait_until_reaped(Toward& to, std::uint64_t count);
  /// Waits until few pieces are under way.
  void make_room(Toward& to);
  void ask_to_flush(Toward& to);
  /// Asks, if no answer that is awaited covers all accesses, and remembers after how many of them.
  void begin_flush(Toward& to);
  /// Waits for what was begun towards a rank, and for the answers that were asked for.
  Status finish_both(std::int32_t rank);
  Status finish_both_all();
  /// What failed, and lets go of everything where the window is broken.
  Status take_failure(Toward& to);
  /// Targets that something was sent to; others may come while a call waits.
  [[nodiscard]] std::vector<std::int32_t> known() const;

  p2p::PointToPoint& p2p_;
  comm::Communicator& comm_;
  WindowPeers& peers_;
  FarMemory memory_;
  std::unordered_map<std::int32_t, Toward> targets_;
  std::vector<Toward*> busy_;  ///< with something under way
};

}  // namespace starling::rma
