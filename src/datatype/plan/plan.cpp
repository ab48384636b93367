// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/plan/plan.hpp"

#include <unordered_map>
#include <utility>

#include "datatype/types/datatype.hpp"
#include "datatype/types/parts.hpp"

namespace starling::datatype {
namespace {

// Up to so many runs of a part are copied into its parent's list. A constant bound keeps a type that nests the same
// part again and again from growing exponentially.
constexpr int kMaxUnrolled = 8;

PlanNode blocks_node(std::int64_t offset, std::int64_t count, std::int64_t stride, std::int64_t block) {
  PlanNode node;
  node.size = count * block;
  node.offset = offset;
  node.count = count;
  node.stride = stride;
  node.block = block;
  return node;
}

bool is_one_run(const PlanNode& node) { return node.kind == PlanNode::Kind::kBlocks && node.count == 1; }

// The runs as equally spaced blocks or as blocks of one length when they are, else as a list.
PlanNode runs_node(std::vector<PlanRun> runs) {
  const PlanRun& first = runs.front();
  if (runs.size() == 1) return blocks_node(first.offset, 1, 0, first.bytes);
  const std::int64_t stride = runs[1].offset - first.offset;
  bool same_length = true;
  bool same_stride = true;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    same_length = same_length && runs[i].bytes == first.bytes;
    same_stride = same_stride && runs[i].offset - runs[i - 1].offset == stride;
  }
  if (same_length && same_stride) {
    return blocks_node(first.offset, static_cast<std::int64_t>(runs.size()), stride, first.bytes);
  }
  PlanNode node;
  node.size = runs.back().position + runs.back().bytes;
  if (same_length) {
    node.kind = PlanNode::Kind::kOffsets;
    node.block = first.bytes;
    node.offsets.reserve(runs.size());
    for (const PlanRun& run : runs) node.offsets.push_back(run.offset);
  } else {
    node.kind = PlanNode::Kind::kRuns;
    node.runs = std::move(runs);
  }
  return node;
}

PlanRef share(PlanNode node) { return std::make_shared<const PlanNode>(std::move(node)); }

PlanRef repeat(std::int64_t count, std::int64_t stride, const PlanRef& body) {
  if (count == 1) return body;
  if (body->kind == PlanNode::Kind::kBlocks) {
    if (body->count == 1) {
      if (stride == body->block) return share(blocks_node(body->offset, 1, 0, body->block * count));
      return share(blocks_node(body->offset, count, stride, body->block));
    }
    if (stride == body->count * body->stride) {
      return share(blocks_node(body->offset, count * body->count, body->stride, body->block));
    }
  }
  PlanNode node;
  node.kind = PlanNode::Kind::kParts;
  node.size = count * body->size;
  node.parts.push_back({0, count, stride, 0, body});
  return share(std::move(node));
}

// Collects parts in packed order, merging what it can.
class Sequence {
 public:
  void add(std::int64_t offset, std::int64_t count, std::int64_t stride, const PlanRef& body) {
    if (is_one_run(*body) && (count == 1 || stride == body->block)) {
      add_run(offset + body->offset, count * body->block);
      return;
    }
    const PlanRef repeated = repeat(count, stride, body);
    if (!add_few_runs(offset, *repeated)) {
      flush();
      parts_.push_back({offset, 1, 0, position_, repeated});
      position_ += repeated->size;
    }
  }

  PlanRef finish() {
    if (parts_.empty()) return share(runs_node(std::move(runs_)));
    flush();
    if (parts_.size() == 1 && parts_.front().offset == 0) return parts_.front().body;
    PlanNode node;
    node.kind = PlanNode::Kind::kParts;
    node.size = position_;
    node.parts = std::move(parts_);
    return share(std::move(node));
  }

 private:
  void add_run(std::int64_t offset, std::int64_t bytes) {
    if (!runs_.empty() && runs_.back().offset + runs_.back().bytes == offset) {
      runs_.back().bytes += bytes;
    } else {
      runs_.push_back({offset, bytes, runs_bytes_});
    }
    runs_bytes_ += bytes;
  }

  // Takes over the runs of a node that has only a few.
  bool add_few_runs(std::int64_t offset, const PlanNode& node) {
    switch (node.kind) {
      case PlanNode::Kind::kBlocks:
        if (node.count > kMaxUnrolled) return false;
        for (std::int64_t i = 0; i < node.count; ++i) add_run(offset + node.offset + i * node.stride, node.block);
        return true;
      case PlanNode::Kind::kOffsets:
        if (node.offsets.size() > std::size_t{kMaxUnrolled}) return false;
        for (const std::int64_t place : node.offsets) add_run(offset + place, node.block);
        return true;
      case PlanNode::Kind::kRuns:
        if (node.runs.size() > std::size_t{kMaxUnrolled}) return false;
        for (const PlanRun& run : node.runs) add_run(offset + run.offset, run.bytes);
        return true;
      case PlanNode::Kind::kParts: break;
    }
    return false;
  }

  // Turns the runs collected so far into one part.
  void flush() {
    if (runs_.empty()) return;
    parts_.push_back({0, 1, 0, position_, share(runs_node(std::exchange(runs_, {})))});
    position_ += std::exchange(runs_bytes_, 0);
  }

  std::vector<PlanRun> runs_;
  std::int64_t runs_bytes_ = 0;
  std::vector<PlanPart> parts_;
  std::int64_t position_ = 0;
};

class Compiler {
 public:
  PlanRef node(const Datatype& type) {
    if (type.layout().one_run) return share(blocks_node(type.true_lb(), 1, 0, type.size()));
    if (const auto known = known_.find(&type); known != known_.end()) return known->second;
    PlanRef made = type.is_predefined() ? pair_node() : parts_node(type);
    known_.emplace(&type, made);
    return made;
  }

 private:
  // MPI_SHORT_INT is the only predefined type with a gap inside.
  static PlanRef pair_node() {
    Sequence sequence;
    const PlanRef value = share(blocks_node(0, 1, 0, sizeof(std::int16_t)));
    const PlanRef index = share(blocks_node(alignof(std::int32_t), 1, 0, sizeof(std::int32_t)));
    sequence.add(0, 1, 0, value);
    sequence.add(0, 1, 0, index);
    return sequence.finish();
  }

  PlanRef parts_node(const Datatype& type) {
    Sequence sequence;
    const Arguments arguments(type.contents());
    for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
      const Part part = arguments.part(i);
      if (part.count == 0 || part.block_length == 0 || part.type->size() == 0) continue;
      const PlanRef body = node(*part.type);
      if (part.count == 1) {
        sequence.add(part.displacement, part.block_length, part.type->extent(), body);
      } else {
        const PlanRef block = repeat(part.block_length, part.type->extent(), body);
        sequence.add(part.displacement, part.count, part.stride, block);
      }
    }
    return sequence.finish();
  }

  std::unordered_map<const Datatype*, PlanRef> known_;
};

}  // namespace

std::unique_ptr<const PlanNode> compile(const Datatype& type) {
  return std::make_unique<const PlanNode>(*Compiler().node(type));
}

const PlanNode& predefined_plan(Basic type) noexcept {
  // Never destroyed, as the predefined types themselves.
  static const PlanNode* const short_int = compile(predefined(Basic::kShortInt)).release();
  static const PlanNode* const double_int = compile(predefined(Basic::kDoubleInt)).release();
  static const PlanNode* const long_int = compile(predefined(Basic::kLongInt)).release();
  static const PlanNode* const long_double_int = compile(predefined(Basic::kLongDoubleInt)).release();
  switch (type) {
    case Basic::kShortInt: return *short_int;
    case Basic::kDoubleInt: return *double_int;
    case Basic::kLongInt: return *long_int;
    default: return *long_double_int;
  }
}

}  // namespace starling::datatype
