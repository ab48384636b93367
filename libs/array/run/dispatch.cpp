// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which part of the process handles which kind of record.
#include <array>

#include "core.hpp"

namespace starling::array::detail {

namespace {

constexpr auto kFirst = static_cast<std::size_t>(RecordKind::kFirstOfProcess);
constexpr auto kEnd = static_cast<std::size_t>(RecordKind::kEndOfKinds);

template <class Part>
using Handler = void (*)(Part&, const Record&);

template <class Part, std::size_t kSize>
struct Table {
  std::array<Handler<Part>, kSize> handlers{};
  constexpr void add(RecordKind kind, Handler<Part> handler) { handlers[static_cast<std::size_t>(kind)] = handler; }
};

/// Records of an array.
constexpr Table<ArrayCore, kFirst> kOfArray = [] {
  using A = ArrayCore;
  Table<A, kFirst> table;
  table.add(RecordKind::kMessage, [](A& a, const Record& r) { a.router().handle(r); });
  table.add(RecordKind::kUpdate, [](A& a, const Record& r) { a.router().handle_update(r); });
  table.add(RecordKind::kCreate, [](A& a, const Record& r) { a.creation().handle_create(r); });
  table.add(RecordKind::kBuild, [](A& a, const Record& r) { a.creation().handle_build(r); });
  table.add(RecordKind::kMigrate, [](A& a, const Record& r) { a.migration().handle_migrate(r); });
  table.add(RecordKind::kArrived, [](A& a, const Record& r) { a.migration().handle_arrived(r); });
  table.add(RecordKind::kLanded, [](A& a, const Record& r) { a.migration().handle_landed(r); });
  table.add(RecordKind::kDied, [](A& a, const Record& r) { a.deletion().handle_died(r); });
  table.add(RecordKind::kBroadcastAsk, [](A& a, const Record& r) { a.broadcasts().handle_ask(r); });
  table.add(RecordKind::kBroadcast, [](A& a, const Record& r) { a.broadcasts().handle(r); });
  table.add(RecordKind::kLow, [](A& a, const Record& r) { a.broadcasts().handle_low(r); });
  table.add(RecordKind::kReport, [](A& a, const Record& r) { a.reductions().handle_report(r); });
  table.add(RecordKind::kLate, [](A& a, const Record& r) { a.reductions().handle_late(r); });
  table.add(RecordKind::kNudge, [](A& a, const Record& r) { a.reductions().handle_nudge(r); });
  table.add(RecordKind::kEmpty, [](A& a, const Record& r) { a.reductions().handle_empty(r); });
  table.add(RecordKind::kMeasured, [](A& a, const Record& r) { a.balancer().handle_measured(r); });
  table.add(RecordKind::kGrouped, [](A& a, const Record& r) { a.balancer().handle_grouped(r); });
  table.add(RecordKind::kMoves, [](A& a, const Record& r) { a.balancer().handle_moves(r); });
  table.add(RecordKind::kSection, [](A& a, const Record& r) { a.sections().handle(r); });
  return table;
}();

}  // namespace

/// Records that concern no array.
class CoreDispatch {
 public:
  static constexpr Table<Core, kEnd> table() {
    Table<Core, kEnd> table;
    table.add(RecordKind::kReply, [](Core& c, const Record& r) { c.results_.handle_reply(r); });
    table.add(RecordKind::kFunction, [](Core& c, const Record& r) { c.results_.handle_function(r); });
    table.add(RecordKind::kCheckpoint, [](Core& c, const Record& r) { c.checkpoint_.handle(r); });
    table.add(RecordKind::kMemoryCheckpoint, [](Core& c, const Record& r) { c.survival_.handle(r); });
    table.add(RecordKind::kCollect, [](Core& c, const Record& r) { c.collector_.handle(r); });
    table.add(RecordKind::kPendingAsk, [](Core& c, const Record& r) { c.pending_.handle_ask(r); });
    table.add(RecordKind::kPendingTell, [](Core& c, const Record& r) { c.pending_.handle_tell(r); });
    table.add(RecordKind::kQuietRequest, [](Core& c, const Record& r) { c.scheduler_.handle_quiet_request(r); });
    table.add(RecordKind::kQuietAsk, [](Core& c, const Record& r) { c.scheduler_.handle_quiet_ask(r); });
    table.add(RecordKind::kQuietTell, [](Core& c, const Record& r) { c.scheduler_.handle_quiet_tell(r); });
    table.add(RecordKind::kExit, [](Core& c, const Record& r) { c.scheduler_.handle_exit(r); });
    return table;
  }
};

void Core::handle(const Record& record) {
  static constexpr Table<Core, kEnd> kOfProcess = CoreDispatch::table();
  const auto kind = static_cast<std::size_t>(record.header.kind);
  if (kind < kFirst && kOfArray.handlers[kind] != nullptr) {
    if (arrays_.keep_if_early(record)) return;
    return kOfArray.handlers[kind](*arrays_.all()[record.header.array], record);
  }
  if (kind < kFirst || kind >= kEnd || kOfProcess.handlers[kind] == nullptr) {
    throw Error("a record of an unknown kind came: the processes run different versions of libstarling_array");
  }
  kOfProcess.handlers[kind](*this, record);
}

}  // namespace starling::array::detail
