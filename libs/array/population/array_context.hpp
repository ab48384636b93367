// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ArrayContext: what the parts of one array on one process use: its elements, the other parts, and the process.
//
// **Thread safety**: none. **Invariants**: entry.hpp; the elements of elements.here() are those that reductions counts
// here.
#pragma once

#include "balance/balancer.hpp"
#include "collective/broadcasts.hpp"
#include "collective/reductions.hpp"
#include "collective/sections.hpp"
#include "element/router.hpp"
#include "element/streams.hpp"
#include "landings.hpp"

namespace starling::array::detail {

struct ArrayContext {
  Host& host;
  Streams& streams;
  Elements& elements;
  Router& router;
  Broadcasts& broadcasts;
  Reductions& reductions;
  Sections& sections;
  Balancer& balancer;
  Landings& landings;

  std::uint16_t number() const { return elements.number(); }
  Directory& directory() const { return elements.directory(); }

  /// An element is on this process from now on, with its numbers; or not any more.
  void join(Entry& entry) const {
    elements.add_here(entry);
    reductions.joined(entry);
  }
  void part(const Entry& entry) const {
    elements.remove_here(entry);
    reductions.parted(entry);
  }
};

}  // namespace starling::array::detail
