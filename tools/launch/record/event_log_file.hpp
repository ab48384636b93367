// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// EventLogFile: the log of a trace (observe/event_log.hpp) as it is written. It has a limit: events beyond it are left
// out and counted. Where the disk takes no more, the log ends and the job goes on.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/status.hpp"
#include "observe/event_log.hpp"

namespace starling::launch {

class EventLogFile {
 public:
  EventLogFile() = default;

  /// Writes the log into a new file at path. limit: bytes.
  static Result<EventLogFile> create(const std::string& path, std::uint64_t limit);
  /// Into a file without a name, for records that another process will get (send_all).
  static Result<EventLogFile> create_unnamed(std::uint64_t limit);

  void begin(const observe::LogHead& head);
  /// A record; not where the log has ended.
  void put(observe::RecordKind kind, std::int32_t of, std::span<const std::byte> body);
  template <typename T>
  void put_value(observe::RecordKind kind, std::int32_t of, const T& value) {
    put(kind, of, std::as_bytes(std::span(&value, 1)));
  }
  /// Events of a rank, unless the log is full.
  void put_events(std::int32_t rank, std::span<const observe::Event> events);
  /// Records as another log has them.
  void put_records(std::string_view records);

  /// Events that were left out because of the limit.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// Why the log has ended early; ok while it goes on.
  [[nodiscard]] const Status& failure() const noexcept { return failure_; }
  [[nodiscard]] bool exists() const noexcept { return file_.valid(); }

  /// Hands all that has been written to a function, piece by piece.
  void read_all(const std::function<void(std::string_view piece)>& take) const;

 private:
  EventLogFile(Descriptor file, std::string name, std::uint64_t limit) noexcept
      : file_(std::move(file)), name_(std::move(name)), limit_(limit) {}
  void write(std::string_view bytes);
  [[nodiscard]] bool is_full(std::uint64_t bytes) const noexcept { return written_ + bytes > limit_; }

  Descriptor file_;
  std::string name_;
  std::uint64_t limit_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t left_out_ = 0;
  Status failure_;
};

}  // namespace starling::launch
