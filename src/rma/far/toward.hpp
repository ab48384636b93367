// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Toward: what one rank has under way to one target on another node, and what it knows of it.
//
// Answers of the target tell more than they carry: requests are done in order, so each says that all before it is done.
// A program that flushes flushes again. So after as many accesses as before the last flush the next one asks the target
// to answer when it is done, as it would answer a flush. If a flush follows it has only to wait. If none does the
// answer is a message for nothing, one for each flush at most.
//
// Thread safety: the world's lock. Invariants: what is under way is reaped in the order in which it was begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/ref.hpp"
#include "datatype/types/datatype.hpp"
#include "p2p/point_to_point.hpp"
#include "rma/far/far_access_request.hpp"
#include "rma/far/far_message.hpp"

namespace starling::rma {

struct Toward {
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

  std::int32_t rank = 0;
  std::deque<Pending> pending;
  std::uint64_t begun = 0;   ///< pendings so far
  std::uint64_t reaped = 0;  ///< of them
  std::deque<Watcher> watchers;
  std::deque<p2p::Request*> answers;  ///< that carry nothing
  std::uint64_t answers_asked = 0;
  std::uint64_t answers_taken = 0;
  std::uint64_t accesses = 0;        ///< without a result, since the last flush
  std::uint64_t foreseen_flush = 1;  ///< after so many of them
  bool has_unanswered_accesses = false;
  bool has_unanswered_words = false;  ///< unlocks and the like
  bool is_busy = false;               ///< FarOrigin looks after it
  Status failure;                     ///< the first since the last finish

  [[nodiscard]] bool idle() const noexcept { return pending.empty() && answers.empty(); }
  /// The last request of an access without a result is about to be sent: it asks for an answer where a flush is
  /// foreseen.
  void foresee_flush(FarRequest& request) noexcept;
  /// A flush: the next one is foreseen after as many accesses.
  void note_flush() noexcept;
  /// An answer is awaited that comes when all that was sent is done.
  void note_covered() noexcept { has_unanswered_accesses = has_unanswered_words = false; }
  /// Takes what has arrived or left.
  bool reap();
  /// Ends all that is under way, in failure.
  void give_up(const Status& why);

 private:
  void tell_watchers();
  static void land(const Pending& pending) noexcept;
};

}  // namespace starling::rma
