// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reductions.hpp"

#include <utility>

#include "base/format.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

Reductions::Reductions(Elements& elements, Host& host, Tree tree)
    : elements_(elements),
      host_(host),
      tree_(tree),
      next_(1),
      empty_children_(static_cast<std::uint16_t>((1 << tree.children()) - 1)) {}

Reductions::Open& Reductions::open(std::uint32_t number) {
  const std::size_t at = number - reported_ - 1;
  while (open_.size() <= at) open_.emplace_back();
  return open_[at];
}

std::uint32_t& Reductions::count_at(std::uint32_t number) {
  if (number <= reported_) return late_;
  const std::size_t at = number - reported_ - 1;
  if (next_.size() <= at) next_.resize(at + 1);
  return next_[at];
}

void Reductions::joined(const Entry& entry) {
  ++count_;
  ++count_at(entry.reduction);
}

void Reductions::parted(const Entry& entry) {
  --count_;
  --count_at(entry.reduction);
  try_report();
  tell_if_empty();
}

void Reductions::check_operator(const Open& one, std::uint32_t reducer, const char* contributor) {
  if (one.value.empty() || one.value.reducer() == reducer) return;
  host_.fail(
      formatted("array {}: {} contributes to a reduction with {}, others with {}: all elements must contribute the "
                "same type with "
                "the same operator",
                elements_.number(), contributor, readable(reducer_numbered(reducer).name),
                readable(reducer_numbered(one.value.reducer()).name)));
}

void Reductions::contribute(Entry& entry, std::uint32_t reducer, const void* value, const Callback& to) {
  const std::uint32_t number = entry.reduction;
  --count_at(number);
  ++count_at(number + 1);
  ++entry.reduction;
  const std::int32_t births = std::exchange(entry.births, 0);
  const std::uint64_t names = std::exchange(entry.birth_names, 0) - std::exchange(entry.birth_name, 0);
  if (number <= reported_) {
    Open late;
    late.to = to;
    late.value.add(reducer, value);
    send(tree_.root, RecordKind::kLate, {1, births, names, number, reducer, 0, 0}, late);
    return try_report();
  }
  Open& into = open(number);
  ++into.count;
  into.births += births;
  into.names += names;
  if (into.to.destination == Callback::Destination::kNone) into.to = to;
  if (!into.value.empty() && into.value.reducer() != reducer) {
    check_operator(into, reducer, elements_.name(entry.index).c_str());
  } else {
    into.value.add(reducer, value);
  }
  if (!into.is_started) start(number);
  if (next_.front() == 0) try_report();
}

void Reductions::change(std::uint32_t number, std::int64_t births, std::uint64_t names) {
  if (births == 0 && names == 0) return;
  if (number > reported_) {
    Open& into = open(number);
    into.births += births;
    into.names += names;
  } else {
    send(tree_.root, RecordKind::kLate, {0, births, names, number, Accumulator::kNoReducer, 0, 0}, Open());
  }
}

void Reductions::start(std::uint32_t number) {
  if (number <= reported_) return;
  open(number);
  for (std::uint32_t each = reported_ + 1; each <= number; ++each) {
    Open& begun = open(each);
    if (!begun.is_started) waiting_since_s_ = host_.now_s();
    begun.is_started = true;
  }
  if (number <= started_) return;
  started_ = number;
  for (int child = 0; child < tree_.children(); ++child) {
    if ((empty_children_ >> child & 1) != 0 && (open(number).reports >> child & 1) == 0) nudge(child);
  }
}

void Reductions::nudge(int child) {
  host_.records().post_info(tree_.child(child), RecordKind::kNudge, elements_.number(), Index(), 0, started_);
}

void Reductions::handle_nudge(const Record& record) {
  start(info_of<std::uint32_t>(record));
  try_report();
}

void Reductions::tell_if_empty() {
  if (count_ != 0 || told_empty_ || tree_.is_root()) return;
  told_empty_ = true;
  host_.records().post_info(tree_.parent(), RecordKind::kEmpty, elements_.number(), Index(), 0, reported_);
}

void Reductions::handle_empty(const Record& record) {
  const int child = tree_.place_at_parent(record.header.origin);
  empty_children_ = static_cast<std::uint16_t>(empty_children_ | 1 << child);
  if (started_ > reported_ && (open(started_).reports >> child & 1) == 0) nudge(child);
}

void Reductions::try_report() {
  const auto everybody = static_cast<std::uint16_t>((1 << tree_.children()) - 1);
  while (!open_.empty() && open_.front().is_started && late_ == 0 && next_.front() == 0 &&
         open_.front().reports == everybody) {
    Open done = std::move(open_.front());
    open_.pop_front();
    next_.pop_front();
    if (next_.empty()) next_.push_back(0);
    ++reported_;
    report(done);
  }
}

void Reductions::report(Open& done) {
  if (!tree_.is_root()) {
    told_empty_ = count_ == 0;
    send(tree_.parent(), RecordKind::kReport,
         {done.count, done.births, done.names, reported_, done.value.reducer(), told_empty_ ? 1u : 0u, 0}, done);
    return;
  }
  unfinished_.push_back(std::move(done));
  complete();
}

void Reductions::send(int to, RecordKind kind, const Contribution& given, const Open& one) {
  Archive count = Archive::counting();
  const auto write = [&](Archive& archive) {
    archive(given, const_cast<Callback&>(one.to));
    one.value.pack(archive);
  };
  write(count);
  RecordHeader header;
  header.kind = kind;
  header.array = elements_.number();
  header.origin = host_.rank();
  header.payload = static_cast<std::uint32_t>(count.used());
  Archive out = Archive::writing(host_.records().post(to, header, nullptr), count.used());
  write(out);
}

void Reductions::merge(Open& into, const Contribution& given, Archive& in) {
  into.count += given.count;
  into.births += given.births;
  into.names += given.names;
  Callback to;
  in(to);
  if (into.to.destination == Callback::Destination::kNone) into.to = to;
  if (given.reducer == Accumulator::kNoReducer) return;
  if (!into.value.empty() && into.value.reducer() != given.reducer) {
    return check_operator(into, given.reducer, "an element of another process");
  }
  into.value.add_packed(given.reducer, in);
}

void Reductions::handle_report(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload);
  Contribution given;
  in(given);
  const int child = tree_.place_at_parent(record.from);
  const auto bit = static_cast<std::uint16_t>(1 << child);
  empty_children_ = static_cast<std::uint16_t>(given.is_empty != 0 ? empty_children_ | bit : empty_children_ & ~bit);
  Open& into = open(given.number);
  into.reports = static_cast<std::uint16_t>(into.reports | bit);
  if (!into.is_started) start(given.number);
  if (given.is_empty != 0 && started_ > given.number && (open(started_).reports & bit) == 0) nudge(child);
  merge(open(given.number), given, in);
  try_report();
}

void Reductions::handle_late(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload);
  Contribution given;
  in(given);
  if (given.number > reported_) {
    if (given.count != 0) start(given.number);
    merge(open(given.number), given, in);
    return try_report();
  }
  if (given.number <= completed_) {
    throw Error(
        formatted("a contribution came for reduction {} of array {}, which is complete: this is a mistake of the "
                  "library",
                  given.number, elements_.number()));
  }
  merge(unfinished_[given.number - completed_ - 1], given, in);
  complete();
}

void Reductions::complete() {
  while (!unfinished_.empty()) {
    Open& done = unfinished_.front();
    if (done.count != living_ + done.births || done.names != 0) return;
    living_ += done.births;
    ++completed_;
    Packed packed = done.value.packed();
    const Callback to = done.to;
    unfinished_.pop_front();
    waiting_since_s_ = host_.now_s();
    host_.call_back(to, packed.data(), packed.size());
  }
}

void Reductions::ask_around(double now_s) {
  waiting_since_s_ = now_s;
  if (started_ <= reported_) return;
  for (int child = 0; child < tree_.children(); ++child) {
    if ((open(started_).reports >> child & 1) == 0) nudge(child);
  }
}

bool Reductions::is_waiting() const { return !unfinished_.empty() || (!open_.empty() && open_.front().is_started); }

std::string Reductions::missing(std::size_t most) const {
  std::string text;
  std::size_t count = 0;
  const std::uint32_t behind = unfinished_.empty() ? reported_ + 1 : completed_ + 1;
  for (const Entry* each : elements_.here()) {
    if (each == nullptr || each->reduction > behind) continue;
    if (count++ < most) text += (text.empty() ? "" : "; ") + elements_.name(each->index);
  }
  if (count > most) text += formatted(" and {} more", count - most);
  return text;
}

}  // namespace starling::array::detail
