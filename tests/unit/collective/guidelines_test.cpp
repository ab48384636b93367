// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// No cliffs: by the cost model no operation costs more than its composition from others, at any size.
// Source: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines", IEEE TPDS 2010.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "collective/selector.hpp"
#include "collective/shape.hpp"
#include "config/config.hpp"

namespace starling::collective::test {
namespace {

/// A call that is a part of the composition, with Shape::bytes as a function of those of the whole.
struct Part {
  Operation operation;
  std::function<std::int64_t(std::int64_t bytes, std::int32_t ranks)> bytes;
};

struct Guideline {
  Operation operation;
  std::vector<Part> parts;
};

std::int64_t same(std::int64_t bytes, std::int32_t /*ranks*/) { return bytes; }
std::int64_t all_blocks(std::int64_t bytes, std::int32_t ranks) { return bytes * ranks; }
std::int64_t nothing(std::int64_t /*bytes*/, std::int32_t /*ranks*/) { return 0; }

std::vector<Guideline> guidelines() {
  using enum Operation;
  return {
      {kBarrier, {{kAllreduce, nothing}}},
      {kReduce, {{kAllreduce, same}}},
      {kAllreduce, {{kReduce, same}, {kBcast, same}}},
      {kAllgather, {{kAllgatherv, all_blocks}}},
      {kReduceScatterBlock, {{kReduceScatter, same}}},
      {kScan, {{kExscan, same}, {kBarrier, nothing}}},
      {kExscan, {{kScan, same}, {kBarrier, nothing}}},
  };
}

class Guidelines : public testing::TestWithParam<std::int32_t> {};

TEST_P(Guidelines, NoOperationCostsMoreThanItsComposition) {
  const std::int32_t ranks = GetParam();
  for (const std::int32_t cores : {2, 64}) {
    const Selector selector = Selector::create(config::Store(), cores).value();
    for (const Guideline& guideline : guidelines()) {
      for (std::int64_t bytes = 1; bytes <= (std::int64_t{1} << 30); bytes *= 2) {
        for (const bool area : {false, true}) {
          const auto cost = [&](Operation operation, std::int64_t size) {
            Shape shape = usual_shape(operation, ranks, size);
            shape.area = shape.slots = area;
            return selector.cost(shape);
          };
          double composed = 0;
          for (const Part& part : guideline.parts) composed += cost(part.operation, part.bytes(bytes, ranks));
          // A twentieth: the model is no better; a tenth of a microsecond: what a call costs by itself.
          EXPECT_LE(cost(guideline.operation, bytes), composed * 1.05 + 100)
              << name(guideline.operation) << " of " << bytes << " bytes against " << name(guideline.parts[0].operation)
              << (area ? " with" : " without") << " shared memory, " << cores << " cores";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Guidelines, testing::Values(2, 3, 4, 7, 8, 16, 64));

}  // namespace
}  // namespace starling::collective::test
