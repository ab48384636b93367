// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Record: what processes send each other. **Layout**: RecordHeader, the index, the payload, each padded to 8 bytes.
//
// **Thread safety**: types only. **Invariants**: all processes run one version, so what a record means is no promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace starling::array::detail {

enum class RecordKind : std::uint8_t {
  kLarge,  // a record of its own follows: Announcement
  kMessage,
  kCreate,
  kBuild,
  kMigrate,
  kArrived,
  kLanded,
  kDied,
  kUpdate,
  kBroadcastAsk,
  kBroadcast,
  kLow,
  kReport,
  kLate,
  kNudge,
  kEmpty,
  kMeasured,
  kMoves,
  kGrouped,
  kSection,
  kFirstOfProcess,  // those below concern no array
  kReply,
  kFunction,
  kCheckpoint,
  kMemoryCheckpoint,
  kCollect,
  kQuietRequest,
  kUncounted,  // quiescence does not wait for those below
  kQuietAsk,
  kQuietTell,
  kPendingAsk,
  kPendingTell,
  kExit,
  kEndOfKinds,
};

struct RecordHeader {
  std::uint32_t bytes = 0;    // of the whole record; set by Wire
  std::uint32_t payload = 0;  // bytes of payload, without padding
  RecordKind kind = RecordKind::kMessage;
  std::uint8_t flags = 0;
  std::uint16_t hops = 0;
  std::uint16_t array = 0;
  std::uint16_t spare = 0;
  std::uint32_t method = 0;
  std::uint32_t epoch = 0;
  std::int32_t origin = 0;  // the process that sent it first
  std::uint32_t reply = 0;  // the future of origin that waits for an answer
  std::int32_t priority = 0;
  std::uint32_t index = 0;  // bytes of the index, without padding
};
static_assert(sizeof(RecordHeader) == 40);

/// A record as its receiver sees it; valid while it is handled.
struct Record {
  const RecordHeader& header;
  const char* index;
  const char* payload;
  int from;
};

class Sink {
 public:
  virtual void handle(const Record& record) = 0;

 protected:
  ~Sink() = default;
};

/// Whether quiescence waits for records of this kind.
constexpr bool is_counted(RecordKind kind) { return kind > RecordKind::kLarge && kind < RecordKind::kUncounted; }

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) & ~std::size_t{7}; }

/// What a record's payload begins with.
template <class Info>
Info info_of(const Record& record) {
  Info info;
  std::memcpy(&info, record.payload, sizeof info);
  return info;
}

}  // namespace starling::array::detail
