// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/run/verified.hpp"

#include <vector>

#include "collective/choose/list.hpp"
#include "collective/run/call_digest.hpp"

namespace starling::collective {

Task run_verified(Call& call, const Arguments& arguments, Chooser& chooser, Gate& gate) {
  // One call after the other: they would not pass the shared buffer in the same order on every rank otherwise.
  GateLock alone(gate, call.executor());
  co_await alone.enter();
  const CallDigest mine = CallDigest::of(arguments);
  std::vector<CallDigest> digests(static_cast<std::size_t>(call.size()));
  Arguments exchange;
  exchange.operation = Operation::kAllgather;
  exchange.comm = arguments.comm;
  exchange.send_buffer = &mine;
  exchange.send_count = sizeof mine;
  exchange.send_type = &datatype::byte_type();
  exchange.receive_buffer = digests.data();
  exchange.receive_count = sizeof mine;
  exchange.receive_type = exchange.send_type;
  // Over messages, whatever the configuration says: ranks that disagree would not agree on an algorithm either.
  co_await allgather_bruck(call, exchange);
  Status same = compare(digests, call.rank());
  if (!same.ok()) {
    call.note(std::move(same));
    co_return;
  }
  co_await chooser.choose(call).run(call, arguments);
}

}  // namespace starling::collective
