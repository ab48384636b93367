// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "homes.hpp"

#include "core.hpp"

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

}  // namespace

bool tell_homes(Core& core) {
  const auto size = static_cast<std::size_t>(core.size());
  std::vector<std::vector<char>> to(size);
  for (std::size_t i = 0; i < core.arrays(); ++i) core.array(static_cast<std::uint16_t>(i)).list_for_homes(to);
  std::vector<std::vector<char>> in;
  if (mpi::exchange(core.wire().comm(), to, in) != mpi::kNoError) return false;
  for (std::size_t from = 0; from < size; ++from) {
    Archive list = Archive::reading(in[from].data(), in[from].size());
    while (list.left() != 0) {
      Item item;
      list(item);
      const Index index(item.index.data(), item.index.size());
      ArrayCore& array = core.array(item.array);
      if (item.is_deleted) {
        array.bury_at_home(index);
      } else {
        array.learn_at_home(index, static_cast<int>(from));
      }
    }
  }
  return true;
}

void ArrayCore::list_for_homes(std::vector<std::vector<char>>& lists) {
  const auto list = [&](const Index& index, bool is_deleted) {
    append(lists[static_cast<std::size_t>(home_of(index))],
           {number_, is_deleted, std::string(index.data(), index.size())});
  };
  for (const Entry* each : here_) {
    if (!each->is_home) list(each->index, false);
  }
  for (const Index& each : std::exchange(buried_, {})) list(each, true);
}

/// Whatever was said of it before: it lives.
void ArrayCore::learn_at_home(const Index& index, int rank) {
  Entry& entry = entry_for(index);
  entry.epoch = 1;
  entry.rank = rank;
  entry.is_deleted = false;
}

void ArrayCore::bury_at_home(const Index& index) {
  Entry& entry = entry_for(index);
  if (entry.epoch != 0) return;  // it was created anew, or is buried already
  entry.epoch = 1;
  entry.is_deleted = true;
  ++entry.graves;
  graves_.push_back(&entry);
}

}  // namespace starling::array::detail
