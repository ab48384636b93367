// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Parliament: the agreements of one communicator at this process, and how they travel: each message is a signal of
// p2p/, taken in whatever call the process is in. It outlives the communicator, because a member that lost its parent
// may still ask for the last verdict.
//
// Layout of a signal: words = {number of the agreement, 1 for a verdict}, payload = flags, token, dead, acknowledged,
// in 64-bit words. Thread safety: the holder of the world's lock.
// Invariants: agreements are numbered alike everywhere. Verdicts are kept for kKept agreements more: a member takes
// part in one only after it has begun all before, and nobody has so many under way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "p2p/engine.hpp"
#include "resilience/agreement.hpp"
#include "resilience/standing.hpp"

namespace starling::resilience {

/// The kinds of signals.
enum class SignalKind : std::int32_t { kRevoke, kBallot };

/// What an agreement waits behind: complete when there is a verdict.
class VerdictRequest final : public p2p::Request {
 public:
  VerdictRequest() noexcept : Request(p2p::RequestKind::kCollective) {}

  Ballot verdict;
  /// Called with the verdict before the request completes.
  using Conclude = std::function<void(VerdictRequest&)>;
  Conclude conclude;

  void deliver(const Ballot& ballot);
  void dispose() override;

 private:
  ~VerdictRequest() override = default;
  bool disposed_ = false;
};

class Parliament {
 public:
  using Token = std::function<std::uint64_t()>;

  Parliament(p2p::Engine& p2p, std::uint32_t context_id, Members members);

  /// Takes part in an agreement. token: see Agreement::Post; conclude: see VerdictRequest.
  VerdictRequest* start(std::uint64_t number, const Ballot& mine, Token token, VerdictRequest::Conclude conclude);
  void receive(std::int32_t peer, const p2p::Signal& signal);
  void mourn(std::int32_t peer);

 private:
  struct Session;
  static constexpr std::uint64_t kKept = 64;

  Session& session(std::uint64_t number);
  void look(std::uint64_t number, Session& session);

  p2p::Engine& p2p_;
  std::uint32_t context_id_;
  Members members_;
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
  std::uint64_t settled_ = 0;  ///< the last agreement that has its verdict here
};

}  // namespace starling::resilience
