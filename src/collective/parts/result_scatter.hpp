// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The second half of a reduce_scatter that reduces to rank 0 first: the scatterv of the whole result.
// Thread safety: none; belongs to one coroutine. Invariants: arguments() points into the object. Source: MPI-5.0, 6.10.
#pragma once

#include <vector>

#include "collective/coroutine/call.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

class ResultScatter {
 public:
  /// `a` is the reduce_scatter's; `whole` is its result, at rank 0 of `call`.
  ResultScatter(const Call& call, const Arguments& a, const void* whole) : part_(a) {
    const Blocks blocks = result_blocks(a);
    for (std::int32_t rank = 0; call.rank() == 0 && rank < call.size(); ++rank) {
      counts_.push_back(blocks.count(rank));
      displs_.push_back(blocks.displacement(rank));
    }
    part_.operation = Operation::kScatterv;
    part_.root = 0;
    part_.in_place = false;
    part_.send_buffer = whole;
    part_.send_type = a.receive_type;
    part_.send_counts = counts_.data();
    part_.send_displs = displs_.data();
    part_.receive_count = blocks.count(call.rank());
  }
  ResultScatter(const ResultScatter&) = delete;
  ResultScatter& operator=(const ResultScatter&) = delete;

  [[nodiscard]] const Arguments& arguments() const noexcept { return part_; }

 private:
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> displs_;
  Arguments part_;
};

}  // namespace starling::collective
