// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/two_phase_access.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "collective/choose/list.hpp"
#include "io/two_phase/aggregators.hpp"
#include "io/two_phase/collective_buffer.hpp"
#include "io/two_phase/exchange.hpp"
#include "io/view/piece_stream.hpp"

namespace starling::io {
namespace {

using collective::Batch;
using collective::Call;
using collective::Task;

using AccessShares = std::vector<AccessShare>;

/// Every rank gets what every rank tells.
template <typename T>
Task tell_all(Call& call, const T& mine, std::vector<T>& all) {
  all.resize(static_cast<std::size_t>(call.size()));
  collective::Arguments a;
  a.operation = collective::Operation::kAllgather;
  a.comm = &call.comm();
  a.send_buffer = &mine;
  a.receive_buffer = all.data();
  a.send_count = a.receive_count = sizeof mine;
  a.send_type = a.receive_type = &datatype::byte_type();
  co_await collective::allgather_bruck(call, a);
}

/// The mean length of the first stretches of the file that the access touches.
std::int64_t typical_run(const Operation& operation) {
  std::array<datatype::MemoryRun, 32> runs;
  datatype::PackCursor cursor = operation.view().cursor(operation.position());
  const std::size_t count = cursor.next_runs(runs, operation.bytes());
  return count == 0 ? 0 : (cursor.position() - operation.position()) / static_cast<std::int64_t>(count);
}

AccessShare share_of(const Operation& operation) {
  AccessShare share;
  share.range = operation.range();
  share.bytes = operation.bytes();
  share.run_bytes = typical_run(operation);
  const bool ascends = operation.view().ascends(operation.position(), operation.bytes());
  share.can_share = operation.atomicity() == Atomicity::kNone && ascends ? 1 : 0;
  if (operation.direction() == Direction::kRead) {
    Result<std::int64_t> size = operation.file().size();
    share.file_bytes = size.ok() ? size.value() : 0;
  }
  return share;
}

/// A read looks no further than to the end of the file as rank 0 saw it.
void end_with_the_file(AccessShares& shares) {
  const std::int64_t file_bytes = shares.front().file_bytes;
  for (AccessShare& share : shares) share.range.end = std::min(share.range.end, file_bytes);
}

const FileRange& range_of(const Call& call, const AccessShares& shares) {
  return shares[static_cast<std::size_t>(call.rank())].range;
}

Task move_alone(Call& call, TwoPhaseAccess& access) {
  Operation& operation = access.operation();
  if (access.runner().is_small(operation.bytes())) {
    operation.execute();
    co_return;
  }
  // When the call is interrupted here the operation outlives the thread's work on it all the same.
  const std::unique_ptr<const Job, void (*)(const Job*)> at_work(&operation,
                                                                 [](const Job* job) { job->wait_until_done(); });
  access.runner().worker().post(operation);
  co_await call.until([&operation] { return operation.done(); });
}

/// Puts the data of a part where they can be sent from.
void fill(const Operation& operation, ExchangePart& part) {
  datatype::PackCursor memory = operation.memory();
  memory.seek(part.position);
  if (memory.is_contiguous()) {
    part.data = const_cast<std::byte*>(memory.memory());
    return;
  }
  part.make_packed();
  memory.pack(part.data, static_cast<std::size_t>(part.header.bytes));
}

/// Gathers what all ranks write to the window.
Task fill_window(Call& call, const AccessShares& shares, CollectiveBuffer& window) {
  ExchangeParts parts;
  co_await receive_shapes(call, shares, window.range(), parts);
  Batch data(call);
  for (ExchangePart& part : parts) {
    if (part.header.bytes == 0) continue;
    if (part.is_one_stretch()) {
      part.data = window.at(part.stripes.front().offset);
    } else {
      part.make_packed();
    }
    data.add(call.receive_bytes(part.data, part.header.bytes, part.peer));
  }
  co_await data;
  for (const ExchangePart& part : parts) {
    if (part.packed) scatter(part.stripes, part.packed.get(), window.at(window.range().first), window.range().first);
    window.coverage().add(part.stripes, window.range().first);
  }
}

/// Two windows take turns: one is written while the other is filled.
class CollectiveBuffers {
 public:
  explicit CollectiveBuffers(OperationRunner& runner) : windows_{CollectiveBuffer(runner), CollectiveBuffer(runner)} {}
  CollectiveBuffer& of_round(std::int64_t round) noexcept { return windows_[static_cast<std::size_t>(round % 2)]; }
  std::array<CollectiveBuffer, 2>& all() noexcept { return windows_; }

 private:
  std::array<CollectiveBuffer, 2> windows_;
};

Task write_through(Call& call, TwoPhaseAccess& access, const AccessShares& shares, const Domains& domains,
                   Status& failure) {
  Operation& operation = access.operation();
  const std::int32_t aggregator = domains.aggregator_of(call.rank());
  CollectiveBuffers windows(access.runner());
  const auto settle = [&](CollectiveBuffer& window) {
    if (Status written = window.take_failure(); failure.ok()) failure = std::move(written);
  };
  for (std::int64_t round = 0; round < domains.rounds(); ++round) {
    Batch sends(call);
    ExchangeParts mine = own_parts(operation, range_of(call, shares), operation.bytes(), domains, round);
    for (ExchangePart& part : mine) {
      send_shape(call, sends, part);
      if (part.header.bytes == 0) continue;
      fill(operation, part);
      sends.add(call.send_bytes(part.data, part.header.bytes, part.peer));
    }
    const FileRange range = aggregator < 0 ? FileRange{} : domains.window(aggregator, round);
    if (!range.empty()) {
      CollectiveBuffer& window = windows.of_round(round);
      co_await call.until([&window] { return window.is_idle(); });
      settle(window);
      window.place(range);
      co_await fill_window(call, shares, window);
      window.start_write(operation.file());
    }
    co_await sends;
  }
  for (CollectiveBuffer& window : windows.all()) {
    co_await call.until([&window] { return window.is_idle(); });
    settle(window);
  }
}

/// Reads what the ranks ask of the window and sends it to them.
Task serve_window(Call& call, PosixFile& file, ExchangeParts& asked, CollectiveBuffer& window, Status& failure) {
  FileRange wanted{window.range().end, window.range().first};
  for (const ExchangePart& part : asked) {
    if (part.stripes.empty()) continue;
    wanted.first = std::min(wanted.first, part.stripes.front().offset);
    wanted.end = std::max(wanted.end, part.stripes.back().end());
  }
  if (wanted.empty()) co_return;
  window.start_read(file, wanted);
  co_await call.until([&window] { return window.is_idle(); });
  if (Status read = window.take_failure(); failure.ok()) failure = std::move(read);
  Batch answers(call);
  for (ExchangePart& part : asked) {
    if (part.header.bytes == 0) continue;
    if (part.is_one_stretch()) {
      part.data = window.at(part.stripes.front().offset);
    } else {
      part.make_packed();
      gather(part.stripes, window.at(window.range().first), window.range().first, part.data);
    }
    answers.add(call.send_bytes(part.data, part.header.bytes, part.peer));
  }
  co_await answers;
}

/// Starts to receive what an aggregator answers.
void expect(Call& call, Batch& batch, const Operation& operation, ExchangePart& part) {
  if (part.header.bytes == 0) return;
  datatype::UnpackCursor room = operation.room();
  room.seek(part.position);
  if (room.is_contiguous()) {
    part.data = room.memory();
  } else {
    part.make_packed();
  }
  batch.add(call.receive_bytes(part.data, part.header.bytes, part.peer));
}

Task read_through(Call& call, TwoPhaseAccess& access, const AccessShares& shares, const Domains& domains,
                  std::int64_t bytes, Status& failure) {
  Operation& operation = access.operation();
  const std::int32_t aggregator = domains.aggregator_of(call.rank());
  CollectiveBuffer window(access.runner());
  for (std::int64_t round = 0; round < domains.rounds(); ++round) {
    Batch shapes(call);
    ExchangeParts mine = own_parts(operation, range_of(call, shares), bytes, domains, round);
    for (ExchangePart& part : mine) send_shape(call, shapes, part);
    const FileRange range = aggregator < 0 ? FileRange{} : domains.window(aggregator, round);
    ExchangeParts asked;
    if (!range.empty()) {
      window.place(range);
      co_await receive_shapes(call, shares, range, asked);
    }
    // Not before: another aggregator sends its own shapes first and then its answers, and receives match in order.
    Batch answers(call);
    for (ExchangePart& part : mine) expect(call, answers, operation, part);
    if (!range.empty()) co_await serve_window(call, operation.file(), asked, window, failure);
    co_await shapes;
    co_await answers;
    for (const ExchangePart& part : mine) {
      if (!part.packed) continue;
      datatype::UnpackCursor room = operation.room();
      room.seek(part.position);
      room.unpack(part.packed.get(), static_cast<std::size_t>(part.header.bytes));
    }
  }
}

/// Waits until all aggregators are done, and learns whether one has failed.
Task agree(Call& call, Status& failure) {
  std::vector<std::int32_t> classes;
  const auto mine = static_cast<std::int32_t>(failure.error_class());
  co_await tell_all(call, mine, classes);
  const auto bad =
      std::find_if(classes.begin(), classes.end(), [](std::int32_t error_class) { return error_class != 0; });
  if (!failure.ok() || bad == classes.end()) co_return;
  failure = Status::error(static_cast<ErrorClass>(*bad),
                          formatted("rank {}, which reads or writes a part of the file for all ranks, failed; its own "
                                    "message says why",
                                    bad - classes.begin()));
}

Task run_two_phase(Call& call, TwoPhaseAccess& access) {
  Operation& operation = access.operation();
  const bool reads = operation.direction() == Direction::kRead;
  AccessShares shares;
  const AccessShare mine = share_of(operation);
  co_await tell_all(call, mine, shares);
  if (!pays_to_share(shares, reads ? access.hints().reads : access.hints().writes)) {
    co_await move_alone(call, access);
    co_return;
  }
  std::vector<std::int32_t> chosen =
      choose_aggregators(nodes_of(call.comm(), access.runner().world().placement()), access.hints().aggregators);
  std::int64_t bytes = operation.bytes();
  Status failure;
  if (reads) {
    const std::int64_t position = operation.position();
    bytes = operation.view().first_behind(shares.front().file_bytes, position, bytes) - position;
    end_with_the_file(shares);
    const Domains domains(shares, access.hints(), std::move(chosen));
    co_await read_through(call, access, shares, domains, bytes, failure);
  } else {
    const Domains domains(shares, access.hints(), std::move(chosen));
    co_await write_through(call, access, shares, domains, failure);
  }
  co_await agree(call, failure);
  if (!failure.ok()) bytes = 0;
  operation.settle(bytes, std::move(failure));
}

}  // namespace

Task TwoPhaseAccess::run(Call& call) { return run_two_phase(call, *this); }

}  // namespace starling::io
