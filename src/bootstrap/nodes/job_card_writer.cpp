// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/nodes/job_card_writer.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace starling::bootstrap {
namespace {

/// The text before the port, and the port; 0 where the text does not end in a colon and a port.
std::pair<std::string_view, std::uint32_t> split(std::string_view address) {
  const std::size_t begin = address.rfind(':') + 1;  // 0 without a colon
  const std::string_view digits = address.substr(begin);
  std::uint16_t port = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool is_port =
      begin != 0 && error == std::errc() && rest == digits.data() + digits.size() && port != 0 && digits.front() != '0';
  return is_port ? std::pair(address.substr(0, begin), std::uint32_t{port}) : std::pair(address, std::uint32_t{0});
}

template <typename Row>
void append(std::string& bytes, const std::vector<Row>& rows) {
  bytes.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Row));
}

template <typename Rows>
std::uint32_t count(const Rows& rows) {
  return static_cast<std::uint32_t>(rows.size());
}

}  // namespace

TextPlace JobCardWriter::put(std::string_view text) {
  const auto [found, is_new] = place_of_.try_emplace(std::string(text), TextPlace{count(texts_), count(text)});
  if (is_new) texts_ += text;
  return found->second;
}

std::uint32_t JobCardWriter::put_address(std::string_view before_port, std::string_view interface) {
  // No interface has a blank in its name.
  std::string both(interface);
  both.append(" ").append(before_port);
  const auto [found, is_new] = number_of_.try_emplace(std::move(both), count(addresses_));
  if (is_new) addresses_.push_back({put(before_port), put(interface)});
  return found->second;
}

void JobCardWriter::add_node(std::string_view host, const memory::Placement::Node& node) {
  const auto number = static_cast<std::int32_t>(nodes_.size());
  hosts_.push_back(put(host));
  nodes_.push_back({count(ranks_), count(node.ranks), node.usable_cores});
  for (std::size_t local = 0; local < node.ranks.size(); ++local) {
    const WorldRank rank = node.ranks[local];
    ranks_.push_back(rank);
    if (!rank.is_none() && rank.index() < places_.size()) places_[rank.index()] = {number, LocalRank(local)};
  }
  const std::vector<std::int32_t> zeros(node.ranks.size());
  const std::vector<std::int32_t>& app_numbers = node.app_numbers.empty() ? zeros : node.app_numbers;
  app_numbers_.insert(app_numbers_.end(), app_numbers.begin(), app_numbers.end());
}

void JobCardWriter::add_entrances(const std::vector<Entrance>& entrances) {
  for (const Entrance& entrance : entrances) {
    const auto [before_port, port] = split(entrance.address);
    entrances_.push_back({put_address(before_port, entrance.interface), port});
  }
  entrance_ends_.push_back(count(entrances_));
}

void JobCardWriter::add_listeners(const std::vector<std::int32_t>& descriptors) {
  listeners_.insert(listeners_.end(), descriptors.begin(), descriptors.end());
  listener_ends_.push_back(count(listeners_));
}

std::string JobCardWriter::bytes() {
  std::ranges::copy(JobCardHeader::kFormat, header.format.begin());
  header.nodes = count(nodes_);
  header.hosts = count(hosts_);
  header.ranks = count(ranks_);
  header.app_numbers = count(app_numbers_);
  header.places = count(places_);
  header.entrance_ends = count(entrance_ends_);
  header.entrances = count(entrances_);
  header.addresses = count(addresses_);
  header.listener_ends = count(listener_ends_);
  header.listeners = count(listeners_);
  header.text_bytes = count(texts_);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  append(bytes, nodes_);
  append(bytes, hosts_);
  append(bytes, ranks_);
  append(bytes, app_numbers_);
  append(bytes, places_);
  append(bytes, entrance_ends_);
  append(bytes, entrances_);
  append(bytes, addresses_);
  append(bytes, listener_ends_);
  append(bytes, listeners_);
  return bytes += texts_;
}

}  // namespace starling::bootstrap
