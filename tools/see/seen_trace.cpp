// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "see/seen_trace.hpp"

#include <utility>

#include "observe/event_log.hpp"

namespace starling::see {

observe::TraceMode SeenTrace::mode() const noexcept {
  if (!is_wanted() || job_ != nullptr) return observe::TraceMode::kOff;
  return wanted_.all_calls ? observe::TraceMode::kAll : observe::TraceMode::kLong;
}

Status SeenTrace::begin(std::shared_ptr<SeenJob> job) {
  job_ = std::move(job);
  STARLING_TRY(file_.begin(wanted_, {job_->segment().ranks(), 1, observe::LogHead::kSeen}));
  drain_.emplace(loop_, job_->segment(), 0, file_.log());
  drain_->start();
  return {};
}

void SeenTrace::tell_usage(const SeenJob& job, std::int32_t rank, const observe::UsageRecord& usage) {
  if (drain_ && &job == job_.get()) drain_->tell_usage(static_cast<std::uint32_t>(rank), usage);
}

std::string SeenTrace::finish(bool quiet) {
  if (!is_wanted()) return {};
  if (job_ == nullptr) return "starling see: nothing is recorded: no rank has come through MPI_Init\n";
  if (!drain_) return {};
  drain_->finish();
  return file_.finish(quiet);
}

}  // namespace starling::see
