// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pending_work.hpp"

#include <utility>

#include "base/format.hpp"

namespace starling::array::detail {

namespace {

void append(std::string& text, const std::string& more) {
  if (more.empty()) return;
  text += text.empty() ? more : "; " + more;
}

std::string messages_of(const ArrayCore& array) {
  std::string some;
  const std::size_t count = array.elements().unclaimed(some);
  return count == 0 ? "" : formatted("messages wait for {} elements that nobody created: {}", count, some);
}

std::string reductions_of(ArrayCore& array, int rank) {
  if (!array.reductions().is_waiting()) return "";
  constexpr std::size_t kNamed = 5;
  const std::string missing = array.reductions().missing(kNamed);
  const std::string elements =
      missing.empty() ? "" : formatted("; on process {} did not contribute: {}", rank, missing);
  return formatted("a reduction of array {} is not complete{}", array.number(), elements);
}

std::string streams_of(const Streams& streams, const Arrays& arrays) {
  if (streams.held_back() == 0) return "";
  std::string one;
  for (const auto& each : arrays.all()) {
    if (one.empty()) one = Streams::describe_one(each->elements());
  }
  return formatted("{} messages in order wait for earlier ones{}{}", streams.held_back(), one.empty() ? "" : ": ", one);
}

}  // namespace

std::string PendingWork::of_all() {
  answers_ = 0;
  told_.clear();
  RecordHeader ask;
  ask.kind = RecordKind::kPendingAsk;
  for (int to = 0; to < host_.size(); ++to) host_.records().post(to, ask, nullptr);
  host_.run_until([this] { return answers_ == host_.size(); });
  return std::exchange(told_, {});
}

void PendingWork::handle_ask(const Record&) {
  const std::string text = describe();
  RecordHeader tell;
  tell.kind = RecordKind::kPendingTell;
  host_.records().post_bytes(0, tell, text.data(), text.size());
}

void PendingWork::handle_tell(const Record& record) {
  ++answers_;
  if (record.header.payload == 0) return;
  append(told_, formatted("process {}: {}", record.from, std::string(record.payload, record.header.payload)));
}

std::string PendingWork::describe() const {
  std::string text;
  for (const auto& each : arrays_.all()) {
    append(text, messages_of(*each));
    append(text, reductions_of(*each, host_.rank()));
  }
  for (const auto& each : arrays_.all()) append(text, each->sections().overdue(0, -1e30));
  append(text, streams_of(streams_, arrays_));
  if (const std::size_t count = futures_.suspended(); count != 0) {
    append(text, formatted("{} coroutines wait for values that nobody sends", count));
  }
  return text;
}

void PendingWork::tell_handler() const {
  if (!host_.settings.on_error) return;
  const std::string text = describe();
  if (text.empty()) return;
  host_.settings.on_error(formatted("process {}, at the end of run(): {}", host_.rank(), text));
}

}  // namespace starling::array::detail
