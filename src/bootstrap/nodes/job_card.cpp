// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/nodes/job_card.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/format.hpp"
#include "bootstrap/nodes/job_card_writer.hpp"
#include "memory/shared_file.hpp"

namespace starling::bootstrap {
namespace {

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

std::string JobCard::serialised() const {
  JobCardWriter out;
  out.header.job = job;
  out.header.secret = secret;
  out.header.own_node = own_node;
  out.place(entrances.size());
  for (const Node& node : nodes) out.add_node(node.host, {node.ranks, node.usable_cores, node.app_numbers});
  for (const std::vector<Entrance>& of_rank : entrances) out.add_entrances(of_rank);
  for (const std::vector<int>& of_rank : listeners) out.add_listeners(of_rank);
  return out.bytes();
}

JobCard JobCard::of(const JobCardView& view) {
  JobCard card;
  card.job = view.job();
  card.secret = view.secret();
  card.own_node = view.own_node();
  const memory::Placement placement = view.placement();
  for (std::int32_t number = 0; number < placement.nodes(); ++number) {
    const memory::Placement::NodeView node = placement.node(number);
    card.nodes.push_back({std::string(view.host(static_cast<std::size_t>(number))),
                          {node.ranks.begin(), node.ranks.end()},
                          node.usable_cores,
                          {node.app_numbers.begin(), node.app_numbers.end()}});
  }
  for (std::size_t rank = 0; rank < view.ranks(); ++rank) card.entrances.push_back(view.entrances_of(WorldRank(rank)));
  if (!view.has_listeners()) return card;
  const std::size_t here = placement.node(placement.own_node()).ranks.size();
  for (std::size_t local = 0; local < here; ++local) card.listeners.push_back(view.listeners_of(LocalRank(local)));
  return card;
}

Result<JobCard> JobCard::parse(std::string_view bytes) {
  // The bytes may lie anywhere; the tables of a card are aligned.
  const std::size_t words = bytes.size() / sizeof(std::uint64_t) + 1;
  const auto aligned = std::make_shared<std::vector<std::uint64_t>>(words);
  std::memcpy(aligned->data(), bytes.data(), bytes.size());
  const auto* const first = reinterpret_cast<const char*>(aligned->data());
  const Result<JobCardView> view = JobCardView::of_bytes({first, bytes.size()}, aligned);
  if (!view.ok()) return view.status().copy();
  return of(view.value());
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

}  // namespace starling::bootstrap
