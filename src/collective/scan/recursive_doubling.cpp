// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan by doubling: in step k every rank combines what it has with what the rank 2^k before it has.
// Source: Hillis, Steele, "Data Parallel Algorithms", CACM 1986. Limits: none.
// Cost: ceil(log2 p) * (alpha + m * (beta + gamma)).
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

/// One step: sends what this rank has 2^k ahead and receives 2^k from before. False: nobody is there to receive from.
bool exchange(Call& call, Batch& batch, const void* have, void* incoming, std::int64_t count,
              const datatype::Datatype& type, std::int32_t distance) {
  const bool receives = call.rank() >= distance;
  if (receives) batch.add(call.receive(incoming, count, type, call.rank() - distance));
  if (call.rank() + distance < call.size()) batch.add(call.send(have, count, type, call.rank() + distance));
  return receives;
}

}  // namespace

Task scan_recursive_doubling(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  Scratch incoming(call, count, type);
  if (!incoming) co_return;
  if (!a.in_place) call.copy(a.send_buffer, a.receive_buffer, count, type);
  for (std::int32_t distance = 1; distance < call.size(); distance *= 2) {
    Batch batch(call);
    const bool received = exchange(call, batch, a.receive_buffer, incoming.data(), count, type, distance);
    co_await batch;
    if (received) call.reduce(incoming.data(), a.receive_buffer, count, type);
  }
}

Task exscan_recursive_doubling(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  Scratch incoming(call, count, type);
  Scratch inclusive(call, count, type);
  if (!incoming || !inclusive) co_return;
  call.copy(input(a), inclusive.data(), count, type);
  for (std::int32_t distance = 1; distance < call.size(); distance *= 2) {
    Batch batch(call);
    const bool received = exchange(call, batch, inclusive.data(), incoming.data(), count, type, distance);
    co_await batch;
    if (!received) continue;
    call.reduce(incoming.data(), inclusive.data(), count, type);
    if (distance == 1) {
      call.copy(incoming.data(), a.receive_buffer, count, type);
    } else {
      call.reduce(incoming.data(), a.receive_buffer, count, type);
    }
  }
}

namespace {

double doubling_cost(const Shape& shape, const Machine& machine) {
  const double steps = log2_ceil(shape.ranks);
  const auto bytes = static_cast<double>(shape.bytes);
  return machine.exchanges(steps, bytes, shape.ranks) +
         steps * bytes * machine.reduce_byte_ns * machine.share(shape.ranks);
}

constexpr const char* kDoublingCost = "log2(p) * (alpha + m * (beta + gamma))";

}  // namespace

const Algorithm scan_recursive_doubling_algorithm = {
    Operation::kScan,         "recursive_doubling", kNothing,      Order::kAny,
    &scan_recursive_doubling, &doubling_cost,       kDoublingCost,
};
const Algorithm exscan_recursive_doubling_algorithm = {
    Operation::kExscan,         "recursive_doubling", kNothing,      Order::kAny,
    &exscan_recursive_doubling, &doubling_cost,       kDoublingCost,
};

}  // namespace starling::collective
