// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "balancer_links.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace starling::array::detail {

namespace {

void write_traffic(Archive& archive, const Traffic& traffic) {
  archive(static_cast<double>(traffic.bytes), static_cast<double>(traffic.messages));
}

constexpr int kNamed = -1;  // a link's other end is an element of this array, by its name

}  // namespace

void write_name(Archive& archive, const Index& index) {
  archive(static_cast<std::uint64_t>(index.size()));
  archive.bytes(const_cast<char*>(index.data()), index.size());
}

void write_links(Archive& archive, const Entry& element, const Places& places) {
  static const std::vector<Links::Link> none;
  const auto& links = element.extras ? element.extras->links.all() : none;
  archive(static_cast<std::uint32_t>(links.size()));
  for (const Links::Link& each : links) {
    const bool is_of_this = each.array == element.array->number();
    archive(is_of_this ? kNamed : places.place_of(each.array, each.to));
    if (is_of_this) write_name(archive, each.to);
    write_traffic(archive, each.traffic);
  }
}

void LinkAnswers::read_links(Archive& archive, std::uint32_t from, balancing::Problem& problem) {
  std::uint32_t links = 0;
  archive(links);
  for (std::uint32_t i = 0; i < links; ++i) {
    NamedLink link{from, {}, 0, 0};
    int process = kNamed;
    archive(process);
    if (process == kNamed) archive(link.to);
    archive(link.bytes, link.messages);
    if (process == kNamed) {
      links_.push_back(std::move(link));
    } else {
      problem.anchors.push_back({from, process, link.bytes, link.messages});
    }
  }
}

void write_visits(Archive& archive, const Visits& visits) {
  archive(static_cast<std::uint32_t>(visits.all().size()));
  for (const auto& [index, traffic] : visits.all()) {
    write_name(archive, index);
    write_traffic(archive, traffic);
  }
}

void LinkAnswers::read_visits(Archive& archive, int process) {
  std::uint32_t visits = 0;
  archive(visits);
  for (std::uint32_t i = 0; i < visits; ++i) {
    NamedAnchor& anchor = anchors_.emplace_back(NamedAnchor{process, {}, 0, 0});
    archive(anchor.of, anchor.bytes, anchor.messages);
  }
}

void LinkAnswers::find_ends(const std::vector<std::string>& names, balancing::Problem& problem) const {
  if (links_.empty() && anchors_.empty()) return;
  std::unordered_map<std::string_view, std::uint32_t> places;
  places.reserve(names.size());
  for (std::uint32_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  for (const NamedLink& each : links_) {
    const auto to = places.find(each.to);
    if (to != places.end()) problem.links.push_back({each.from, to->second, each.bytes, each.messages});
  }
  for (const NamedAnchor& each : anchors_) {
    const auto of = places.find(each.of);
    if (of != places.end()) problem.anchors.push_back({of->second, each.process, each.bytes, each.messages});
  }
}

}  // namespace starling::array::detail
