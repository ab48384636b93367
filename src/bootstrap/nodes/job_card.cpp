// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/nodes/job_card.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/format.hpp"
#include "memory/shared_file.hpp"

namespace starling::bootstrap {
namespace {

/// More than a million ranks need.
constexpr off_t kMostBytes = off_t{1} << 30;

void put_rank(ByteWriter& out, WorldRank rank) { out.put(rank.value); }
void put_number(ByteWriter& out, std::int32_t number) { out.put(number); }
void put_descriptors(ByteWriter& out, const std::vector<std::int32_t>& numbers) { out.put_list(numbers, put_number); }
void put_entrance(ByteWriter& out, const Entrance& entrance) {
  out.put_text(entrance.address).put_text(entrance.interface);
}
void put_entrances(ByteWriter& out, const std::vector<Entrance>& entrances) { out.put_list(entrances, put_entrance); }
void put_node(ByteWriter& out, const JobCard::Node& node) {
  out.put_text(node.host).put_list(node.ranks, put_rank).put(node.usable_cores).put_list(node.app_numbers, put_number);
}

std::int32_t get_number(ByteReader& in) { return in.get<std::int32_t>(); }
WorldRank get_rank(ByteReader& in) { return WorldRank(get_number(in)); }
std::vector<std::int32_t> get_descriptors(ByteReader& in) { return in.get_list<std::int32_t>(get_number); }
Entrance get_entrance(ByteReader& in) {
  Entrance entrance;
  entrance.address = in.get_text();
  entrance.interface = in.get_text();
  return entrance;
}
std::vector<Entrance> get_entrances(ByteReader& in) { return in.get_list<Entrance>(get_entrance); }
JobCard::Node get_node(ByteReader& in) {
  JobCard::Node node;
  node.host = in.get_text();
  node.ranks = in.get_list<WorldRank>(get_rank);
  node.usable_cores = get_number(in);
  node.app_numbers = in.get_list<std::int32_t>(get_number);
  return node;
}

/// Every world rank stands on one node.
bool are_all_placed(const JobCard& card) {
  std::vector<bool> is_placed(card.entrances.size());
  std::size_t placed = 0;
  for (const JobCard::Node& node : card.nodes) {
    for (const WorldRank rank : node.ranks) {
      if (rank.is_none() || rank.index() >= is_placed.size() || is_placed[rank.index()]) return false;
      is_placed[rank.index()] = true;
      ++placed;
    }
  }
  return placed == is_placed.size();
}

bool is_whole(const JobCard::Node& node) {
  const bool has_numbers = node.app_numbers.empty() || node.app_numbers.size() == node.ranks.size();
  return !node.ranks.empty() && node.usable_cores > 0 && has_numbers;
}

/// A rank listens at each of its entrances, or its listeners are not in the card.
bool have_listeners(const JobCard& card) {
  const std::vector<WorldRank>& ranks = card.nodes[static_cast<std::size_t>(card.own_node)].ranks;
  if (!card.listeners.empty() && card.listeners.size() != ranks.size()) return false;
  for (std::size_t local = 0; local < card.listeners.size(); ++local) {
    const std::vector<std::int32_t>& own = card.listeners[local];
    if (!own.empty() && own.size() != card.entrances[ranks[local].index()].size()) return false;
    if (std::ranges::any_of(own, [](std::int32_t descriptor) { return descriptor < 0; })) return false;
  }
  return true;
}

/// What others count on.
bool is_consistent(const JobCard& card) {
  if (card.own_node < 0 || static_cast<std::size_t>(card.own_node) >= card.nodes.size()) return false;
  return std::ranges::all_of(card.nodes, is_whole) && are_all_placed(card) && have_listeners(card);
}

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

bool write_bytes(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

memory::Placement JobCard::placement() const {
  std::vector<memory::Placement::Node> placed;
  for (const Node& node : nodes) placed.push_back({node.ranks, node.usable_cores, node.app_numbers});
  return {std::move(placed), own_node};
}

const std::string& JobCard::host_of(WorldRank rank) const {
  const auto has_rank = [rank](const Node& node) { return std::ranges::find(node.ranks, rank) != node.ranks.end(); };
  return std::ranges::find_if(nodes, has_rank)->host;
}

std::string JobCard::serialised() const {
  ByteWriter out;
  out.put_text(kFormat).put(job).put(secret).put_list(nodes, put_node).put(own_node);
  out.put_list(entrances, put_entrances).put_list(listeners, put_descriptors);
  return out.take();
}

Result<JobCard> JobCard::parse(std::string_view bytes) {
  ByteReader in(bytes);
  const std::string format = in.get_text();
  if (!in.ok() || !format.starts_with("starling-card-")) return refusal("it is none");
  if (format != kFormat) return refusal(formatted("it is a {}, and this build reads a {}", format, kFormat));
  JobCard card;
  card.job = in.get<std::uint64_t>();
  card.secret = in.get<decltype(card.secret)>();
  card.nodes = in.get_list<Node>(get_node);
  card.own_node = get_number(in);
  card.entrances = in.get_list<std::vector<Entrance>>(get_entrances);
  card.listeners = in.get_list<std::vector<int>>(get_descriptors);
  if (!in.ok_and_at_end() || !is_consistent(card)) return refusal("it is damaged");
  return card;
}

Result<Descriptor> JobCard::to_file() const {
  Descriptor file(memory::open_unnamed_file("starling-card"));
  if (!file.valid() || !write_bytes(file.get(), serialised())) {
    return Status::error(ErrorClass::kOther,
                         formatted("the description of a job on several nodes cannot be written to an unnamed file: {}",
                                   std::strerror(errno)));
  }
  // A file that is no memfd knows no seals.
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  return file;
}

Result<JobCard> JobCard::from_file(int descriptor) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return unreadable(descriptor);
  if (about.st_size > kMostBytes) return refusal("it is none");
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  // Not read(): all ranks of a node have the same position in the file.
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(descriptor);
    if (got == 0) return refusal("it ends too early");
    done += static_cast<std::size_t>(got);
  }
  return parse(bytes);
}

}  // namespace starling::bootstrap
