// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Agreement: the survivors of a group agree on one verdict while members go on dying, at any moment. One object is one
// agreement at one member; it sends nothing itself but through the Post that is handed in.
//
// Contributions go up a binary tree over all members, the root decides when every living child has reported, and the
// verdict goes down the same way: 2 (n - 1) messages and 2 log2 n steps when no member dies. A member's parent is its
// nearest living ancestor. A member without one is an orphan and reports to the lowest living member, which is the
// root. A member that loses its parent reports to its next parent, with the verdict if it has it.
//
// Why a new root never decides against an old one: a living member that has a verdict got it from its parent. When that
// parent dies, the member sends the verdict to its next parent, and a parent neither reports nor decides before all its
// living children have reported. So the verdict reaches the new root before it can decide. A member answers late
// reports after it has its verdict; so keep the object for a while.
//
// Needs: a failure detector that never errs and in the end tells every survivor of every death; channels in order; and
// no message from a member after its death was handled here. A verdict that only dead members have seen is lost.
// Thread safety: as its owner. Invariants: a verdict never changes; living members report to one parent at a time.
// Source: the tree is after Herault et al., "Practical Scalable Consensus for Pseudo-Synchronous Distributed Systems",
// SC 2015; the exhaustive check is in tests/unit/resilience.
#pragma once

#include <cstdint>
#include <optional>

#include "resilience/rank_set.hpp"

namespace starling::resilience {

/// What a member contributes, and the verdict that results from all contributions.
struct Vote {
  std::uint64_t flags = ~std::uint64_t{0};  ///< joined bit by bit with AND
  std::uint64_t token = 0;                  ///< of the verdict only: what its root put in
  RankSet dead;                             ///< members that any member knows dead: joined by union
  RankSet acknowledged;                     ///< deaths that every member has acknowledged: joined by intersection

  friend bool operator==(const Vote&, const Vote&) = default;
};

struct AgreementMessage {
  bool verdict = false;  ///< a verdict, or a report of contributions
  Vote vote;

  friend bool operator==(const AgreementMessage&, const AgreementMessage&) = default;
};

class Agreement {
 public:
  /// How an agreement sends.
  class Post {
   public:
    virtual void send(std::int32_t member, const AgreementMessage& message) = 0;
    /// A word that the root puts into the verdict, such as a new context id. Asked for at most once for each verdict.
    virtual std::uint64_t token() = 0;

   protected:
    ~Post() = default;
  };

  Agreement(std::int32_t member, std::int32_t members);

  /// This member's contribution; once.
  void start(const Vote& mine, Post& post);
  void receive(std::int32_t from, const AgreementMessage& message, Post& post);
  /// A member is dead.
  void handle_failure(std::int32_t dead, Post& post);

  [[nodiscard]] bool started() const noexcept { return started_; }
  [[nodiscard]] const std::optional<Vote>& verdict() const noexcept { return verdict_; }

  friend bool operator==(const Agreement&, const Agreement&) = default;

  /// For the check of all interleavings: feeds every word of the state.
  template <typename Feed>
  void feed(Feed&& feed) const;

 private:
  static constexpr std::int32_t kNobody = -1;

  [[nodiscard]] std::int32_t parent_of(std::int32_t member) const noexcept;
  [[nodiscard]] std::int32_t lowest_living() const noexcept;
  [[nodiscard]] bool reported_below(std::int32_t member) const noexcept;
  [[nodiscard]] bool all_children_reported() const noexcept;
  /// Reports or decides if it is time to.
  void move_on(Post& post);
  void adopt(const Vote& verdict, Post& post);

  std::int32_t member_;
  std::int32_t members_;
  bool started_ = false;
  std::int32_t told_ = kNobody;  ///< the parent that has our report
  RankSet dead_;
  RankSet reported_;  ///< members that have reported to us
  Vote joined_;       ///< our contribution and those reported
  std::optional<Vote> verdict_;
};

template <typename Feed>
void Agreement::feed(Feed&& feed) const {
  const auto vote = [&](const Vote& b) {
    feed(b.flags);
    feed(b.token);
    feed(b.dead.word(0));
    feed(b.acknowledged.word(0));
  };
  feed(started_ ? 1 : 0);
  feed(static_cast<std::uint64_t>(told_ + 1));
  feed(dead_.word(0));
  feed(reported_.word(0));
  vote(joined_);
  feed(verdict_ ? 1 : 0);
  if (verdict_) vote(*verdict_);
}

}  // namespace starling::resilience
