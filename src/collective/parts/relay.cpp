// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/relay.hpp"

#include <algorithm>
#include <new>

#include "collective/node/contributions.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

class Relay {
 public:
  Relay(Call& call, SharedBuffer& shared, const RelayPart& part)
      : call_(call), shared_(shared), part_(part), bytes_(part.count * part.type.size()) {
    const auto place = std::find(part.writers.begin(), part.writers.end(), call.rank());
    place_ = static_cast<std::size_t>(place - part.writers.begin());
    // The smallest pieces with which the vector fits a step, but none that are not worth a wait.
    constexpr std::int64_t kLeastBytes = 16 * 1024;
    const std::int64_t even = (bytes_ + per_step() - 1) / per_step();
    const std::int64_t piece_bytes = std::min(shared.segment_bytes(), std::max(kLeastBytes, even));
    piece_ = std::max<std::int64_t>(1, (piece_bytes + part.type.size() - 1) / part.type.size());
    if (piece_ * part.type.size() > shared.segment_bytes()) piece_ = shared.segment_bytes() / part.type.size();
  }

  [[nodiscard]] bool writes() const noexcept { return place_ < part_.writers.size(); }
  /// Of the relay; the first writer's are those of all.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  /// Adds this rank's part to step i.
  friend Task write_step(Call& call, Relay& run, std::uint64_t i);
  /// Takes what the last writer left in step i, and leaves the step.
  friend Task read_step(Call& call, Relay& run, std::uint64_t i);

 private:
  [[nodiscard]] std::int64_t per_step() const noexcept { return call_.size() + 1; }
  [[nodiscard]] std::uint64_t number(std::uint64_t i) {
    if (i == begun_) {
      const std::uint64_t k = shared_.next();
      if (i == 0) first_ = k;
      ++begun_;
    }
    return first_ + i;
  }
  /// Pieces of step i, by this rank's size.
  [[nodiscard]] std::int64_t pieces(std::uint64_t i) const noexcept {
    const std::int64_t all = (part_.count + piece_ - 1) / piece_;
    return std::min(per_step(), all - static_cast<std::int64_t>(i) * per_step());
  }
  [[nodiscard]] std::int64_t first_of(std::uint64_t i, std::int64_t piece) const noexcept {
    return (static_cast<std::int64_t>(i) * per_step() + piece) * piece_;
  }
  [[nodiscard]] std::int64_t length_of(std::uint64_t i, std::int64_t piece) const noexcept {
    return std::min(piece_, part_.count - first_of(i, piece));
  }
  /// Piece by piece in the segments of one rank after the other, and of the common result.
  [[nodiscard]] std::byte* at(std::int64_t piece, std::uint64_t k) noexcept {
    return shared_.segment(static_cast<std::int32_t>(piece), k);
  }
  [[nodiscard]] RelayProgress& progress(std::int32_t rank, std::uint64_t k) noexcept {
    return *std::launder(reinterpret_cast<RelayProgress*>(shared_.flag(rank, k).payload));
  }
  [[nodiscard]] bool agrees(std::int64_t bytes, const RelayProgress& theirs) const noexcept {
    return bytes == bytes_ && theirs.piece_bytes == piece_ * part_.type.size();
  }
  void begin(std::uint64_t k, std::int64_t bytes, std::int64_t piece_bytes, std::uint32_t pieces) {
    auto* own = new (shared_.flag(call_.rank(), k).payload) RelayProgress;
    own->steps = steps_;
    own->piece_bytes = piece_bytes;
    own->pieces = pieces;
    shared_.post(k, bytes);
  }
  /// One more piece is written. Where ranks share cores those who sleep are woken for some pieces at once.
  void show(std::uint64_t k) noexcept {
    constexpr std::uint32_t kAtOnce = 4;
    RelayProgress& own = progress(call_.rank(), k);
    const std::uint32_t written = own.written.load(std::memory_order_relaxed) + 1;
    own.written.store(written, std::memory_order_release);
    if (place_ + 1 < part_.writers.size()) {
      shared_.ring(part_.writers[place_ + 1]);
    } else if (!shared_.oversubscribed() || written % kAtOnce == 0 || written == own.pieces) {
      shared_.ring_all();
    }
  }

  Call& call_;
  SharedBuffer& shared_;
  const RelayPart& part_;
  std::int64_t bytes_;
  std::size_t place_ = 0;    ///< among the writers
  std::int64_t piece_ = 0;   ///< in elements
  std::uint64_t first_ = 0;  ///< step of the shared buffer
  std::uint64_t begun_ = 0;  ///< steps
  std::uint64_t steps_ = 1;
};

Task write_step(Call& call, Relay& run, std::uint64_t i) {
  const std::uint64_t k = run.number(i);
  if (run.place_ == 0) {
    const std::int64_t a_step = run.per_step() * run.piece_;
    run.steps_ = static_cast<std::uint64_t>(std::max<std::int64_t>(1, (run.part_.count + a_step - 1) / a_step));
    co_await Writable(call, run.shared_, k, run.bytes_);
    run.begin(k, run.bytes_, run.piece_ * run.part_.type.size(), static_cast<std::uint32_t>(run.pieces(i)));
    for (std::int64_t piece = 0; piece < run.pieces(i); ++piece) {
      put(run.at(piece, k), element(run.part_.from, run.first_of(i, piece), run.part_.type), run.length_of(i, piece),
          run.part_.type);
      run.show(k);
    }
    co_return;
  }
  const std::int32_t before = run.part_.writers[run.place_ - 1];
  co_await call.until([&] { return run.shared_.posted(before, k); });
  RelayProgress& theirs = run.progress(before, k);
  const std::int64_t bytes = run.shared_.flag(before, k).bytes;
  run.steps_ = theirs.steps;
  co_await Writable(call, run.shared_, k, run.bytes_);
  run.begin(k, bytes, theirs.piece_bytes, theirs.pieces);
  for (std::uint32_t piece = 0; piece < theirs.pieces; ++piece) {
    co_await call.until([&] { return theirs.written.load(std::memory_order_acquire) > piece; });
    if (run.agrees(bytes, theirs)) {  // else read_step() says so
      call.reduce(element(run.part_.from, run.first_of(i, piece), run.part_.type), run.at(piece, k),
                  run.length_of(i, piece), run.part_.type);
    }
    run.show(k);
  }
}

Task read_step(Call& call, Relay& run, std::uint64_t i) {
  const std::uint64_t k = run.number(i);
  const std::int32_t last = run.part_.writers.back();
  co_await call.until([&] { return run.shared_.posted(last, k); });
  const RelayProgress& theirs = run.progress(last, k);
  const std::int64_t bytes = run.shared_.flag(last, k).bytes;
  if (i == 0) {
    compare_bytes(call, run.part_.writers.front(), bytes, run.bytes_);
    compare_bytes(call, run.part_.writers.front(), theirs.piece_bytes, run.piece_ * run.part_.type.size());
  }
  run.steps_ = theirs.steps;
  for (std::uint32_t piece = 0; piece < theirs.pieces; ++piece) {
    co_await call.until([&] { return theirs.written.load(std::memory_order_acquire) > piece; });
    if (run.part_.to && run.agrees(bytes, theirs)) {
      take(run.at(piece, k), element(run.part_.to, run.first_of(i, piece), run.part_.type), run.length_of(i, piece),
           run.part_.type);
    }
  }
  run.shared_.finish(k);
}

}  // namespace

Task relay(Call& call, SharedBuffer& shared, const RelayPart& part) {
  Relay run(call, shared, part);
  constexpr std::uint64_t kAhead = SharedBufferLayout::kSegmentDepth;
  std::uint64_t done = 0;
  // Whoever writes gives others what they wait for before it takes anything itself, as far ahead as there is room.
  for (std::uint64_t i = 0; run.writes() && i < run.steps(); ++i) {
    if (i >= kAhead) co_await read_step(call, run, done++);
    co_await write_step(call, run, i);
  }
  while (done < run.steps()) co_await read_step(call, run, done++);
}

double relay_cost(const Shape& shape, const Machine& machine) noexcept {
  const auto bytes = static_cast<double>(shape.bytes);
  return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
         bytes * (machine.fold_byte_ns + machine.copy_byte_ns * machine.share(shape.ranks));
}

}  // namespace starling::collective
