// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collector.hpp"

#include <starling/array/references.hpp>

#include "arrays.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

/// Those that may be collected.
template <class Visit>
void Collector::each_element(Visit&& visit) {
  for (const auto& array : arrays_.all()) {
    if (array->elements().type().references == nullptr) continue;
    for (Entry* each : std::vector<Entry*>(array->elements().here())) visit(*each);
  }
}

void Collector::ask(Step step) {
  RecordHeader header;
  header.kind = RecordKind::kCollect;
  header.flags = static_cast<std::uint8_t>(step);
  for (int to = 0; to < host_.size(); ++to) host_.records().post(to, header, nullptr);
}

std::size_t Collector::collect(const References& roots) {
  host_.quiesce();
  ask(Step::kClear);  // marks of one that ended by an error
  host_.quiesce();
  ask(Step::kMark);
  mark(roots);
  host_.quiesce();
  answers_ = 0;
  deleted_ = 0;
  ask(Step::kSweep);
  host_.run_until([this] { return answers_ == host_.size(); });
  host_.quiesce();
  return deleted_;
}

void Collector::handle(const Record& record) {
  switch (static_cast<Step>(record.header.flags)) {
    case Step::kClear: return each_element([](Entry& each) { each.is_marked = false; });
    case Step::kMark:
      return each_element([this](Entry& each) {
        if (each.suspended != 0) reach(each);
      });
    case Step::kSweep: {
      const std::uint64_t deleted = sweep();
      RecordHeader header;
      header.kind = RecordKind::kCollect;
      header.flags = static_cast<std::uint8_t>(Step::kSwept);
      host_.records().post_bytes(record.from, header, reinterpret_cast<const char*>(&deleted), sizeof deleted);
      return;
    }
    case Step::kSwept:
      deleted_ += info_of<std::uint64_t>(record);
      ++answers_;
      return;
  }
}

void Collector::mark(const References& held) {
  for (const auto& [array, index] : held.names()) arrays_.at(array).router().room(index, kMarkMethod, {}, 0);
}

void Collector::reach(Entry& entry) {
  const ElementType& type = entry.array->type();
  if (entry.is_marked || type.references == nullptr) return;
  entry.is_marked = true;
  References held;
  type.references(entry.object, held);
  mark(held);
}

std::uint64_t Collector::sweep() {
  std::uint64_t deleted = 0;
  each_element([&](Entry& each) {
    if (each.is_marked) return;
    each.is_dying = true;
    each.array->array().after(each);
    ++deleted;
  });
  return deleted;
}

}  // namespace starling::array::detail
