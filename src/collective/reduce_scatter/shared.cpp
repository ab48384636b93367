// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter in shared memory: every rank leaves its whole contribution, and after one meeting folds its own block
// of everybody's, in rank order. Long vectors go piece by piece, a part of every block in each, so that all ranks have
// the same work in every step. Limits: one node, elements without gaps. Cost: a meeting for each segment + m * (copy +
// gamma) a rank. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/reduce_scatter/shared.hpp"

#include <algorithm>
#include <optional>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

/// How the blocks go through a segment: in so many pieces, piece i of every block in step i, one block behind the
/// other.
class Pieces {
 public:
  Pieces(const Blocks& blocks, std::int32_t ranks, std::int64_t segment_elements) : blocks_(blocks) {
    const std::int64_t total = blocks.total(ranks);
    // A piece may hold one element more of each block than its share.
    if (total > segment_elements) pieces_ = (total - 1) / (segment_elements - ranks) + 1;
  }

  [[nodiscard]] std::int64_t count() const noexcept { return pieces_; }
  /// Elements of rank's block in a piece, and where they begin in the block.
  [[nodiscard]] std::int64_t length(std::int32_t rank, std::int64_t piece) const noexcept {
    const std::int64_t whole = blocks_.count(rank);
    return pieces_ == 1 ? whole : EqualParts{whole, pieces_}.length(piece);  // spares short calls the divisions
  }
  [[nodiscard]] std::int64_t begin(std::int32_t rank, std::int64_t piece) const noexcept {
    return pieces_ == 1 ? 0 : EqualParts{blocks_.count(rank), pieces_}.begin(piece);
  }

 private:
  const Blocks& blocks_;
  std::int64_t pieces_ = 1;
};

/// Leaves a piece of every block in the segment; returns where this rank's begins there, in elements.
std::int64_t put_piece(Call& call, const Arguments& a, const Blocks& blocks, const Pieces& pieces, std::int64_t piece,
                       std::byte* segment) {
  const datatype::Datatype& type = *a.receive_type;
  std::int64_t at = 0;
  std::int64_t block = 0;
  std::int64_t mine = 0;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    const std::int64_t length = pieces.length(rank, piece);
    put(segment + at * type.size(), element(input(a), block + pieces.begin(rank, piece), type), length, type);
    if (rank == call.rank()) mine = at;
    at += length;
    block += blocks.count(rank);
  }
  return mine;
}

/// Within a turn that the caller holds, if it does: one frame for both.
Task run(Call& call, const Arguments& a, SharedBuffer* held) {
  std::optional<Turn> turn;
  if (held == nullptr) {
    turn.emplace(call);
    co_await turn->enter();
  }
  SharedBuffer& shared = held != nullptr ? *held : turn->buffer();
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const std::int64_t bytes = blocks.total(call.size()) * type.size();
  const std::int64_t segment_elements = shared.segment_bytes() / std::max<std::int64_t>(1, type.size());
  if (bytes > shared.segment_bytes() && segment_elements <= call.size()) {
    co_await reduce_scatter_ordered(call, a);  // elements so large that a segment has no room for one of every block
    co_return;
  }
  const Pieces pieces(blocks, call.size(), segment_elements);
  // In place the result lands on the contribution: at the end, when all of that is in segments.
  Scratch late(call, a.in_place && pieces.count() > 1 ? blocks.count(call.rank()) : 0, type);
  if (!late) co_return;
  void* into = a.in_place && pieces.count() > 1 ? late.data() : a.receive_buffer;
  bool agreed = true;
  for (std::int64_t piece = 0; piece < pieces.count() && agreed; ++piece) {
    const std::uint64_t k = shared.next();
    co_await Writable(call, shared, k, bytes);
    const std::int64_t mine = put_piece(call, a, blocks, pieces, piece, shared.data(call.rank(), k, bytes));
    shared.post(k, bytes);
    if (shared.arrive(k)) shared.release(k);
    co_await call.until([&] { return shared.met(k); });
    agreed = agree(call, shared, k, bytes);
    if (agreed) {
      call.note(fold(*a.op, {shared, k, bytes}, mine, pieces.length(call.rank(), piece), type,
                     element(into, pieces.begin(call.rank(), piece), type)));
    }
    shared.finish(k);
  }
  if (into != a.receive_buffer && agreed) call.copy(into, a.receive_buffer, blocks.count(call.rank()), type);
}

double reduce_scatter_shared_cost(const Shape& shape, const Machine& machine) {
  const auto bytes = static_cast<double>(shape.bytes);
  const double pieces = std::max(1.0, bytes / static_cast<double>(std::max<std::int64_t>(1, shape.segment_bytes)));
  return pieces * meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
         bytes * machine.share(shape.ranks) * (machine.copy_byte_ns + machine.fold_byte_ns);
}

/// Room for an element of every block, if those are of a predefined type.
bool fits_slots(const Shape& shape) {
  return has_room(shape, shape.bytes) || (shape.has_segments && shape.segment_bytes >= shape.ranks * 64);
}

}  // namespace

Task reduce_scatter_in_buffer(Call& call, const Arguments& a, SharedBuffer& shared) { return run(call, a, &shared); }
Task reduce_scatter_shared(Call& call, const Arguments& a) { return run(call, a, nullptr); }

namespace {

constexpr Algorithm reduce_scatter_shared_for(Operation operation) {
  return {operation,
          "shared",
          kSharedBuffer | kDense,
          Order::kRanks,
          &reduce_scatter_shared,
          &reduce_scatter_shared_cost,
          "m / segment * meeting + m * (copy + gamma)",
          &fits_slots};
}

}  // namespace

const Algorithm reduce_scatter_shared_algorithm = reduce_scatter_shared_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_shared_algorithm = reduce_scatter_shared_for(Operation::kReduceScatterBlock);

}  // namespace starling::collective
