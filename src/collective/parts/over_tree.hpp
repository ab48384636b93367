// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A whole message down a tree of ranks, and its mirror, a reduction up the tree. A Tree has at_top(), parent(),
// children() and child(index).rank; a subtree is a range of ranks, and children come in the order of growing subtrees.
// Thread safety: none; belongs to one coroutine.
#pragma once

#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

/// Who has the largest subtree is sent to first.
template <typename Tree>
Task bcast_down(Call& call, const Arguments& a, Tree tree) {
  if (!tree.at_top()) co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, tree.parent());
  Batch children(call);
  for (std::int32_t i = tree.children() - 1; i >= 0; --i) {
    children.add(call.send(a.receive_buffer, a.receive_count, *a.receive_type, tree.child(i).rank));
  }
  co_await children;
}

/// Where a reduction's tree begins: operators that do not commute are applied in rank order, so there rank 0 passes the
/// result on to the root.
[[nodiscard]] inline std::int32_t top_of_reduce(const Arguments& a) noexcept {
  return a.op->commutative() ? a.root : 0;
}

/// The result of a subtree is combined behind that of the ranks before it. top: top_of_reduce(), where the tree begins.
template <typename Tree>
Task reduce_up(Call& call, const Arguments& a, Tree tree, std::int32_t top) {
  const datatype::Datatype& type = *a.receive_type;
  Combining result(call, input(a), a.receive_count, type);
  const bool ends_here = tree.at_top() && a.root == call.rank();
  for (std::int32_t i = 0; i < tree.children(); ++i) {
    const bool is_last = i + 1 == tree.children();
    void* incoming = ends_here && is_last ? result.last_incoming(a.receive_buffer) : result.incoming();
    if (!incoming) co_return;
    co_await call.receive(incoming, a.receive_count, type, tree.child(i).rank);
    result.append();
  }
  if (!tree.at_top()) {
    co_await call.send(result.current(), a.receive_count, type, tree.parent());
  } else if (a.root != call.rank()) {
    co_await call.send(result.current(), a.receive_count, type, a.root);
  } else if (result.current() != a.receive_buffer) {
    call.copy(result.current(), a.receive_buffer, a.receive_count, type);
  }
  if (call.rank() == a.root && !tree.at_top()) co_await call.receive(a.receive_buffer, a.receive_count, type, top);
}

}  // namespace starling::collective
