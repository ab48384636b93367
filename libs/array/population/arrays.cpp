// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <utility>

#include "base/format.hpp"

namespace starling::array::detail {

ArrayCore& Arrays::add(const ElementType& type, std::uint32_t default_constructor, ArrayPlan plan) {
  const auto number = static_cast<std::uint16_t>(arrays_.size());
  arrays_.push_back(
      std::make_unique<ArrayCore>(*this, host_, streams_, number, type, default_constructor, std::move(plan)));
  for (KeptRecord& each : std::exchange(early_, {})) {
    if (each.header.array < arrays_.size()) {
      host_.records().handle_later(std::move(each));
    } else {
      early_.push_back(std::move(each));
    }
  }
  return *arrays_.back();
}

ArrayCore& Arrays::at(std::uint16_t number) const {
  if (number >= arrays_.size()) {
    throw Error(formatted("array {} is not known on process {}: all processes make all arrays, in one order", number,
                          host_.rank()));
  }
  return *arrays_[number];
}

void Arrays::keep(const Record& record) {
  const RecordHeader& header = record.header;
  const std::size_t size = padded(header.index) + padded(header.payload);
  early_.push_back({header, record.from, std::vector<char>(record.index, record.index + size)});
}

void Arrays::forget_all() {
  for (const auto& each : arrays_) each->forget_all();
  early_.clear();
}

}  // namespace starling::array::detail
