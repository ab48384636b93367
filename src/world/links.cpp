// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/links.hpp"

#include <algorithm>

#include "comm/communicator.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::world {
namespace {

/// How many links can have a range of their own at a time.
constexpr std::uint32_t kRanges =
    (comm::Communicator::kPartitioned - comm::Realm::kFirstContext) / comm::Realm::kContexts;

}  // namespace

Result<Link::Host> Links::host() {
  for (std::uint32_t tried = 0; tried < kRanges; ++tried) {
    last_range_ = (last_range_ + 1) % kRanges;
    if (std::ranges::none_of(links_, [&](const Kept& kept) { return kept.range == last_range_; })) {
      return Link::Host{progress_, p2p_, job_, config_,
                        comm::Realm::kFirstContext + last_range_ * comm::Realm::kContexts};
    }
  }
  return Status::error(ErrorClass::kIntern, "this process is connected " + std::to_string(kRanges) +
                                                " times, and more is not possible; disconnect what is not needed");
}

Result<Link*> Links::keep(Result<std::unique_ptr<Link>> link, std::uint32_t range) {
  if (!link.ok()) return std::move(link).status();
  links_.push_back({std::move(link).value(), range});
  return links_.back().link.get();
}

Result<Link*> Links::make(std::uint32_t places) {
  close_finished();
  Result<Link::Host> made = host();
  if (!made.ok()) return std::move(made).status();
  return keep(Link::make(made.value(), transport::shm::geometry(places, config_)), last_range_);
}

Result<Link*> Links::open(const bootstrap::SegmentAddress& address, std::uint32_t place) {
  close_finished();
  Result<Link::Host> made = host();
  if (!made.ok()) return std::move(made).status();
  return keep(Link::open(made.value(), address, place), last_range_);
}

void Links::close_finished() {
  std::erase_if(links_, [](const Kept& kept) { return kept.link->over(); });
}

}  // namespace starling::world
