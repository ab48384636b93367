// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/agreement.hpp"

namespace starling::resilience {
namespace {

/// Of the binary tree over all members, dead or alive; -1 for the top.
std::int32_t ancestor(std::int32_t member) noexcept { return member == 0 ? -1 : (member - 1) / 2; }

void join(Vote& into, const Vote& other) {
  into.flags &= other.flags;
  into.dead.unite(other.dead);
  into.acknowledged.intersect(other.acknowledged);
}

}  // namespace

Agreement::Agreement(std::int32_t member, std::int32_t members)
    : member_(member), members_(members), dead_(members), reported_(members) {
  joined_.dead = RankSet(members);
  joined_.acknowledged = RankSet::everybody(members);
}

std::int32_t Agreement::lowest_living() const noexcept {
  std::int32_t member = 0;
  while (dead_.has(member)) ++member;
  return member;
}

/// kNobody for the root.
std::int32_t Agreement::parent_of(std::int32_t member) const noexcept {
  std::int32_t above = ancestor(member);
  while (above >= 0 && dead_.has(above)) above = ancestor(above);
  if (above >= 0) return above;
  const std::int32_t root = lowest_living();
  return root == member ? kNobody : root;
}

/// The living members nearest below, `member` included, have reported; this member itself need not.
bool Agreement::reported_below(std::int32_t member) const noexcept {
  if (member >= members_ || member == member_) return true;
  if (!dead_.has(member)) return reported_.has(member);
  return reported_below(2 * member + 1) && reported_below(2 * member + 2);
}

bool Agreement::all_children_reported() const noexcept {
  if (!reported_below(2 * member_ + 1) || !reported_below(2 * member_ + 2)) return false;
  // The root has the orphans, too.
  return member_ == 0 || lowest_living() != member_ || reported_below(0);
}

void Agreement::start(const Vote& mine, Post& post) {
  started_ = true;
  join(joined_, mine);
  move_on(post);
}

void Agreement::receive(std::int32_t from, const AgreementMessage& message, Post& post) {
  if (dead_.has(from)) return;
  if (message.verdict) {
    if (!verdict_) adopt(message.vote, post);
    return;
  }
  if (verdict_) {
    post.send(from, {true, *verdict_});
    return;
  }
  reported_.insert(from);
  join(joined_, message.vote);
  move_on(post);
}

void Agreement::handle_failure(std::int32_t dead, Post& post) {
  if (dead_.has(dead)) return;
  dead_.insert(dead);
  if (!verdict_) {
    move_on(post);
  } else if (told_ == dead) {
    // The new parent may be a new root, which must not decide otherwise.
    told_ = parent_of(member_);
    if (told_ != kNobody) post.send(told_, {true, *verdict_});
  }
}

void Agreement::move_on(Post& post) {
  if (!started_ || verdict_ || !all_children_reported()) return;
  const std::int32_t parent = parent_of(member_);
  if (parent == kNobody) {
    Vote verdict = joined_;
    verdict.dead.unite(dead_);
    verdict.token = post.token();
    adopt(verdict, post);
  } else if (parent != told_) {
    told_ = parent;
    Vote report = joined_;
    report.dead.unite(dead_);
    post.send(parent, {false, report});
  }
}

void Agreement::adopt(const Vote& verdict, Post& post) {
  verdict_ = verdict;
  for (std::int32_t member = 0; member < members_; ++member) {
    if (reported_.has(member) && !dead_.has(member)) post.send(member, {true, verdict});
  }
}

}  // namespace starling::resilience
