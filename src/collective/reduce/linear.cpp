// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction at the root itself, one contribution after the other from the last rank to the first:
// c0 OP (c1 OP (... OP cn)). The order depends on nothing, so this is the reference of STARLING_REPRODUCIBLE.
// Limits: linear in the ranks. Cost: alpha + (p - 2) * next + (p - 1) * m * (beta + gamma). Source: MPI-5.0, 6.9.1.
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task reduce_linear(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  if (call.rank() != a.root) {
    co_await call.send(input(a), count, type, a.root);
    co_return;
  }
  Scratch incoming(call, count, type);
  Scratch in_place(call, a.in_place ? count : 0, type);
  if (!incoming || !in_place) co_return;
  void* result = a.in_place ? in_place.data() : a.receive_buffer;
  const std::int32_t last = call.size() - 1;
  for (std::int32_t from = last; from >= 0; --from) {
    void* landing = from == last ? result : incoming.data();
    if (from != a.root) {
      co_await call.receive(landing, count, type, from);
    } else if (from == last) {
      call.copy(input(a), result, count, type);
    }
    if (from != last) call.reduce(from == a.root ? input(a) : landing, result, count, type);
  }
  if (a.in_place) call.copy(result, a.receive_buffer, count, type);
}

const Algorithm reduce_linear_algorithm = {
    Operation::kReduce,
    "linear",
    kNothing,
    Order::kRanks,
    &reduce_linear,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      return machine.row(machine.next_in(), shape.ranks - 1, bytes) +
             (shape.ranks - 1) * bytes * machine.reduce_byte_ns + machine.wait(shape.ranks);
    },
    "alpha + (p - 2) * next + (p - 1) * m * (beta + gamma)",
};

}  // namespace starling::collective
