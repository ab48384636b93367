// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collector.hpp"

#include <algorithm>
#include <limits>
#include <starling/array/references.hpp>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

namespace {

constexpr int kSweptAtOnce = 64;   // elements that are looked at in a step
constexpr int kPutOffAtMost = 64;  // steps of a process that is busy, before it answers

}  // namespace

Marks::Phase Collector::phase() const { return host_.marks.phase; }

template <class Visit>
void Collector::each_array(Visit&& visit) {
  for (const auto& array : arrays_.all()) visit(*array);
}

void Collector::ask(Step step) {
  answers_ = 0;
  RecordHeader header;
  header.kind = RecordKind::kCollect;
  header.flags = static_cast<std::uint8_t>(step);
  header.epoch = run_;
  for (int to = 0; to < host_.size(); ++to) host_.records().post(to, header, nullptr);
}

void Collector::tell(Step step, const void* bytes, std::size_t size) {
  RecordHeader header;
  header.kind = RecordKind::kCollect;
  header.flags = static_cast<std::uint8_t>(step);
  header.epoch = run_;
  host_.records().post_bytes(0, header, static_cast<const char*>(bytes), size);
}

void Collector::begin(const References& roots, const Callback& to) {
  host_.quiesce();
  is_done_ = has_previous_ = false;
  deleted_ = 0;
  to_ = to;
  ask(Step::kBegin);
  host_.quiesce();  // no element runs before all processes have begun
  mark(roots);
  next_wave();
}

std::size_t Collector::collect(const References& roots) {
  begin(roots, {});
  host_.run_until([this] { return is_done_; });
  host_.quiesce();
  return deleted_;
}

/// Those of a run that an error ended are not for the next; those of the next may come while this one ends.
void Collector::handle(const Record& record) {
  const RecordHeader& header = record.header;
  if (header.epoch > run_) {
    const std::size_t size = padded(header.index) + padded(header.payload);
    return host_.records().handle_later({header, record.from, std::vector<char>(record.index, record.index + size)});
  }
  if (header.epoch < run_) return;
  switch (static_cast<Step>(header.flags)) {
    case Step::kBegin: return start();
    case Step::kAsk:
      is_asked_ = true;
      put_off_ = 0;
      return;
    case Step::kTell: return told(info_of<Sums>(record));
    case Step::kSweep:
      host_.marks.phase = Marks::Phase::kSweeps;
      array_ = deleted_here_ = 0;
      position_ = std::numeric_limits<std::size_t>::max();
      return;
    case Step::kSwept: return swept(info_of<std::uint64_t>(record));
  }
}

void Collector::start() {
  Marks& marks = host_.marks;
  marks.phase = Marks::Phase::kMarks;
  marks.value = !marks.value;
  marks.made = marks.ended = 0;
  has_marked_waiting_ = false;
  each_array([](ArrayCore& array) { array.broadcasts().keep_from_now_on(); });
}

void Collector::next_wave() {
  sums_ = {};
  ask(Step::kAsk);
}

void Collector::told(const Sums& sums) {
  sums_.made += sums.made;
  sums_.ended += sums.ended;
  if (++answers_ < host_.size()) return;
  const bool is_over = has_previous_ && sums_ == previous_ && sums_.made == sums_.ended;
  previous_ = sums_;
  has_previous_ = true;
  if (is_over) return ask(Step::kSweep);
  next_wave();
}

void Collector::swept(std::uint64_t deleted) {
  deleted_ += deleted;
  if (++answers_ < host_.size()) return;
  is_done_ = true;
  const std::size_t count = deleted_;
  host_.call_back(std::exchange(to_, {}), reinterpret_cast<const char*>(&count), sizeof count);
}

bool Collector::step(bool is_busy) {
  if (lags_) {
    let_all_take_part();
    return true;
  }
  if (is_asked_ && (!is_busy || ++put_off_ >= kPutOffAtMost)) {
    answer();
    return true;
  }
  if (phase() != Marks::Phase::kSweeps) return false;
  sweep_some();
  return true;
}

void Collector::answer() {
  is_asked_ = false;
  if (!std::exchange(has_marked_waiting_, true) && host_.marks.waiting != 0) mark_waiting();
  const Sums sums{host_.marks.made, host_.marks.ended};
  tell(Step::kTell, &sums, sizeof sums);
}

/// One that waited at the beginning and does so no more got its mark before it went on.
void Collector::mark_waiting() {
  each_array([this](ArrayCore& array) {
    array.elements().each_here([this](Entry& each) {
      if (each.suspended != 0) before(each);
    });
  });
}

void Collector::mark(const References& held) {
  for (const auto& [array, index] : held.names()) mark(arrays_.at(array), index);
}

void Collector::mark(ArrayCore& array, const Index& index) {
  ++host_.marks.made;
  if (array.router().room(index, kMarkMethod, {}, 0) == nullptr) ++host_.marks.ended;  // there is no such element
}

void Collector::give_mark(Entry& entry) {
  entry.is_marked = host_.marks.value;
  const ElementType& type = entry.array->type();
  if (type.references == nullptr) return;
  References held;
  type.references(entry.object, held);
  mark(held);
}

void Collector::before(Entry& entry) {
  if (phase() != Marks::Phase::kMarks || entry.is_marked == host_.marks.value || !entry.is_here) return;
  give_mark(entry);
  ArrayCore& array = entry.array->array();
  if (array.is_behind(entry)) mark(array, entry.index);  // with it comes what concerns all, and was not for it yet
}

void Collector::reach(Entry& entry) {
  ++host_.marks.ended;
  if (phase() == Marks::Phase::kMarks && entry.is_marked != host_.marks.value) give_mark(entry);
  entry.array->array().catch_up(entry);
}

void Collector::sweep_some() {
  int left = kSweptAtOnce;
  for (; array_ < arrays_.count(); ++array_, position_ = std::numeric_limits<std::size_t>::max()) {
    if (!sweep_some_of(arrays_.at(static_cast<std::uint16_t>(array_)).elements(), left)) return;
  }
  host_.marks.phase = Marks::Phase::kSwept;
  each_array([](ArrayCore& array) { array.broadcasts().keep_no_longer(); });
  tell(Step::kSwept, &deleted_here_, sizeof deleted_here_);
}

/// From the last to the first: what takes the place of one that goes was behind it. Whether it came to an end.
bool Collector::sweep_some_of(Elements& elements, int& left) {
  if (elements.type().references == nullptr) return true;
  for (position_ = std::min(position_, elements.here().size()); position_ > 0;) {
    if (left-- == 0) return false;
    Entry* each = elements.here()[--position_];
    if (each == nullptr || !elements.lacks_mark(*each)) continue;
    each->is_dying = true;
    elements.array().after(*each);
    ++deleted_here_;
    position_ = std::min(position_, elements.here().size());
  }
  return true;
}

void Collector::begin_run(std::uint32_t run) {
  run_ = run;
  is_asked_ = false;
  lags_ = lags_ || phase() == Marks::Phase::kMarks || phase() == Marks::Phase::kSweeps;
  host_.marks.phase = Marks::Phase::kNone;
  if (!lags_) return;
  each_array([this](ArrayCore& array) {
    array.elements().each_here([this](Entry& each) { each.is_marked = host_.marks.value; });
  });
}

void Collector::let_all_take_part() {
  lags_ = false;
  each_array([](ArrayCore& array) {
    array.broadcasts().keep_no_longer();
    array.elements().each_here([&](Entry& each) { array.catch_up(each); });
  });
}

void Collector::renew() {
  host_.marks.phase = Marks::Phase::kNone;
  run_ = 0;
  is_asked_ = lags_ = false;
}

}  // namespace starling::array::detail
