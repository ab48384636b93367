// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results.hpp"

#include <cstring>
#include <vector>

#include "base/format.hpp"
#include "program/registry.hpp"
#include "traffic.hpp"

namespace starling::array::detail {

void Results::call_back(const Callback& to, const char* bytes, std::size_t size) {
  switch (to.destination) {
    case Callback::Destination::kNone: return;
    case Callback::Destination::kFuture: return reply(host_.reply_to(to.rank, to.method), bytes, size, false);
    case Callback::Destination::kElement: {
      char* room = arrays_.at(to.array).router().room(to.index, to.method, {}, size);
      if (room != nullptr && size != 0) std::memcpy(room, bytes, size);
      return;
    }
    case Callback::Destination::kBroadcast: return arrays_.at(to.array).broadcasts().start(to.method, bytes, size);
    case Callback::Destination::kFunction: {
      if (!is_process(to.rank, "a function")) return;
      RecordHeader header;
      header.kind = RecordKind::kFunction;
      header.method = to.method;
      return host_.records().post_bytes(to.rank, header, bytes, size);
    }
  }
}

bool Results::is_process(int rank, const char* what) {
  if (rank < host_.size()) return true;
  host_.fail(
      formatted("a result is for {} of process {}, but there are only {} processes: make callbacks anew after "
                "resize()",
                what, rank, host_.size()));
  return false;
}

void Results::reply(const ReplyTo& to, const char* bytes, std::size_t size, bool is_error) {
  if (!is_process(to.rank, "a future")) return;
  RecordHeader header;
  header.kind = RecordKind::kReply;
  header.reply = to.slot;
  header.flags = is_error ? 1 : 0;
  host_.records().post_bytes(to.rank, header, bytes, size);
}

void Results::handle_reply(const Record& record) {
  const RecordHeader& header = record.header;
  if (host_.arrays_with_links != 0) count_reply(futures_, header.reply, header.payload);
  std::vector<Futures::Waiter> waiters;
  futures_.set(header.reply, record.payload, header.payload, header.flags != 0, waiters);
  for (const Futures::Waiter& each : waiters) executor_.resume_later(each.frame, each.entry);
}

void Results::handle_function(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload, &host_.session());
  method_numbered(record.header.method).invoke(&host_.session(), in, {});
}

}  // namespace starling::array::detail
