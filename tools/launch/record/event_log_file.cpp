// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/record/event_log_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/format.hpp"

namespace starling::launch {
namespace {

Status cannot_record(const std::string& name) {
  return Status::error(ErrorClass::kOther,
                       formatted("the trace cannot be recorded in {}: {}", name, std::strerror(errno)));
}

}  // namespace

Result<EventLogFile> EventLogFile::create(const std::string& path, std::uint64_t limit) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return cannot_record(path);
  return EventLogFile(std::move(file), path, limit);
}

Result<EventLogFile> EventLogFile::create_unnamed(std::uint64_t limit) {
  const char* const wanted = std::getenv("TMPDIR");
  std::string path = formatted("{}/starling-trace-XXXXXX", wanted != nullptr && *wanted != '\0' ? wanted : "/tmp");
  Descriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file.valid()) return cannot_record(path);
  unlink(path.c_str());
  return EventLogFile(std::move(file), path, limit);
}

void EventLogFile::write(std::string_view bytes) {
  while (!bytes.empty() && failure_.ok() && file_.valid()) {
    const ssize_t wrote = ::write(file_.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      failure_ = cannot_record(name_);
      return;
    }
    written_ += static_cast<std::uint64_t>(wrote);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void EventLogFile::begin(const observe::LogHead& head) { write({reinterpret_cast<const char*>(&head), sizeof head}); }

void EventLogFile::put(observe::RecordKind kind, std::int32_t of, std::span<const std::byte> body) {
  constexpr std::size_t kUnit = 8;
  const observe::RecordHead head{kind, of, body.size()};
  std::string record(reinterpret_cast<const char*>(&head), sizeof head);
  record.append(reinterpret_cast<const char*>(body.data()), body.size());
  record.resize((record.size() + kUnit - 1) / kUnit * kUnit);
  write(record);
}

void EventLogFile::put_events(std::int32_t rank, std::span<const observe::Event> events) {
  if (events.empty()) return;
  if (is_full(events.size_bytes()) || !failure_.ok()) {
    left_out_ += events.size();
    return;
  }
  put(observe::RecordKind::kEvents, rank, std::as_bytes(events));
}

void EventLogFile::put_records(std::string_view records) { write(records); }

void EventLogFile::read_all(const std::function<void(std::string_view piece)>& take) const {
  constexpr std::size_t kPiece = 256 * 1024;
  std::vector<char> piece(kPiece);
  std::uint64_t at = 0;
  while (at < written_) {
    const ssize_t got = pread(file_.get(), piece.data(), piece.size(), static_cast<off_t>(at));
    if (got <= 0) return;
    take({piece.data(), static_cast<std::size_t>(got)});
    at += static_cast<std::uint64_t>(got);
  }
}

}  // namespace starling::launch
