// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "loose_ends.hpp"

#include <cstring>
#include <utility>

#include "core.hpp"

namespace starling::array::detail {

std::string LooseEnds::of_all() {
  answers_ = 0;
  told_.clear();
  RecordHeader ask;
  ask.kind = Kind::kLooseAsk;
  for (int to = 0; to < core_.size(); ++to) core_.post(to, ask, nullptr);
  core_.run_until([this] { return answers_ == core_.size(); });
  return std::exchange(told_, {});
}

void LooseEnds::answer() {
  const std::string text = core_.loose_ends();
  RecordHeader tell;
  tell.kind = Kind::kLooseTell;
  tell.payload = static_cast<std::uint32_t>(text.size());
  char* room = core_.post(0, tell, nullptr);
  if (!text.empty()) std::memcpy(room, text.data(), text.size());
}

void LooseEnds::handle(const Record& record) {
  if (record.header.kind == Kind::kLooseAsk) return answer();
  ++answers_;
  if (record.header.payload == 0) return;
  told_ += (told_.empty() ? "process " : "; process ") + std::to_string(record.from) + ": " +
           std::string(record.payload, record.header.payload);
}

/// Of this process.
std::string Core::loose_ends() {
  std::string text;
  for (const auto& each : arrays_) {
    std::string some;
    if (const std::size_t count = each->unclaimed(some); count != 0) {
      text += "messages wait for " + std::to_string(count) + " elements that nobody created: " + some;
    }
    if (each->reductions().is_waiting()) {
      if (!text.empty()) text += "; ";
      text += "a reduction of array " + std::to_string(each->number()) + " is not complete";
      const std::string missing = each->reductions().missing(5);
      if (!missing.empty()) text += "; on process " + std::to_string(rank()) + " did not contribute: " + missing;
    }
  }
  for (const auto& each : arrays_) {
    const std::string overdue = each->sections().overdue(0, -1e30);
    if (!overdue.empty()) text += (text.empty() ? "" : "; ") + overdue;
  }
  name_held_back(text);
  if (const std::size_t count = futures_.suspended(); count != 0) {
    if (!text.empty()) text += "; ";
    text += std::to_string(count) + " coroutines wait for values that nobody sends";
  }
  return text;
}

/// To be told to all: whoever has a handler tells it there.
bool Core::has_loose_ends() { return !on_error && !loose_ends().empty(); }

/// Nothing is under way any more, so what waits now waits for ever.
void Core::tell_loose_ends() {
  if (!on_error) return;
  const std::string text = loose_ends();
  if (!text.empty()) on_error("process " + std::to_string(rank()) + ", at the end of run(): " + text);
}

}  // namespace starling::array::detail
