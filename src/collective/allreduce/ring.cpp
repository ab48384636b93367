// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce around a ring: p - 1 steps that combine one part each, p - 1 steps that pass the results on.
// Source: Patarasuk, Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations", 2009.
// Limits: commutative operators, long vectors. Cost: 2 * (p - 1) * (alpha + m / p * beta) + (p - 1) / p * m * gamma.
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task allreduce_ring(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int32_t ranks = call.size();
  const std::int32_t me = call.rank();
  const std::int32_t before = (me - 1 + ranks) % ranks;
  const std::int32_t behind = (me + 1) % ranks;
  const EqualParts parts{a.receive_count, ranks};
  Scratch incoming(call, parts.length(0), type);
  if (!incoming) co_return;
  if (!a.in_place) call.copy(a.send_buffer, a.receive_buffer, a.receive_count, type);

  const auto part = [&](std::int32_t index) { return element(a.receive_buffer, parts.begin(index), type); };
  for (std::int32_t step = 0; step < ranks - 1; ++step) {
    const std::int32_t out = (me - step + ranks) % ranks;
    const std::int32_t in = (me - step - 1 + ranks) % ranks;
    Batch batch(call);
    batch.add(call.receive(incoming.data(), parts.length(in), type, before));
    batch.add(call.send(part(out), parts.length(out), type, behind));
    co_await batch;
    call.reduce(incoming.data(), part(in), parts.length(in), type);
  }
  for (std::int32_t step = 0; step < ranks - 1; ++step) {
    const std::int32_t out = (me + 1 - step + ranks) % ranks;
    const std::int32_t in = (me - step + ranks) % ranks;
    Batch batch(call);
    batch.add(call.receive(part(in), parts.length(in), type, before));
    batch.add(call.send(part(out), parts.length(out), type, behind));
    co_await batch;
  }
}

const Algorithm allreduce_ring_algorithm = {
    Operation::kAllreduce,
    "ring",
    kCommutative,
    Order::kAny,
    &allreduce_ring,
    [](const Shape& shape, const Machine& machine) {
      const double part = static_cast<double>(shape.bytes) / shape.ranks;
      return around_ring(shape, machine).exchanges(2 * (shape.ranks - 1), part, shape.ranks) +
             (shape.ranks - 1) * part * machine.reduce_byte_ns * machine.share(shape.ranks);
    },
    "2 * (p - 1) * (alpha + m / p * beta) + m * gamma",
};

}  // namespace starling::collective
