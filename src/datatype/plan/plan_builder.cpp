// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/plan/plan_builder.hpp"

#include <utility>

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

bool is_one_run(const PlanNode& node) { return node.form == PlanNode::Form::kBlocks && node.count == 1; }

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
    node.form = PlanNode::Form::kOffsets;
    node.block = first.bytes;
    node.offsets.reserve(runs.size());
    for (const PlanRun& run : runs) node.offsets.push_back(run.offset);
  } else {
    node.form = PlanNode::Form::kRuns;
    node.runs = std::move(runs);
  }
  return node;
}

PlanRef share(PlanNode node) { return std::make_shared<const PlanNode>(std::move(node)); }

}  // namespace

PlanRef plan_of_run(std::int64_t offset, std::int64_t bytes) { return share(blocks_node(offset, 1, 0, bytes)); }

PlanRef plan_of_repetition(std::int64_t count, std::int64_t stride, const PlanRef& body) {
  if (count == 1) return body;
  if (body->form == PlanNode::Form::kBlocks) {
    if (body->count == 1) {
      if (stride == body->block) return share(blocks_node(body->offset, 1, 0, body->block * count));
      return share(blocks_node(body->offset, count, stride, body->block));
    }
    if (stride == body->count * body->stride) {
      return share(blocks_node(body->offset, count * body->count, body->stride, body->block));
    }
  }
  PlanNode node;
  node.form = PlanNode::Form::kParts;
  node.size = count * body->size;
  node.parts.push_back({0, count, stride, 0, body});
  return share(std::move(node));
}

void PlanSequence::add(std::int64_t offset, std::int64_t count, std::int64_t stride, const PlanRef& body) {
  if (is_one_run(*body) && (count == 1 || stride == body->block)) {
    add_run(offset + body->offset, count * body->block);
    return;
  }
  const PlanRef repeated = plan_of_repetition(count, stride, body);
  if (!add_few_runs(offset, *repeated)) {
    flush();
    parts_.push_back({offset, 1, 0, position_, repeated});
    position_ += repeated->size;
  }
}

PlanRef PlanSequence::finish() {
  if (parts_.empty()) return share(runs_node(std::move(runs_)));
  flush();
  if (parts_.size() == 1 && parts_.front().offset == 0) return parts_.front().body;
  PlanNode node;
  node.form = PlanNode::Form::kParts;
  node.size = position_;
  node.parts = std::move(parts_);
  return share(std::move(node));
}

void PlanSequence::add_run(std::int64_t offset, std::int64_t bytes) {
  if (!runs_.empty() && runs_.back().offset + runs_.back().bytes == offset) {
    runs_.back().bytes += bytes;
  } else {
    runs_.push_back({offset, bytes, runs_bytes_});
  }
  runs_bytes_ += bytes;
}

bool PlanSequence::add_few_runs(std::int64_t offset, const PlanNode& node) {
  switch (node.form) {
    case PlanNode::Form::kBlocks:
      if (node.count > kMaxUnrolled) return false;
      for (std::int64_t i = 0; i < node.count; ++i) add_run(offset + node.offset + i * node.stride, node.block);
      return true;
    case PlanNode::Form::kOffsets:
      if (node.offsets.size() > std::size_t{kMaxUnrolled}) return false;
      for (const std::int64_t place : node.offsets) add_run(offset + place, node.block);
      return true;
    case PlanNode::Form::kRuns:
      if (node.runs.size() > std::size_t{kMaxUnrolled}) return false;
      for (const PlanRun& run : node.runs) add_run(offset + run.offset, run.bytes);
      return true;
    case PlanNode::Form::kParts: break;
  }
  return false;
}

void PlanSequence::flush() {
  if (runs_.empty()) return;
  parts_.push_back({0, 1, 0, position_, share(runs_node(std::exchange(runs_, {})))});
  position_ += std::exchange(runs_bytes_, 0);
}

}  // namespace starling::datatype
