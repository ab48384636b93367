// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Section<T>: the name of a subset of an array, with a tree of its own for broadcasts and reductions. A small value
// that may be sent in messages.
//
//     Section<Cell> border(cells, {0, 9, 17});
//     border.broadcast<&Cell::flow>(border, done);       in Cell::flow: contribute(border, value, Sum{}, done);
//
// Members stay members wherever they move; those that die leave it. Its tree goes over the processes that had members
// when it was made: after many moves a new section of the same members is faster. It does not outlive a load() or a
// loss. **Thread safety**: used by the thread of their session. **Invariants**: broadcasts reach each living member
// once, in one order.
#pragma once

#include <starling/array/proxy.hpp>
#include <vector>

namespace starling::array {

template <class T>
class Section {
 public:
  /// A name of no section, to be read into.
  Section() = default;
  /// From main or from an element. Members that do not exist yet join when they are created; until all have joined,
  /// broadcasts wait. One that was deleted is none.
  Section(const Array<T>& array, const std::vector<typename T::IndexType>& members) : array_(array) {
    std::vector<Index> indices;
    indices.reserve(members.size());
    for (const auto& each : members) indices.push_back(detail::IndexBytes<typename T::IndexType>::pack(each));
    name_ = detail::make_section(array.core(), indices);
  }

  /// Calls method M on each member.
  template <auto M, class... A>
  void broadcast(A&&... arguments) const {
    using Method = detail::Method<T, M>;
    static_assert(Method::Traits::template kTakes<A...>, "the method takes other arguments");
    detail::Packed packed = detail::pack_now<typename Method::Arguments>(arguments...);
    detail::broadcast_to(array_.core(), name_, Method::kNumber, packed.data(), packed.size());
  }
  /// Between steps: members forget it, and it must not be used any more.
  void dissolve() const { detail::dissolve(array_.core(), name_); }

  const Array<T>& array() const { return array_; }
  const detail::SectionName& name() const { return name_; }
  void serialize(Archive& archive) { archive(array_, name_); }

 private:
  Array<T> array_;
  detail::SectionName name_;
};

}  // namespace starling::array
