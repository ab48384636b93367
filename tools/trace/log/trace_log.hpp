// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TraceLog: the log of a traced job (observe/event_log.hpp), read where it lies. Its records are looked through once;
// the events stay in the file.
// Thread safety: immutable after open().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "observe/event_log.hpp"
#include "trace/file/mapped_file.hpp"

namespace starling::trace {

struct LoggedNode {
  std::string name = "this host";
  std::vector<observe::ClockReading> readings;
  std::vector<observe::ClockOffset> offsets;
  std::uint64_t left_out = 0;  ///< events for which the log had no room
  observe::MachineRecord machine;
};

/// A program or library from which a rank has called MPI (observe/module_record.hpp).
struct LoggedModule {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0;
  std::string id;  ///< in hexadecimal digits; empty: it has none
  std::string path;
};

struct LoggedRank {
  observe::RankRecord facts;
  std::vector<std::span<const observe::Event>> events;
  std::vector<observe::CallCount> counts;
  std::vector<LoggedModule> modules;
  std::uint64_t lost = 0;
  observe::UsageRecord usage;
  observe::LoadRecord load;
};

struct LoggedCommunicator {
  std::uint32_t context = 0;
  std::string name;
  std::vector<std::int32_t> members;  ///< in order
};

class TraceLog {
 public:
  static Result<TraceLog> open(const std::string& path);

  [[nodiscard]] const observe::LogHead& head() const { return head_; }
  /// Another MPI's job, seen from outside.
  [[nodiscard]] bool is_seen() const { return (head_.flags & observe::LogHead::kSeen) != 0; }
  [[nodiscard]] const std::vector<LoggedNode>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<LoggedRank>& ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<LoggedCommunicator>& communicators() const { return communicators_; }
  /// The log ends within a record, or with something that is none.
  [[nodiscard]] bool cut() const { return cut_; }
  /// Whoever goes through the events calls this now and then, so that the log does not fill the memory.
  void release_memory() const { file_->release(); }

 private:
  explicit TraceLog(std::unique_ptr<MappedFile> file) : file_(std::move(file)) {}
  Status read();
  /// False: the record is none.
  bool add(const observe::RecordHead& record, std::span<const std::byte> body);
  bool add_of_rank(const observe::RecordHead& record, std::span<const std::byte> body);
  bool add_of_node(const observe::RecordHead& record, std::span<const std::byte> body);
  bool add_communicator(std::span<const std::byte> body);

  std::unique_ptr<MappedFile> file_;
  observe::LogHead head_;
  std::vector<LoggedNode> nodes_;
  std::vector<LoggedRank> ranks_;
  std::vector<LoggedCommunicator> communicators_;
  bool cut_ = false;
};

}  // namespace starling::trace
