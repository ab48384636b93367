// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Moves of elements: the part of ArrayCore that changes who is where.
#include <cstring>

#include "core.hpp"
#include "exceptions.hpp"

namespace starling::array::detail {

namespace {

constexpr std::size_t kPackedApart = 4096;
/// In place of the length of Move::extras: the element did not come along after all.
constexpr std::uint32_t kStays = ~std::uint32_t{0};

}  // namespace

void ArrayCore::depart(Entry& entry) {
  const int to = entry.bound_for;
  entry.is_leaving = false;
  if (to == core_.rank()) return;
  const double begin_s = balancer_.is_measuring() ? wall_s() : 0;
  RecordHeader header;
  header.kind = Kind::kMigrate;
  header.array = number_;
  header.epoch = entry.epoch + 1;
  header.index = static_cast<std::uint32_t>(entry.index.size());
  header.flags = entry.is_marked ? 1 : 0;
  Move move{entry.reduction,   entry.broadcast, entry.births, core_.rank(), entry.load_us, 0,
            entry.birth_names, entry.birth_name};
  const auto serialize = [&](Archive& archive) {
    if (entry.extras) entry.extras->serialize(archive);
    move.extras = static_cast<std::uint32_t>(archive.used());
    type_.serialize(entry.object, archive);
  };
  char* room = nullptr;
  try {
    Archive count = Archive::counting();
    serialize(count);
    const std::size_t size = count.used();
    header.payload = static_cast<std::uint32_t>(sizeof move + size);
    const auto post = [&] {
      room = core_.post(to, header, entry.index.data());
      std::memcpy(room, &move, sizeof move);
      return room + sizeof move;
    };
    const auto write = [&](char* into) {
      Archive out = Archive::writing(into, size);
      serialize(out);
    };
    if (header.payload <= kPackedApart) {  // a serialize that fails then leaves nothing half sent
      Packed packed(size);
      write(packed.data());
      std::memcpy(post(), packed.data(), size);
    } else {
      write(post());
    }
  } catch (...) {
    move.extras = kStays;
    if (room != nullptr) std::memcpy(room, &move, sizeof move);
    return core_.fail(name(entry.index) + ", moving from process " + std::to_string(core_.rank()) + ": " +
                      text_of_exception());
  }
  type_.destroy(entry.object);
  give_object(entry.object);
  entry.object = nullptr;
  if (entry.extras) core_.forget_extras(entry);
  entry.births = 0;
  entry.birth_names = entry.birth_name = 0;
  ++core_.counters.migrations;
  broadcasts_.departed(entry.broadcast);
  ++entry.epoch;
  entry.rank = to;
  entry.may_forget = false;
  entry.departed = entry.epoch;
  part(entry);
  if (balancer_.is_measuring()) balancer_.packed(wall_s() - begin_s);
}

void ArrayCore::move_here(const Index& index, int to) {
  Entry* entry = table_.find(index);
  if (entry == nullptr || entry->object == nullptr) return;
  entry->bound_for = static_cast<std::uint16_t>(to);
  entry->is_leaving = true;
  core_.after(*entry);
}

void ArrayCore::handle_migrate(const Record& record) {
  const auto move = info_of<Move>(record);
  if (move.extras == kStays) return;
  Entry& entry = entry_for(Index(record.index, record.header.index));
  entry.epoch = record.header.epoch;
  entry.rank = core_.rank();
  entry.is_deleted = false;
  entry.reduction = move.reduction;
  entry.broadcast = move.broadcast;
  entry.births = move.births;
  entry.birth_names = move.birth_names;
  entry.birth_name = move.birth_name;
  entry.load_us = move.load_us;
  entry.is_marked = record.header.flags != 0;
  entry.is_fixed = true;
  join(entry);
  ++entry.references;
  if (move.extras != 0) core_.take_extras(entry, record.payload + sizeof move, move.extras);
  const std::size_t before = sizeof move + move.extras;
  Archive in = Archive::reading(record.payload + before, record.header.payload - before, &core_.session());
  const double begin_s = balancer_.is_measuring() ? wall_s() : 0;
  core_.unpack(entry, in);
  if (balancer_.is_measuring()) balancer_.unpacked(wall_s() - begin_s);
  const Arrival arrival{core_.rank(), move.previous, move.broadcast, 0};
  if (entry.is_home) {
    settle(entry, arrival, entry.epoch);
  } else {
    core_.post_info(home_of(entry.index), Kind::kArrived, *this, entry.index, entry.epoch, arrival);
  }
  release(entry);
  --entry.references;
  broadcasts_.catch_up(entry);
  if (entry.extras) core_.catch_up_in_order(entry);
}

void ArrayCore::handle_arrived(const Record& record) {
  Entry& entry = entry_for(Index(record.index, record.header.index));
  const auto arrival = info_of<Arrival>(record);
  if (entry.object == nullptr) learn(entry, arrival.rank, record.header.epoch);
  settle(entry, arrival, record.header.epoch);
}

/// At the home: the process that the element left may forget it, and need not keep broadcasts for it.
void ArrayCore::settle(Entry& entry, const Arrival& arrival, std::uint32_t epoch) {
  const Landing landing{arrival.broadcast, 1};
  if (arrival.previous == core_.rank()) {
    confirm(&entry, landing, epoch);
  } else {
    core_.post_info(arrival.previous, Kind::kLanded, *this, entry.index, epoch, landing);
  }
  tell_other_homes(entry);
}

void ArrayCore::handle_landed(const Record& record) {
  confirm(table_.find(Index(record.index, record.header.index)), info_of<Landing>(record), record.header.epoch);
}

void ArrayCore::confirm(Entry* entry, const Landing& landing, std::uint32_t epoch) {
  if (landing.counts != 0) broadcasts_.landed(landing.broadcast);
  // It may have come back and left again meanwhile: its last departure counts.
  if (entry == nullptr || epoch == 0 || epoch != entry->departed) return;
  entry->may_forget = true;
  drop_if_useless(*entry);
}

}  // namespace starling::array::detail
