// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CollectiveRequest: a collective that goes on behind a request: a nonblocking one with its own copy of the arguments,
// or one start of a persistent one. Thread safety: the holder of the world's lock. Ownership: pooled; gives itself back
// when complete and disposed of.
#pragma once

#include <optional>

#include "base/ref.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/run/persistent_call.hpp"
#include "p2p/request/request.hpp"

namespace starling::collective {

class CollectiveRequest final : public p2p::Request {
 public:
  CollectiveRequest(Executor& executor, p2p::PointToPoint& p2p, CommunicatorState& state, const Arguments& arguments);
  CollectiveRequest(Executor& executor, p2p::PointToPoint& p2p, PersistentCall& persistent);

  [[nodiscard]] Call& call() noexcept { return call_; }

  /// Who listens has been told that it has begun.
  void set_told(const observe::Occurrence& beginning) noexcept { told_ = beginning; }

  /// Runs the task as far as it goes now.
  void begin(Task task);

  void dispose() override;
  [[nodiscard]] observe::Awaited awaited() const override { return call_.awaited(); }

 private:
  /// The task has ended, and the executor says so.
  struct End : ReadyItem {
    CollectiveRequest* request;
  };

  ~CollectiveRequest() override = default;
  void announce_end() noexcept;
  void end();
  void break_off();
  void destroy();

  std::optional<KeptArguments> kept_;
  Ref<PersistentCall> persistent_;
  Call call_;
  std::optional<Task> task_;
  End end_;
  bool disposed_ = false;
  observe::Occurrence told_;  ///< its beginning; call 0: it was not told
};

/// Of calls that have ended when they return: complete from the beginning, and one for all of them.
class EmptyRequest final : public p2p::Request {
 public:
  EmptyRequest() : Request(p2p::RequestKind::kCollective) { finish(); }
  ~EmptyRequest() override = default;
  void dispose() override {}
};

}  // namespace starling::collective
