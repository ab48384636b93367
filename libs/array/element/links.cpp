// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "links.hpp"

#include <iterator>
#include <string>

namespace starling::array::detail {

/// Elements tend to send to the same others in the same order, so the search begins behind the last.
Links::Link* Links::find(std::uint16_t array, const Index& to) {
  const std::size_t count = links_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (next_ >= count) next_ = 0;
    Link& link = links_[next_++];
    if (link.to == to && link.array == array) return &link;
  }
  return nullptr;
}

void Links::count(std::uint16_t array, const Index& to, std::size_t bytes) {
  if (Link* link = find(array, to)) return link->traffic.add(bytes);
  if (links_.size() < kMost) return links_.emplace_back(Link{array, to, {}}).traffic.add(bytes);
  std::erase_if(links_, [](Link& each) { return each.traffic.lessen(); });
  next_ = 0;
}

void Links::serialize(Archive& archive) {
  auto count = static_cast<std::uint32_t>(links_.size());
  archive(count);
  links_.resize(count);
  for (Link& each : links_) {
    auto size = static_cast<std::uint32_t>(each.to.size());
    archive(each.array, each.traffic, size);
    std::string name(each.to.data(), each.to.size());
    name.resize(size);
    archive.bytes(name.data(), size);
    if (archive.is_reading()) each.to = Index(name.data(), size);
  }
}

void Visits::count(const Index& to, std::size_t bytes) {
  if (const auto at = visits_.find(to); at != visits_.end()) return at->second.add(bytes);
  if (visits_.size() < kMost) return visits_[to].add(bytes);
  for (auto at = visits_.begin(); at != visits_.end();) at = at->second.lessen() ? visits_.erase(at) : std::next(at);
}

}  // namespace starling::array::detail
