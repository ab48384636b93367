// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reductions.hpp"

#include <utility>

#include "core.hpp"
#include "registry.hpp"

namespace starling::array::detail {

Accumulator::Accumulator(Accumulator&& other) noexcept
    : reducer_(other.reducer_), value_(std::exchange(other.value_, nullptr)) {}

Accumulator& Accumulator::operator=(Accumulator&& other) noexcept {
  std::swap(reducer_, other.reducer_);
  std::swap(value_, other.value_);
  return *this;
}

Accumulator::~Accumulator() {
  if (value_ != nullptr) reducer_numbered(reducer_).drop(value_);
}

void Accumulator::add(std::uint32_t reducer, const void* value) {
  const ReducerInfo& info = reducer_numbered(reducer);
  reducer_ = reducer;
  if (value_ == nullptr) {
    value_ = info.make(value);
  } else {
    info.add(value_, value);
  }
}

void Accumulator::add_packed(std::uint32_t reducer, Archive& in) {
  const ReducerInfo& info = reducer_numbered(reducer);
  reducer_ = reducer;
  void* value = info.unpack(in);
  if (value_ == nullptr) {
    value_ = value;
    return;
  }
  struct Drop {
    const ReducerInfo& info;
    void* value;
    ~Drop() { info.drop(value); }
  } drop{info, value};
  info.add(value_, value);
}

void Accumulator::pack(Archive& into) const {
  if (value_ != nullptr) reducer_numbered(reducer_).serialize(value_, into);
}

Reductions::Reductions(ArrayCore& array, Tree tree)
    : array_(array), tree_(tree), next_(1), empty_children_(static_cast<std::uint8_t>((1 << tree.children()) - 1)) {}

Reductions::One& Reductions::one(std::uint32_t number) {
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
  ++elements_;
  ++count_at(entry.reduction);
}

void Reductions::parted(const Entry& entry) {
  --elements_;
  --count_at(entry.reduction);
  try_report();
  tell_if_empty();
}

void Reductions::check_operator(const One& one, std::uint32_t reducer, const char* who) {
  if (one.value.empty() || one.value.reducer() == reducer) return;
  array_.core().fail("array " + std::to_string(array_.number()) + ": " + who + " contributes to a reduction with " +
                     readable(reducer_numbered(reducer).name) + ", others with " +
                     readable(reducer_numbered(one.value.reducer()).name) +
                     ": all elements must contribute the same type with the same operator");
}

void Reductions::contribute(Entry& entry, std::uint32_t reducer, const void* value, const Callback& to) {
  const std::uint32_t number = entry.reduction;
  --count_at(number);
  ++count_at(number + 1);
  ++entry.reduction;
  const std::int32_t births = std::exchange(entry.births, 0);
  const std::uint64_t names = std::exchange(entry.birth_names, 0) - std::exchange(entry.birth_name, 0);
  if (number <= reported_) {
    One late;
    late.to = to;
    late.value.add(reducer, value);
    send(tree_.root, Kind::kLate, {1, births, names, number, reducer, 0, 0}, late);
    return try_report();
  }
  One& into = one(number);
  ++into.count;
  into.births += births;
  into.names += names;
  if (into.to.kind == Callback::Kind::kNone) into.to = to;
  if (!into.value.empty() && into.value.reducer() != reducer) {
    check_operator(into, reducer, array_.name(entry.index).c_str());
  } else {
    into.value.add(reducer, value);
  }
  if (!into.is_started) start(number);
  if (next_.front() == 0) try_report();
}

void Reductions::change(std::uint32_t number, std::int64_t births, std::uint64_t names) {
  if (births == 0 && names == 0) return;
  if (number > reported_) {
    one(number).births += births;
    one(number).names += names;
  } else {
    send(tree_.root, Kind::kLate, {0, births, names, number, Accumulator::kNoReducer, 0, 0}, One());
  }
}

void Reductions::start(std::uint32_t number) {
  if (number <= reported_) return;
  one(number);
  for (std::uint32_t each = reported_ + 1; each <= number; ++each) {
    if (!one(each).is_started) waiting_since_s_ = wall_s();
    one(each).is_started = true;
  }
  if (number <= started_) return;
  started_ = number;
  for (int child = 0; child < tree_.children(); ++child) {
    if ((empty_children_ >> child & 1) != 0 && (one(number).reports >> child & 1) == 0) nudge(child);
  }
}

void Reductions::nudge(int child) {
  array_.core().post_info(tree_.child(child), Kind::kNudge, array_, Index(), 0, started_);
}

void Reductions::handle_nudge(const Record& record) {
  start(info_of<std::uint32_t>(record));
  try_report();
}

void Reductions::tell_if_empty() {
  if (elements_ != 0 || told_empty_ || tree_.is_root()) return;
  told_empty_ = true;
  array_.core().post_info(tree_.parent(), Kind::kEmpty, array_, Index(), 0, reported_);
}

void Reductions::handle_empty(const Record& record) {
  const int child = tree_.place_at_parent(record.header.origin);
  empty_children_ = static_cast<std::uint8_t>(empty_children_ | 1 << child);
  if (started_ > reported_ && (one(started_).reports >> child & 1) == 0) nudge(child);
}

void Reductions::try_report() {
  const auto everybody = static_cast<std::uint8_t>((1 << tree_.children()) - 1);
  while (!open_.empty() && open_.front().is_started && late_ == 0 && next_.front() == 0 &&
         open_.front().reports == everybody) {
    One done = std::move(open_.front());
    open_.pop_front();
    next_.pop_front();
    if (next_.empty()) next_.push_back(0);
    ++reported_;
    report(done);
  }
}

void Reductions::report(One& done) {
  if (!tree_.is_root()) {
    told_empty_ = elements_ == 0;
    send(tree_.parent(), Kind::kReport,
         {done.count, done.births, done.names, reported_, done.value.reducer(), told_empty_ ? 1u : 0u, 0}, done);
    return;
  }
  unfinished_.push_back(std::move(done));
  complete();
}

void Reductions::send(int to, Kind kind, const Part& part, const One& one) {
  Archive count = Archive::counting();
  const auto write = [&](Archive& archive) {
    archive(part, const_cast<Callback&>(one.to));
    one.value.pack(archive);
  };
  write(count);
  RecordHeader header;
  header.kind = kind;
  header.array = array_.number();
  header.origin = array_.core().rank();
  header.payload = static_cast<std::uint32_t>(count.used());
  Archive out = Archive::writing(array_.core().post(to, header, nullptr), count.used());
  write(out);
}

void Reductions::merge(One& into, const Part& part, Archive& in) {
  into.count += part.count;
  into.births += part.births;
  into.names += part.names;
  Callback to;
  in(to);
  if (into.to.kind == Callback::Kind::kNone) into.to = to;
  if (part.reducer == Accumulator::kNoReducer) return;
  if (!into.value.empty() && into.value.reducer() != part.reducer) {
    return check_operator(into, part.reducer, "an element of another process");
  }
  into.value.add_packed(part.reducer, in);
}

void Reductions::handle_report(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload);
  Part part;
  in(part);
  const int child = tree_.place_at_parent(record.from);
  const auto bit = static_cast<std::uint8_t>(1 << child);
  empty_children_ = static_cast<std::uint8_t>(part.is_empty != 0 ? empty_children_ | bit : empty_children_ & ~bit);
  One& into = one(part.number);
  into.reports = static_cast<std::uint8_t>(into.reports | bit);
  if (!into.is_started) start(part.number);
  if (part.is_empty != 0 && started_ > part.number && (one(started_).reports & bit) == 0) nudge(child);
  merge(one(part.number), part, in);
  try_report();
}

void Reductions::handle_late(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload);
  Part part;
  in(part);
  if (part.number > reported_) {
    if (part.count != 0) start(part.number);
    merge(one(part.number), part, in);
    return try_report();
  }
  if (part.number <= completed_) {
    throw Error("a contribution came for reduction " + std::to_string(part.number) + " of array " +
                std::to_string(array_.number()) + ", which is complete: this is a mistake of the library");
  }
  merge(unfinished_[part.number - completed_ - 1], part, in);
  complete();
}

void Reductions::complete() {
  while (!unfinished_.empty()) {
    One& done = unfinished_.front();
    if (done.count != living_ + done.births || done.names != 0) return;
    living_ += done.births;
    ++completed_;
    Archive count = Archive::counting();
    done.value.pack(count);
    Packed packed(count.used());
    Archive out = Archive::writing(packed.data(), packed.size());
    done.value.pack(out);
    const Callback to = done.to;
    unfinished_.pop_front();
    waiting_since_s_ = wall_s();
    array_.core().call_back(to, packed.data(), packed.size());
  }
}

void Reductions::ask_around(double now_s) {
  waiting_since_s_ = now_s;
  if (started_ <= reported_) return;
  for (int child = 0; child < tree_.children(); ++child) {
    if ((one(started_).reports >> child & 1) == 0) nudge(child);
  }
}

bool Reductions::is_waiting() const { return !unfinished_.empty() || (!open_.empty() && open_.front().is_started); }

std::string Reductions::missing(std::size_t most) const {
  std::string text;
  std::size_t count = 0;
  const std::uint32_t behind = unfinished_.empty() ? reported_ + 1 : completed_ + 1;
  for (const Entry* each : array_.here()) {
    if (each == nullptr || each->reduction > behind) continue;
    if (count++ < most) text += (text.empty() ? "" : "; ") + array_.name(each->index);
  }
  if (count > most) text += " and " + std::to_string(count - most) + " more";
  return text;
}

}  // namespace starling::array::detail
