// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "migration.hpp"

#include <cstdint>
#include <cstring>

#include "base/format.hpp"
#include "program/exceptions.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

namespace {

constexpr std::size_t kPackedApart = 4096;
/// In place of the length of Move::extras: the element did not come along after all.
constexpr std::uint32_t kStays = ~std::uint32_t{0};

}  // namespace

void Migration::depart(Entry& entry) {
  const int to = entry.bound_for();
  entry.is_leaving = false;
  if (to == context_.host.rank()) return;
  Balancer& balancer = context_.balancer;
  const double begin_s = balancer.is_measuring() ? context_.host.now_s() : 0;
  if (!post(entry, to)) return;
  context_.elements.destroy_object(entry);
  if (entry.extras) context_.streams.drop_extras(entry);
  entry.births = 0;
  entry.birth_names = entry.birth_name = 0;
  ++context_.host.counters.migrations;
  context_.broadcasts.departed(entry.broadcast);
  context_.directory().depart(entry, to);
  context_.part(entry);
  if (balancer.is_measuring()) balancer.packed(context_.host.now_s() - begin_s);
}

/// Whether it was packed; else the program has been told why not.
bool Migration::post(Entry& entry, int to) {
  Move move{entry.reduction,   entry.broadcast, entry.births, context_.host.rank(), entry.load_us, 0,
            entry.birth_names, entry.birth_name};
  char* room = nullptr;
  try {
    pack(entry, to, move, room);
    return true;
  } catch (...) {
    move.extras = kStays;
    if (room != nullptr) std::memcpy(room, &move, sizeof move);
    context_.host.fail(formatted("{}, moving from process {}: {}", context_.elements.name(entry.index),
                                 context_.host.rank(), text_of_exception()));
    return false;
  }
}

/// Throws what its serialize does; `room` is the record's, if it has been posted by then.
void Migration::pack(Entry& entry, int to, Move& move, char*& room) {
  const auto serialize = [&](Archive& archive) {
    if (entry.extras) entry.extras->serialize(archive);
    move.extras = static_cast<std::uint32_t>(archive.used());
    context_.elements.type().serialize(entry.object, archive);
  };
  const auto write = [&](char* into, std::size_t size) {
    Archive out = Archive::writing(into, size);
    serialize(out);
  };
  Archive count = Archive::counting();
  serialize(count);
  const std::size_t size = count.used();
  constexpr std::size_t kMostBytes = INT32_MAX;  // the header of a record has 32 bits for it
  if (size > kMostBytes) throw Error(formatted("it has {} bytes: at most {} can be moved", size, kMostBytes));
  RecordHeader header = context_.router.message_header(entry.index, 0, {}, sizeof move + size);
  header.kind = RecordKind::kMigrate;
  header.epoch = entry.epoch + 1;
  header.flags = entry.is_marked == context_.host.marks.value ? 1 : 0;
  const auto open = [&] {
    room = context_.host.records().post(to, header, entry.index.data());
    std::memcpy(room, &move, sizeof move);
    return room + sizeof move;
  };
  if (header.payload > kPackedApart) return write(open(), size);
  Packed packed(size);  // a serialize that fails then leaves nothing half sent
  write(packed.data(), size);
  std::memcpy(open(), packed.data(), size);
}

void Migration::handle_migrate(const Record& record) {
  const auto move = info_of<Move>(record);
  if (move.extras == kStays) return;
  Entry& entry = context_.elements.entry_for(Index(record.index, record.header.index));
  context_.directory().expect(entry, record.header.epoch);
  entry.reduction = move.reduction;
  entry.broadcast = move.broadcast;
  entry.births = move.births;
  entry.birth_names = move.birth_names;
  entry.birth_name = move.birth_name;
  entry.load_us = move.load_us;
  entry.is_marked = context_.host.marks.of_arrival(record.header.flags != 0);
  entry.is_fixed = true;
  context_.join(entry);
  ++entry.references;
  unpack(entry, move, record);
  Host& host = context_.host;
  const Arrival arrival{host.rank(), move.previous, move.broadcast, 0};
  if (entry.is_home) {
    settle(entry, arrival, entry.epoch);
  } else {
    host.records().post_info(context_.elements.home_of(entry.index), RecordKind::kArrived, context_.number(),
                             entry.index, entry.epoch, arrival);
  }
  context_.router.release(entry);
  --entry.references;
  context_.broadcasts.catch_up(entry);
  if (entry.extras) context_.streams.catch_up(entry);
  if (entry.is_here && context_.elements.lacks_mark(entry) && host.marks.are_complete()) {
    context_.router.room(entry.index, kDestroyMethod, {}, 0);
  }
}

void Migration::unpack(Entry& entry, const Move& move, const Record& record) {
  if (move.extras != 0) context_.streams.unpack_extras(entry, record.payload + sizeof move, move.extras);
  const std::size_t before = sizeof move + move.extras;
  Host& host = context_.host;
  Archive in = Archive::reading(record.payload + before, record.header.payload - before, &host.session());
  const double begin_s = context_.balancer.is_measuring() ? host.now_s() : 0;
  host.unpack(entry, in);
  if (context_.balancer.is_measuring()) context_.balancer.unpacked(host.now_s() - begin_s);
}

void Migration::handle_arrived(const Record& record) {
  Entry& entry = context_.elements.entry_for(Index(record.index, record.header.index));
  const auto arrival = info_of<Arrival>(record);
  context_.directory().hear_place(entry, arrival.rank, record.header.epoch);
  settle(entry, arrival, record.header.epoch);
}

/// At the home: the process that the element left may forget it, and need not keep broadcasts for it.
void Migration::settle(Entry& entry, const Arrival& arrival, std::uint32_t epoch) {
  const Landing landing{arrival.broadcast, 1};
  if (arrival.previous == context_.host.rank()) {
    confirm(&entry, landing, epoch);
  } else {
    context_.landings.add(arrival.previous, entry.index, epoch, landing);
  }
  context_.router.tell_other_homes(entry);
}

void Migration::handle_landed(const Record& record) {
  Landings::read(record, [&](std::uint32_t epoch, const Landing& landing, const Index& index) {
    confirm(epoch != 0 ? context_.elements.find(index) : nullptr, landing, epoch);
  });
}

void Migration::confirm(Entry* entry, const Landing& landing, std::uint32_t epoch) {
  if (landing.counts != 0) context_.broadcasts.landed(landing.broadcast, landing.counts);
  if (entry == nullptr || !context_.directory().hear_confirmation(*entry, epoch)) return;
  context_.elements.drop_if_useless(*entry);
}

}  // namespace starling::array::detail
