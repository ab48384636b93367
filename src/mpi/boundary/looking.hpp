// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What every test and probe does when it does not find what it looks for: one round of progress, a second look, and in
// the end the core to somebody else (progress::Looks).
//
// Thread safety: the holder of the world's lock, which look_again() may give up for a moment at its end, when it finds
// nothing: nothing that another thread may change is used after that.
#pragma once

#include <cstddef>

#include "mpi/boundary/context.hpp"
#include "progress/looks.hpp"

namespace starling::mpi {

namespace internal {
/// The thread's.
extern thread_local constinit progress::Looks looks [[gnu::tls_model("initial-exec")]];
}  // namespace internal

/// Returns found(), called once after the round. `places`: how many calls like this one the program may make to see all
/// that it waits for. describe(): what it looks for, an observe::Wait, for the status card of a rank that goes on so.
template <typename Found, typename Describe = progress::Undescribed<observe::WaitKind::kTestLoop>>
bool look_again(Context& context, std::size_t places, const Found& found, const Describe& describe = {}) {
  return context.progress->look(
      internal::looks, places, [&](bool /*moved*/) { return found(); }, describe);
}

/// Places of a call that looks at `count` requests: the program may have others.
[[nodiscard]] inline std::size_t places_of_requests(const Context& context, std::size_t count) noexcept {
  const std::size_t alive = context.requests.alive();
  return count > 1 ? alive / count + 1 : alive;
}

}  // namespace starling::mpi
