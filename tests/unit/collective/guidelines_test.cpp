// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// No cliffs: by the cost model no operation costs more than its composition from others, at any size.
// Source: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines", IEEE TPDS 2010.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "collective/choose/selector.hpp"
#include "collective/choose/shape.hpp"
#include "config/config.hpp"

namespace starling::collective::test {
namespace {

/// A call that is a part of the composition, with Shape::bytes as a function of those of the whole.
struct ComposedCall {
  Operation operation;
  std::function<std::int64_t(std::int64_t bytes, std::int32_t ranks)> bytes;
};

struct Guideline {
  Operation operation;
  std::vector<ComposedCall> parts;
};

std::int64_t same(std::int64_t bytes, std::int32_t /*ranks*/) { return bytes; }
std::int64_t all_blocks(std::int64_t bytes, std::int32_t ranks) { return bytes * ranks; }
std::int64_t one_block(std::int64_t bytes, std::int32_t ranks) { return (bytes + ranks - 1) / ranks; }
std::int64_t nothing(std::int64_t /*bytes*/, std::int32_t /*ranks*/) { return 0; }

std::vector<Guideline> guidelines() {
  using enum Operation;
  return {
      {kBarrier, {{kAllreduce, nothing}}},
      {kReduce, {{kAllreduce, same}}},
      {kAllreduce, {{kReduce, same}, {kBcast, same}}},
      {kAllreduce, {{kReduceScatterBlock, same}, {kAllgather, one_block}}},
      {kReduce, {{kReduceScatterBlock, same}, {kGather, one_block}}},
      {kBcast, {{kScatter, one_block}, {kAllgather, one_block}}},
      {kAllgather, {{kAllgatherv, all_blocks}}},
      {kAllgather, {{kGather, same}, {kBcast, all_blocks}}},
      {kGather, {{kAllgather, same}}},
      {kScatter, {{kBcast, all_blocks}}},
      {kReduceScatterBlock, {{kReduce, same}, {kScatter, one_block}}},
      {kReduceScatterBlock, {{kAllreduce, same}}},
      {kReduceScatter, {{kAllreduce, same}}},
      {kReduceScatterBlock, {{kReduceScatter, same}}},
      {kScan, {{kExscan, same}, {kBarrier, nothing}}},
      {kExscan, {{kScan, same}, {kBarrier, nothing}}},
  };
}

struct Weighed {
  double cost = 0;
  std::string words;  ///< which algorithms, for a failure
};

class Guidelines : public testing::TestWithParam<std::int32_t> {
 protected:
  static Weighed weigh(const Selector& selector, const std::vector<ComposedCall>& parts, std::int64_t bytes,
                       bool shared) {
    Weighed sum;
    for (const ComposedCall& part : parts) {
      Shape shape = usual_shape(part.operation, GetParam(), part.bytes(bytes, GetParam()));
      shape.has_buffer = shape.has_segments = shared;
      sum.cost += selector.cost(shape);
      sum.words += std::string(" ") + name(part.operation) + " " + selector.choose(shape).name;
    }
    return sum;
  }
};

TEST_P(Guidelines, NoOperationCostsMoreThanItsComposition) {
  for (const std::int32_t cores : {2, 64}) {
    const Selector selector = Selector::create(config::Store(), cores).value();
    for (const Guideline& guideline : guidelines()) {
      for (std::int64_t bytes = 1; bytes <= (std::int64_t{1} << 30); bytes *= 2) {
        for (const bool shared : {false, true}) {
          const Weighed whole = weigh(selector, {{guideline.operation, same}}, bytes, shared);
          const Weighed composed = weigh(selector, guideline.parts, bytes, shared);
          // As near as a choice shall be to the best; a tenth of a microsecond: what a call costs by itself.
          EXPECT_LE(whole.cost, composed.cost * 1.15 + 100)
              << whole.words << " of " << bytes << " bytes against" << composed.words << (shared ? " with" : " without")
              << " shared memory, " << cores << " cores";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Guidelines, testing::Values(2, 3, 4, 7, 8, 16, 64));

}  // namespace
}  // namespace starling::collective::test
