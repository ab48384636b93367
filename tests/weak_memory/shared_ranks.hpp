// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SharedRank: a rank of a node, and its side of the shared buffer of a communicator of all ranks there.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collective/node/shared_buffer.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak {

struct SharedRank {
  SharedRank(Node& node, std::int32_t rank, std::int32_t ranks) : number(rank), size(ranks) {
    comm::SharedDomain::Members members;
    std::vector<ProcessId> everyone;
    for (std::int32_t i = 0; i < ranks; ++i) {
      everyone.emplace_back(i);
      members.emplace(ProcessId(i), LocalRank(i));
    }
    auto domain = Ref<comm::SharedDomain>::adopt(new comm::SharedDomain(*node.segment, members));
    auto group = Ref<comm::Group>::adopt(new comm::Group(everyone));
    comm = Ref<comm::Communicator>::adopt(new comm::Communicator(2, group, rank, {{}, domain}));
    buffer = collective::SharedBuffer::join(*comm, {.most_depth = collective::SharedBufferLayout::kLeastDepth});
    EXPECT_TRUE(buffer && buffer->have_segments());
  }

  std::int32_t number;
  std::int32_t size;
  Ref<comm::Communicator> comm;
  std::unique_ptr<collective::SharedBuffer> buffer;
};

}  // namespace starling::weak
