// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan along the ranks: each adds its contribution to what the rank before has and passes it on:
// ((c0 OP c1) OP ...) OP ci. The order depends on nothing. Limits: linear in the ranks.
// Cost: (p - 1) * (alpha + m * (beta + gamma)). Source: MPI-5.0, 6.11.
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task scan_linear(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  if (!a.in_place) call.copy(a.send_buffer, a.receive_buffer, count, type);
  if (call.rank() > 0) {
    Scratch before(call, count, type);
    if (!before) co_return;
    co_await call.receive(before.data(), count, type, call.rank() - 1);
    call.reduce(before.data(), a.receive_buffer, count, type);
  }
  if (call.rank() + 1 < call.size()) co_await call.send(a.receive_buffer, count, type, call.rank() + 1);
}

Task exscan_linear(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const bool first = call.rank() == 0;
  const bool last = call.rank() + 1 == call.size();
  Scratch inclusive(call, count, type);
  if (!inclusive) co_return;
  call.copy(input(a), inclusive.data(), count, type);
  if (!first) {
    co_await call.receive(a.receive_buffer, count, type, call.rank() - 1);
    if (!last) call.reduce(a.receive_buffer, inclusive.data(), count, type);
  }
  if (!last) co_await call.send(inclusive.data(), count, type, call.rank() + 1);
}

namespace {

double scan_linear_cost(const Shape& shape, const Machine& machine) {
  const auto bytes = static_cast<double>(shape.bytes);
  // A chain: whoever has passed its part on waits for nobody. How much of a wait is left grows with the ranks of a core
  // (measured with 4 to 32 ranks on two).
  const double wait = machine.wait(shape.ranks) * std::min(1.0, machine.share(shape.ranks) / 16);
  return (shape.ranks - 1) * (machine.message(bytes) + bytes * machine.reduce_byte_ns) + wait;
}

constexpr const char* kScanLinearCost = "(p - 1) * (alpha + m * (beta + gamma)) + part of a wait";

}  // namespace

const Algorithm scan_linear_algorithm = {
    Operation::kScan, "linear", kNothing, Order::kRanks, &scan_linear, &scan_linear_cost, kScanLinearCost,
};
const Algorithm exscan_linear_algorithm = {
    Operation::kExscan, "linear", kNothing, Order::kRanks, &exscan_linear, &scan_linear_cost, kScanLinearCost,
};

}  // namespace starling::collective
