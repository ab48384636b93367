// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "homes.hpp"

#include <string>
#include <vector>

#include "population/arrays.hpp"

namespace starling::array::detail {

namespace {

struct Item {
  std::uint16_t array = 0;
  bool is_deleted = false;
  std::string index;
  void serialize(Archive& archive) { archive(array, is_deleted, index); }
};

void append(std::vector<char>& list, const Item& item) {
  Archive count = Archive::counting();
  count(item);
  list.resize(list.size() + count.used());
  Archive::writing(list.data() + list.size() - count.used(), count.used())(item);
}

/// The elements here, and those that were deleted, by their homes.
void list_for_homes(ArrayCore& array, std::vector<std::vector<char>>& lists) {
  const auto list = [&](const Index& index, bool is_deleted) {
    append(lists[static_cast<std::size_t>(array.elements().home_of(index))],
           {array.number(), is_deleted, std::string(index.data(), index.size())});
  };
  for (const Entry* each : array.elements().here()) {
    if (!each->is_home) list(each->index, false);
  }
  for (const Index& each : array.deletion().take_deleted()) list(each, true);
}

}  // namespace

bool tell_homes(Host& host, const Arrays& arrays) {
  const auto size = static_cast<std::size_t>(host.size());
  std::vector<std::vector<char>> to(size);
  for (const auto& each : arrays.all()) list_for_homes(*each, to);
  std::vector<std::vector<char>> in;
  if (mpi::exchange(host.records().comm(), to, in) != mpi::kNoError) return false;
  for (std::size_t from = 0; from < size; ++from) {
    Archive list = Archive::reading(in[from].data(), in[from].size());
    while (list.left() != 0) {
      Item item;
      list(item);
      const Index index(item.index.data(), item.index.size());
      ArrayCore& array = arrays.at(item.array);
      if (item.is_deleted) {
        array.deletion().learn_at_home(index);
      } else {
        array.learn_at_home(index, static_cast<int>(from));
      }
    }
  }
  return true;
}

}  // namespace starling::array::detail
