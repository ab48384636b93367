// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/nodes/job_card_view.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

/// More than a million ranks need.
constexpr off_t kMostBytes = off_t{1} << 30;

Status refusal(std::string_view why) {
  return Status::error(
      ErrorClass::kOther,
      formatted("the description of a job on several nodes cannot be used: {}. All nodes need the same "
                "version of Starling, its launcher and its library.",
                why));
}

Status unreadable(int descriptor) {
  return Status::error(ErrorClass::kOther,
                       formatted("the description of a job on several nodes (descriptor {}) cannot be read: {}. Did a "
                                 "wrapper script between mpiexec and the program close it?",
                                 descriptor, std::strerror(errno)));
}

/// Tables that lie one behind the other.
class Tables {
 public:
  Tables(const std::byte* begin, std::size_t bytes) noexcept : next_(begin), left_(bytes) {}

  template <typename Row>
  void take(std::span<const Row>& table, std::uint64_t rows) noexcept {
    const std::uint64_t bytes = rows * sizeof(Row);
    whole_ = whole_ && bytes <= left_;
    if (!whole_) return;
    table = {reinterpret_cast<const Row*>(next_), static_cast<std::size_t>(rows)};
    next_ += bytes;
    left_ -= bytes;
  }
  [[nodiscard]] bool whole_and_at_end() const noexcept { return whole_ && left_ == 0; }

 private:
  const std::byte* next_;
  std::size_t left_;
  bool whole_ = true;
};

/// The rows of the element with this number.
template <typename Row>
std::span<const Row> rows_of(std::span<const Row> rows, std::span<const std::uint32_t> ends, std::size_t number) {
  const std::uint32_t begin = number == 0 ? 0 : ends[number - 1];
  return rows.subspan(begin, ends[number] - begin);
}

bool are_ends_of(std::span<const std::uint32_t> ends, std::size_t rows) {
  return std::ranges::is_sorted(ends) && (ends.empty() ? rows == 0 : ends.back() == rows);
}

}  // namespace

Result<JobCardView> JobCardView::of_file(int descriptor) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return unreadable(descriptor);
  if (about.st_size <= 0 || about.st_size > kMostBytes) return refusal("it is none");
  const auto bytes = static_cast<std::size_t>(about.st_size);
  // Private, as a sealed file demands: pages that nobody writes are those of the file all the same.
  void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) return unreadable(descriptor);
  const std::shared_ptr<const void> memory(mapped, [mapped, bytes](const void*) { munmap(mapped, bytes); });
  return of_bytes({static_cast<const char*>(mapped), bytes}, memory);
}

Result<JobCardView> JobCardView::of_bytes(std::string_view bytes, std::shared_ptr<const void> memory) {
  ByteReader in(bytes);
  const std::string format = in.get_text();
  if (!in.ok() || !format.starts_with("starling-card-")) return refusal("it is none");
  if (format != JobCardHeader::kFormat) {
    return refusal(formatted("it is a {}, and this build reads a {}", format, JobCardHeader::kFormat));
  }
  JobCardView view(reinterpret_cast<const std::byte*>(bytes.data()), std::move(memory));
  const bool is_whole = bytes.size() >= sizeof(JobCardHeader) && view.find_tables(bytes.size());
  if (is_whole && view.are_all_placed() && view.have_addresses() && view.have_listeners()) return view;
  return refusal("it is damaged");
}

bool JobCardView::find_tables(std::size_t bytes) {
  const JobCardHeader& counts = header();
  Tables tables(bytes_ + sizeof counts, bytes - sizeof counts);
  tables.take(placed_.nodes, counts.nodes);
  tables.take(hosts_, counts.hosts);
  tables.take(placed_.ranks, counts.ranks);
  tables.take(placed_.app_numbers, counts.app_numbers);
  tables.take(placed_.places, counts.places);
  tables.take(entrance_ends_, counts.entrance_ends);
  tables.take(entrances_, counts.entrances);
  tables.take(addresses_, counts.addresses);
  tables.take(listener_ends_, counts.listener_ends);
  tables.take(listeners_, counts.listeners);
  std::span<const char> texts;
  tables.take(texts, counts.text_bytes);
  texts_ = {texts.data(), texts.size()};
  return tables.whole_and_at_end();
}

bool JobCardView::has_text(TextPlace place) const noexcept {
  return std::uint64_t{place.begin} + place.bytes <= texts_.size();
}

/// Every world rank stands on one node, and its place says so.
bool JobCardView::are_all_placed() const {
  const auto& [nodes, ranks, app_numbers, places] = placed_;
  const bool fit = hosts_.size() == nodes.size() && ranks.size() == places.size() && app_numbers.size() == ranks.size();
  if (!fit || own_node() < 0 || static_cast<std::size_t>(own_node()) >= nodes.size()) return false;
  std::size_t next = 0;
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    const memory::PlacementTables::NodeRow& node = nodes[number];
    if (node.first != next || node.ranks == 0 || node.ranks > ranks.size() - next || node.usable_cores <= 0)
      return false;
    if (!has_text(hosts_[number])) return false;
    for (std::size_t local = 0; local < node.ranks; ++local, ++next) {
      const WorldRank rank = ranks[next];
      const memory::Place place{static_cast<std::int32_t>(number), LocalRank(local)};
      if (rank.is_none() || rank.index() >= places.size() || places[rank.index()] != place) return false;
    }
  }
  return next == ranks.size();
}

bool JobCardView::have_addresses() const {
  const bool are_known = std::ranges::all_of(
      entrances_, [this](const EntranceRow& row) { return row.address < addresses_.size() && row.port <= UINT16_MAX; });
  const bool are_texts = std::ranges::all_of(
      addresses_, [this](const AddressRow& row) { return has_text(row.before_port) && has_text(row.interface); });
  return are_known && are_texts && entrance_ends_.size() == ranks() && are_ends_of(entrance_ends_, entrances_.size());
}

/// A rank listens at each of its entrances, or its listeners are not in the card.
bool JobCardView::have_listeners() const {
  if (!are_ends_of(listener_ends_, listeners_.size())) return false;
  if (std::ranges::any_of(listeners_, [](std::int32_t descriptor) { return descriptor < 0; })) return false;
  const memory::PlacementTables::NodeRow& own = placed_.nodes[static_cast<std::size_t>(own_node())];
  if (has_listeners() && listener_ends_.size() != own.ranks) return false;
  for (std::size_t local = 0; local < listener_ends_.size(); ++local) {
    const std::size_t open = rows_of(listeners_, listener_ends_, local).size();
    const std::size_t offered = rows_of(entrances_, entrance_ends_, placed_.ranks[own.first + local].index()).size();
    if (open != 0 && open != offered) return false;
  }
  return true;
}

std::vector<Entrance> JobCardView::entrances_of(WorldRank rank) const {
  std::vector<Entrance> found;
  for (const EntranceRow& row : rows_of(entrances_, entrance_ends_, rank.index())) {
    const AddressRow& address = addresses_[row.address];
    Entrance& entrance = found.emplace_back();
    entrance.address = text(address.before_port);
    if (row.port != 0) entrance.address += std::to_string(row.port);
    entrance.interface = text(address.interface);
  }
  return found;
}

std::vector<std::int32_t> JobCardView::listeners_of(LocalRank rank) const {
  if (rank.index() >= listener_ends_.size()) return {};
  const std::span<const std::int32_t> own = rows_of(listeners_, listener_ends_, rank.index());
  return {own.begin(), own.end()};
}

}  // namespace starling::bootstrap
