// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/node_domain.hpp"

#include <utility>

namespace starling::comm {

Ref<SharedDomain> domain_of_node(memory::JobSegment& segment, const memory::Placement& placement) {
  SharedDomain::Members members;
  for (const WorldRank rank : placement.node(placement.own_node()).ranks) {
    members.emplace(process_of(rank), placement.local_of(rank));
  }
  return Ref<SharedDomain>::adopt(new SharedDomain(segment, std::move(members)));
}

}  // namespace starling::comm
