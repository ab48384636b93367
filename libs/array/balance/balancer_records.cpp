// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What processes tell each other in a balancing step: the part of Balancer that writes and reads loads, links and
// moves.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "balancer.hpp"

namespace starling::array::detail {

namespace {

void write_name(Archive& archive, const Index& index) {  // as a string is written
  archive(static_cast<std::uint64_t>(index.size()));
  archive.bytes(const_cast<char*>(index.data()), index.size());
}

void write_traffic(Archive& archive, const Traffic& traffic) {
  archive(static_cast<double>(traffic.bytes), static_cast<double>(traffic.messages));
}

constexpr int kNamed = -1;  // a link's other end is an element of this array, by its name

}  // namespace

/// The other end of a link is an element of this array, by its name, or one of another, by the process where it is.
void Balancer::write_links(Archive& archive, const Entry& element) const {
  static const std::vector<Links::Link> none;
  const auto& links = element.extras ? element.extras->links.all() : none;
  archive(static_cast<std::uint32_t>(links.size()));
  for (const Links::Link& each : links) {
    const bool is_of_this = each.array == elements_.number();
    archive(is_of_this ? kNamed : places_.place_of(each.array, each.to));
    if (is_of_this) write_name(archive, each.to);
    write_traffic(archive, each.traffic);
  }
}

void Balancer::read_links(Archive& archive, std::uint32_t from) {
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
      problem_.anchors.push_back({from, process, link.bytes, link.messages});
    }
  }
}

void Balancer::write_visits(Archive& archive) const {
  archive(static_cast<std::uint32_t>(visits_.all().size()));
  for (const auto& [index, traffic] : visits_.all()) {
    write_name(archive, index);
    write_traffic(archive, traffic);
  }
}

void Balancer::read_visits(Archive& archive, int process) {
  std::uint32_t visits = 0;
  archive(visits);
  for (std::uint32_t i = 0; i < visits; ++i) {
    NamedAnchor& anchor = anchors_.emplace_back(NamedAnchor{process, {}, 0, 0});
    archive(anchor.of, anchor.bytes, anchor.messages);
  }
}

/// Since it was taken last: what other arrays that are measured worked here, and what methods were kept waiting.
double Balancer::take_background_s() {
  const double before_s = std::exchange(taken_s_, host_.taken_s);
  return std::max(0.0, taken_s_ - before_s - std::exchange(worked_s_, 0));
}

void Balancer::answer(const Record& asked) {
  const double background_s = take_background_s();
  const auto write = [&](Archive& archive) {
    archive(move_s_, packed_, background_s, host_.is_vacated(), static_cast<std::uint32_t>(elements_.here().size()));
    for (const Entry* each : elements_.here()) {
      archive(static_cast<double>(each->load_us) * 1e-6, each->suspended != 0);
      write_name(archive, each->index);
      write_links(archive, *each);
    }
    write_visits(archive);
  };
  Archive count = Archive::counting();
  write(count);
  const std::uint32_t number = asked.header.epoch;
  Archive out = Archive::writing(post(asked.from, Ask::kAnswer, number, count.used()), count.used());
  write(out);
  for (Entry* each : elements_.here()) {
    if (each->load_us > 0) each->load_us = 0;
  }
  move_s_ = 0;
  packed_ = 0;
  start_period(number, info_of<Period>(asked));
}

void Balancer::take_answer(const Record& record) {
  const double begin_s = thread_processor_s();
  Archive in = Archive::reading(record.payload, record.header.payload);
  double move_s = 0;
  std::uint32_t moves = 0;
  std::uint32_t count = 0;
  bool wants_vacated = false;
  in(move_s, moves, background_s_[static_cast<std::size_t>(record.from)], wants_vacated, count);
  wants_vacated_[static_cast<std::size_t>(record.from)] = wants_vacated;
  all_move_s_ += move_s;
  all_moves_ += moves;
  for (std::uint32_t i = 0; i < count; ++i) {
    balancing::Problem::Element element;
    in(element.load, element.is_fixed, names_.emplace_back());
    element.process = record.from;
    problem_.elements.push_back(element);
    read_links(in, static_cast<std::uint32_t>(problem_.elements.size() - 1));
  }
  read_visits(in, record.from);
  const bool is_last = ++answers_ == host_.size();
  if (is_last) decide();
  busy_s_ += thread_processor_s() - begin_s;
  if (is_last && is_due_ && !is_asked_for_) begin(automatic_);
}

/// Of the links and anchors whose elements were not under way.
void Balancer::find_ends() {
  if (links_.empty() && anchors_.empty()) return;
  std::unordered_map<std::string_view, std::uint32_t> places;
  places.reserve(names_.size());
  for (std::uint32_t i = 0; i < names_.size(); ++i) places.emplace(names_[i], i);
  for (const NamedLink& each : links_) {
    const auto to = places.find(each.to);
    if (to != places.end()) problem_.links.push_back({each.from, to->second, each.bytes, each.messages});
  }
  for (const NamedAnchor& each : anchors_) {
    const auto of = places.find(each.of);
    if (of != places.end()) problem_.anchors.push_back({of->second, each.process, each.bytes, each.messages});
  }
}

void Balancer::send_moves(const balancing::Plan& plan) {
  // In the order in which a process named its elements, which is about that of their memory, not in the strategy's.
  std::vector<int> goes(problem_.elements.size(), -1);
  for (const balancing::Move& each : plan.moves) goes[each.element] = each.to;
  std::vector<std::vector<std::uint32_t>> of_process(static_cast<std::size_t>(problem_.processes));
  for (std::uint32_t i = 0; i < goes.size(); ++i) {
    if (goes[i] >= 0) of_process[static_cast<std::size_t>(problem_.elements[i].process)].push_back(i);
  }
  for (int to = 0; to < problem_.processes; ++to) {
    const auto& moves = of_process[static_cast<std::size_t>(to)];
    if (moves.empty()) continue;
    const auto write = [&](Archive& archive) {
      archive(static_cast<std::uint32_t>(moves.size()));
      for (const std::uint32_t each : moves) archive(goes[each], names_[each]);
    };
    Archive count = Archive::counting();
    write(count);
    RecordHeader header;
    header.kind = RecordKind::kMoves;
    header.array = elements_.number();
    header.payload = static_cast<std::uint32_t>(count.used());
    Archive out = Archive::writing(host_.records().post(to, header, nullptr), count.used());
    write(out);
  }
}

void Balancer::handle_moves(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload);
  std::uint32_t count = 0;
  in(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    int to = 0;
    std::string name;
    in(to, name);
    mover_.move(Index(name.data(), name.size()), to);
  }
}

}  // namespace starling::array::detail
