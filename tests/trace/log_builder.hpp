// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LogBuilder: logs of traced jobs, written down event by event. One tick is one nanosecond unless a test says
// otherwise.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "api/functions.hpp"
#include "observe/awaited.hpp"
#include "observe/event_log.hpp"

namespace starling::trace::test {

using mpi::Function;
using observe::AwaitedAs;
using observe::Event;
using observe::EventKind;
using observe::RecordKind;
using observe::WaitKind;

class LogBuilder {
 public:
  explicit LogBuilder(std::uint32_t ranks, std::uint32_t nodes = 1) : events_(ranks) {
    head_.world_ranks = ranks;
    head_.nodes = nodes;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      reading(static_cast<std::int32_t>(node), 0, 0);
      reading(static_cast<std::int32_t>(node), 1'000'000, 1'000'000);
    }
  }

  /// Of another MPI's job.
  void seen() { head_.flags |= observe::LogHead::kSeen; }
  void reading(std::int32_t node, std::uint64_t ticks, std::int64_t ns) {
    record(RecordKind::kClock, node, observe::ClockReading{ticks, ns});
  }
  void offset(std::int32_t node, std::int64_t at_ns, std::int64_t ahead_ns) {
    record(RecordKind::kOffset, node, observe::ClockOffset{at_ns, ahead_ns, 0});
  }
  void place(std::int32_t rank, std::int32_t node) {
    record(RecordKind::kRank, rank, observe::RankRecord{node, 100 + rank});
  }
  void communicator(std::uint32_t context, const std::string& name, const std::vector<std::uint32_t>& members) {
    const std::size_t padded = (name.size() + 3) / 4 * 4;
    std::string body(sizeof(observe::CommunicatorRecord) + padded + 4 * members.size(), '\0');
    const observe::CommunicatorRecord record_of{context, 0, static_cast<std::uint32_t>(name.size()),
                                                static_cast<std::uint32_t>(members.size())};
    std::memcpy(body.data(), &record_of, sizeof(record_of));
    std::memcpy(body.data() + sizeof(record_of), name.data(), name.size());
    std::memcpy(body.data() + sizeof(record_of) + padded, members.data(), 4 * members.size());
    record_text(RecordKind::kCommunicator, 0, body);
  }
  void used(std::int32_t rank, std::uint64_t peak_bytes, std::int64_t user_ns, std::uint64_t taken_off) {
    record(RecordKind::kUsage, rank, observe::UsageRecord{peak_bytes, user_ns, 0, taken_off});
  }
  void swapped(std::int32_t rank, std::uint64_t bytes, std::uint64_t running_thousandths) {
    record(RecordKind::kLoad, rank, observe::LoadRecord{bytes, running_thousandths});
  }
  void machine(std::int32_t node, const observe::MachineRecord& machine) {
    record(RecordKind::kMachine, node, machine);
  }
  void lost(std::int32_t rank, std::uint64_t events) { record(RecordKind::kLost, rank, events); }
  void count(std::int32_t rank, Function function, std::uint64_t count) {
    counts_[rank].push_back({static_cast<std::uint32_t>(function), 0, count});
  }

  void add(std::int32_t rank, const Event& event) { events_[static_cast<std::size_t>(rank)].push_back(event); }

  // The events of usual calls.
  void call(std::int32_t rank, Function function, std::uint64_t begin, std::uint64_t end) {
    add(rank, event(EventKind::kCall, function, begin, end));
  }
  void collective(std::int32_t rank, Function function, std::uint64_t number, std::uint64_t begin, std::uint64_t end,
                  std::int32_t root = -1, std::uint32_t context = 0) {
    Event wait = event(EventKind::kWait, function, begin, end);
    wait.wait_kind = static_cast<std::uint8_t>(WaitKind::kCollective);
    wait.awaited_as = static_cast<std::uint8_t>(AwaitedAs::kCollective);
    wait.sequence = number;
    wait.context_id = context;
    if (end - begin > 1000) add(rank, wait);
    Event call = event(EventKind::kCall, function, begin, end);
    call.flags = Event::kCollective;
    call.sequence = number;
    call.context_id = context;
    call.peer = root;
    call.bytes = 8;
    add(rank, call);
  }
  void wait(std::int32_t rank, Function function, AwaitedAs as, std::int32_t peer, std::uint64_t begin,
            std::uint64_t end) {
    Event wait = event(EventKind::kWait, function, begin, end);
    wait.wait_kind = static_cast<std::uint8_t>(WaitKind::kOne);
    wait.awaited_as = static_cast<std::uint8_t>(as);
    wait.peer = peer;
    add(rank, wait);
  }
  /// The latest event of the rank, a wait, is for a message of this communicator and tag.
  void awaits(std::int32_t rank, std::uint32_t context, std::int32_t tag) {
    events_[static_cast<std::size_t>(rank)].back().context_id = context;
    events_[static_cast<std::size_t>(rank)].back().tag = tag;
  }
  void sent(std::int32_t rank, std::int32_t peer, std::uint64_t number, std::uint64_t at, std::uint64_t bytes,
            std::uint8_t flags = 0) {
    Event send = event(EventKind::kSend, Function::kSend, at, at);
    send.peer = peer;
    send.sequence = number;
    send.bytes = bytes;
    send.tag = 7;
    send.context_id = 0;
    send.flags = flags;
    add(rank, send);
  }
  void received(std::int32_t rank, std::int32_t peer, std::uint64_t number, std::uint64_t at, std::uint64_t bytes,
                std::uint8_t flags = 0) {
    Event receive = event(EventKind::kReceive, Function::kRecv, at, at);
    receive.peer = peer;
    receive.sequence = number;
    receive.bytes = bytes;
    receive.tag = 7;
    receive.context_id = 0;
    receive.flags = flags;
    add(rank, receive);
  }
  void traffic(std::int32_t rank, std::int32_t peer, std::uint64_t messages, std::uint64_t bytes) {
    Event total = event(EventKind::kTraffic, Function::kNone, 0, 0);
    total.peer = peer;
    total.sequence = messages;
    total.bytes = bytes;
    add(rank, total);
  }
  [[nodiscard]] static Event event(EventKind kind, Function function, std::uint64_t begin, std::uint64_t end) {
    Event event;
    event.kind = kind;
    event.call = static_cast<std::uint16_t>(function);
    event.begin_ticks = begin;
    event.end_ticks = end;
    event.context_id = Event::kNoContext;
    return event;
  }

  /// The rank has a program or library there from which it calls.
  void module(std::int32_t rank, const std::string& path, std::uint64_t begin, std::uint64_t end) {
    observe::ModuleRecord record;
    record.begin = record.bias = begin;
    record.end = end;
    record.id[0] = 0xab;
    record.id_bytes = 1;
    record.path_bytes = static_cast<std::uint16_t>(path.size());
    std::string body(reinterpret_cast<const char*>(&record), sizeof record);
    body += path;
    body.resize(sizeof record + record.padded_path_bytes());
    record_text(RecordKind::kModules, rank, body);
  }
  /// The latest event of the rank was a call made from there.
  void called_at(std::int32_t rank, std::uint64_t site) { events_[static_cast<std::size_t>(rank)].back().site = site; }

  /// The whole log.
  [[nodiscard]] std::string text() const {
    std::string all(reinterpret_cast<const char*>(&head_), sizeof(head_));
    all += records_;
    for (std::size_t rank = 0; rank < events_.size(); ++rank) {
      const std::vector<Event>& events = events_[rank];
      append(&all, RecordKind::kEvents, static_cast<std::int32_t>(rank), reinterpret_cast<const char*>(events.data()),
             events.size() * sizeof(Event));
    }
    for (const auto& [rank, counts] : counts_)
      append(&all, RecordKind::kCounts, rank, reinterpret_cast<const char*>(counts.data()),
             counts.size() * sizeof(observe::CallCount));
    return all;
  }
  void write(const std::string& path) const {
    const std::string all = text();
    std::ofstream(path, std::ios::binary).write(all.data(), static_cast<std::streamsize>(all.size()));
  }

 private:
  static void append(std::string* all, RecordKind kind, std::int32_t of, const char* body, std::size_t bytes) {
    const observe::RecordHead head{kind, of, bytes};
    all->append(reinterpret_cast<const char*>(&head), sizeof(head));
    all->append(body, bytes);
    all->append((8 - bytes % 8) % 8, '\0');
  }
  void record_text(RecordKind kind, std::int32_t of, const std::string& body) {
    append(&records_, kind, of, body.data(), body.size());
  }
  template <class Body>
  void record(RecordKind kind, std::int32_t of, const Body& body) {
    append(&records_, kind, of, reinterpret_cast<const char*>(&body), sizeof(body));
  }

  observe::LogHead head_;
  std::string records_;
  std::vector<std::vector<Event>> events_;
  std::map<std::int32_t, std::vector<observe::CallCount>> counts_;
};

}  // namespace starling::trace::test
