// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/log/trace_log.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"

namespace starling::trace {
namespace {

using observe::RecordHead;
using observe::RecordKind;
using Bytes = std::span<const std::byte>;

template <class T>
bool read_one(Bytes body, T* value) {
  if (body.size() < sizeof(T)) return false;
  std::memcpy(value, body.data(), sizeof(T));
  return true;
}

/// The values that a body consists of. They lie on the boundaries that the log keeps.
template <class T>
std::span<const T> values(Bytes body) {
  return {reinterpret_cast<const T*>(body.data()), body.size() / sizeof(T)};
}

std::string hexadecimal_digits(std::span<const std::uint8_t> bytes) {
  std::string digits;
  for (const std::uint8_t byte : bytes) digits += formatted("{:02x}", byte);
  return digits;
}

/// False: it ends within a record.
bool read_modules(Bytes body, std::vector<LoggedModule>* modules) {
  for (observe::ModuleRecord record; !body.empty(); body = body.subspan(sizeof record + record.padded_path_bytes())) {
    if (!read_one(body, &record) || body.size() < sizeof record + record.padded_path_bytes()) return false;
    if (record.id_bytes > observe::ModuleRecord::kMostIdBytes) return false;
    const auto* const path = reinterpret_cast<const char*>(body.data() + sizeof record);
    modules->push_back({record.begin, record.end, record.bias,
                        hexadecimal_digits(std::span(record.id).first(record.id_bytes)),
                        std::string(path, record.path_bytes)});
  }
  return true;
}

}  // namespace

Result<TraceLog> TraceLog::open(const std::string& path) {
  Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file.ok()) return std::move(file).status();
  TraceLog log(std::move(file).value());
  if (Status status = log.read(); !status.ok()) return unreadable(path, status.message());
  return log;
}

Status TraceLog::read() {
  constexpr std::uint32_t kMostRanks = std::uint32_t{1} << 22;
  Bytes rest = file_->bytes();
  if (!read_one(rest, &head_) || head_.magic != observe::LogHead::kMagic)
    return Status::error(ErrorClass::kIo, "it is not the log of a trace");
  if (head_.version != observe::LogHead::kVersion)
    return Status::error(ErrorClass::kIo, "another version of Starling has written it");
  if (head_.world_ranks > kMostRanks || head_.nodes > kMostRanks)
    return Status::error(ErrorClass::kIo, "it is damaged at its beginning");
  ranks_.resize(head_.world_ranks);
  nodes_.resize(std::max(head_.nodes, 1U));
  rest = rest.subspan(sizeof(head_));
  while (!rest.empty()) {
    RecordHead record;
    if (!read_one(rest, &record)) break;
    rest = rest.subspan(sizeof(record));
    const std::size_t body = std::min<std::uint64_t>(record.bytes, rest.size());
    const bool whole = body == record.bytes;
    if ((!whole && record.kind != RecordKind::kEvents) || !add(record, rest.first(body))) break;
    if (!whole) break;
    const std::size_t padded = (body + 7) / 8 * 8;
    if (padded > rest.size()) break;
    rest = rest.subspan(padded);
    if (rest.empty()) return Status();
  }
  cut_ = true;
  return Status();
}

bool TraceLog::add(const RecordHead& record, Bytes body) {
  switch (record.kind) {
    case RecordKind::kEvents:
    case RecordKind::kLost:
    case RecordKind::kRank:
    case RecordKind::kUsage:
    case RecordKind::kModules:
    case RecordKind::kLoad:
    case RecordKind::kCounts: return add_of_rank(record, body);
    case RecordKind::kClock:
    case RecordKind::kOffset:
    case RecordKind::kHost:
    case RecordKind::kMachine:
    case RecordKind::kLeftOut: return add_of_node(record, body);
    case RecordKind::kCommunicator: return add_communicator(body);
  }
  return true;  // of a later version
}

bool TraceLog::add_of_rank(const RecordHead& record, Bytes body) {
  if (record.of < 0 || static_cast<std::size_t>(record.of) >= ranks_.size()) return false;
  LoggedRank& rank = ranks_[static_cast<std::size_t>(record.of)];
  std::uint64_t lost = 0;
  switch (record.kind) {
    case RecordKind::kEvents: rank.events.push_back(values<observe::Event>(body)); return true;
    case RecordKind::kUsage: return read_one(body, &rank.usage);
    case RecordKind::kLoad: return read_one(body, &rank.load);
    case RecordKind::kModules: return read_modules(body, &rank.modules);
    case RecordKind::kCounts: {
      const auto counts = values<observe::CallCount>(body);
      rank.counts.assign(counts.begin(), counts.end());
      return true;
    }
    case RecordKind::kRank:
      if (!read_one(body, &rank.facts)) return false;
      return rank.facts.node >= 0 && static_cast<std::size_t>(rank.facts.node) < nodes_.size();
    default: break;
  }
  if (!read_one(body, &lost)) return false;
  rank.lost += lost;
  return true;
}

bool TraceLog::add_of_node(const RecordHead& record, Bytes body) {
  if (record.of < 0 || static_cast<std::size_t>(record.of) >= nodes_.size()) return false;
  LoggedNode& node = nodes_[static_cast<std::size_t>(record.of)];
  switch (record.kind) {
    case RecordKind::kClock: return read_one(body, &node.readings.emplace_back());
    case RecordKind::kOffset: return read_one(body, &node.offsets.emplace_back());
    case RecordKind::kMachine: return read_one(body, &node.machine);
    case RecordKind::kHost: node.name.assign(reinterpret_cast<const char*>(body.data()), body.size()); return true;
    default: break;
  }
  std::uint64_t left_out = 0;
  if (!read_one(body, &left_out)) return false;
  node.left_out += left_out;
  return true;
}

bool TraceLog::add_communicator(Bytes body) {
  observe::CommunicatorRecord record;
  if (!read_one(body, &record)) return false;
  body = body.subspan(sizeof(record));
  const std::size_t name_bytes = (std::size_t{record.name_bytes} + 3) / 4 * 4;
  if (name_bytes > body.size() || record.members > (body.size() - name_bytes) / 4) return false;
  LoggedCommunicator communicator;
  communicator.context = record.context_id;
  communicator.name.assign(reinterpret_cast<const char*>(body.data()), record.name_bytes);
  const std::string::size_type end = communicator.name.find('\0');
  if (end != std::string::npos) communicator.name.resize(end);
  const auto members = values<std::int32_t>(body.subspan(name_bytes)).first(record.members);
  communicator.members.assign(members.begin(), members.end());
  communicators_.push_back(std::move(communicator));
  return true;
}

}  // namespace starling::trace
