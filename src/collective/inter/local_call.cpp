// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/inter/local_call.hpp"

#include "collective/choose/list.hpp"

namespace starling::collective {

Task local_bcast(Call& call, void* buffer, std::int64_t count, const datatype::Datatype& type) {
  Arguments part;
  part.operation = Operation::kBcast;
  part.receive_buffer = buffer;
  part.receive_count = count;
  part.receive_type = &type;
  LocalCall local(call, part);
  co_await bcast_binomial(local.call(), local.arguments());
}

Task local_gather(Call& call, const Arguments& a, std::byte* blocks, std::int64_t block_bytes) {
  Arguments part = a;
  part.operation = Operation::kGather;
  part.receive_buffer = blocks;
  part.receive_count = block_bytes;
  part.receive_type = &datatype::byte_type();
  LocalCall local(call, part);
  co_await gather_binomial(local.call(), local.arguments());
}

Task local_reduce(Call& call, const Arguments& a, const void* input, std::int64_t count, void* result, Order order) {
  Arguments part = a;
  part.operation = Operation::kReduce;
  part.send_buffer = input;
  part.receive_buffer = result;
  part.receive_count = count;
  LocalCall local(call, part);
  if (order == Order::kRanks) {
    co_await reduce_linear(local.call(), local.arguments());
  } else {
    co_await reduce_binomial(local.call(), local.arguments());
  }
}

}  // namespace starling::collective
