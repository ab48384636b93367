// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by recursive doubling: in each step partners exchange what they have and combine it in rank order.
// Ranks beyond a power of two hand their contribution to a neighbour and get the result back.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.5.
// Limits: none. Cost: log2 p * (alpha + m * (beta + gamma)), two steps more where p is no power of two.
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/halving.hpp"

namespace starling::collective {

Task allreduce_recursive_doubling(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const Folding folding = Folding::of(call.size());
  const std::int32_t me = folding.participant(call.rank());
  const bool in_pair = call.rank() < 2 * folding.extra;
  if (me == Folding::kNone) {
    co_await call.send(input(a), count, type, call.rank() + 1);
    co_await call.receive(a.receive_buffer, count, type, call.rank() + 1);
    co_return;
  }
  Scratch spare(call, count, type);
  if (!spare) co_return;
  void* result = a.receive_buffer;
  void* incoming = spare.data();
  if (!a.in_place) call.copy(a.send_buffer, result, count, type);
  if (in_pair) {
    co_await call.receive(incoming, count, type, call.rank() - 1);
    call.reduce(incoming, result, count, type);
  }
  for (std::int32_t mask = 1; mask < folding.participants; mask *= 2) {
    const std::int32_t partner = folding.rank(me ^ mask);
    Batch batch(call);
    batch.add(call.receive(incoming, count, type, partner));
    batch.add(call.send(result, count, type, partner));
    co_await batch;
    if ((me & mask) != 0 || a.op->commutative()) {
      call.reduce(incoming, result, count, type);
    } else {
      call.reduce(result, incoming, count, type);
      std::swap(result, incoming);
    }
  }
  if (in_pair) co_await call.send(result, count, type, call.rank() - 1);
  if (result != a.receive_buffer) call.copy(result, a.receive_buffer, count, type);
}

const Algorithm allreduce_recursive_doubling_algorithm = {
    Operation::kAllreduce,
    "recursive_doubling",
    kNothing,
    Order::kAny,
    &allreduce_recursive_doubling,
    [](const Shape& shape, const Machine& machine) {
      const double steps = log2_ceil(shape.ranks) + (Folding::of(shape.ranks).extra != 0 ? 1 : 0);
      const auto bytes = static_cast<double>(shape.bytes);
      return machine.exchanges(steps, bytes, shape.ranks) +
             steps * bytes * machine.reduce_byte_ns * machine.share(shape.ranks);
    },
    "log2(p) * (alpha + m * (beta + gamma))",
};

}  // namespace starling::collective
