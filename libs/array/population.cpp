// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Creation, deletion and moves of elements: the part of ArrayCore that changes who is where.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "core.hpp"
#include "registry.hpp"

namespace starling::array::detail {

namespace {

constexpr std::size_t kKeptGraves = 4096;

}  // namespace

ArrayCore::ArrayCore(Core& core, std::uint16_t number, const ElementType& type, std::uint32_t default_constructor,
                     ArrayPlan plan)
    : core_(core),
      number_(number),
      type_(type),
      default_constructor_(default_constructor),
      plan_(std::move(plan)),
      objects_(type.size, type.alignment),
      broadcasts_(*this, Tree{number % core.size(), core.rank(), core.size()}),
      reductions_(*this, Tree{number % core.size(), core.rank(), core.size()}),
      balancer_(*this),
      sections_(*this) {}

ArrayCore::~ArrayCore() {
  destroy_all();
  drop_waiting();
}

void ArrayCore::drop_waiting() {
  table_.each([&](Entry& entry) {
    while (!entry.waiting.empty()) {
      Message* message = pop_waiting(entry);
      if (message->held) method_numbered(message->method).drop_held(message->bytes());
      core_.give(message);
    }
  });
}

void ArrayCore::forget_all() {
  destroy_all();
  drop_waiting();
  std::destroy_at(&table_);
  std::construct_at(&table_);
  graves_.clear();
  buried_.clear();
  renew_parts();
}

/// All but the table and the elements.
void ArrayCore::renew_parts() {
  const auto renew = [](auto& part, auto&&... arguments) {
    std::destroy_at(&part);
    std::construct_at(&part, arguments...);
  };
  const Tree tree{number_ % core_.size(), core_.rank(), core_.size()};
  const bool measures = balancer_.is_measuring();
  renew(broadcasts_, *this, tree);
  renew(reductions_, *this, tree);
  renew(balancer_, *this, measures);
  renew(sections_, *this);
  holes_ = 0;
  visits_ = 0;
  remembered_ = 0;
  reclaimed_epoch_ = 0;
}

void ArrayCore::destroy_all() {
  for (Entry* entry : here_) {
    if (entry == nullptr || entry->object == nullptr) continue;
    type_.destroy(entry->object);
    give_object(entry->object);
    entry->object = nullptr;
  }
  here_.clear();
}

std::string ArrayCore::name(const Index& index) const {
  return "element " + type_.describe(index) + " of array " + std::to_string(number_) + " (" + readable(type_.name) +
         ")";
}

void ArrayCore::join(Entry& entry) {
  entry.position = static_cast<std::uint32_t>(here_.size());
  here_.push_back(&entry);
  reductions_.joined(entry);
}

void ArrayCore::settle_in(Entry& entry, std::uint32_t epoch) {
  entry.epoch = epoch;
  entry.rank = core_.rank();
  entry.is_deleted = false;
  entry.reduction = reductions_.next();
  entry.broadcast = broadcasts_.last();
  entry.births = 0;
  entry.birth_names = entry.birth_name = 0;
  reductions_.born(entry.reduction);
  reductions_.joined(entry);
}

/// The object is gone: destroyed, or packed.
void ArrayCore::part(Entry& entry) {
  if (visits_ > 0) {
    here_[entry.position] = nullptr;
    ++holes_;
  } else {
    here_[entry.position] = here_.back();
    here_[entry.position]->position = entry.position;
    here_.pop_back();
  }
  reductions_.parted(entry);
}

void ArrayCore::end_visit() {
  if (--visits_ > 0 || holes_ == 0) return;
  here_.erase(std::remove(here_.begin(), here_.end(), nullptr), here_.end());
  for (std::size_t i = 0; i < here_.size(); ++i) here_[i]->position = static_cast<std::uint32_t>(i);
  holes_ = 0;
}

void ArrayCore::create_first(const Index& index) {
  if (core_.is_joining() || home_of(index) != core_.rank()) return;
  const Birth birth{core_.rank(), default_constructor_, 1, 0, core_.rank(), 0, 0};
  reductions_.born(1);
  birth_at_home(index, birth, nullptr, 0);
}

void ArrayCore::create(const Index& index, std::uint32_t constructor, int on, const char* bytes, std::size_t size) {
  const int home = home_of(index);
  if (on < 0) on = home;
  if (on >= core_.size()) {
    return core_.fail("create of " + name(index) + " on process " + std::to_string(on) + ": there are " +
                      std::to_string(core_.size()));
  }
  Entry* creator = core_.running();
  Birth birth{on, constructor, reductions_.next(), broadcasts_.last(), core_.rank(), 0, 0};
  if (creator != nullptr && creator->array == this) {
    birth.reduction = creator->reduction;
    birth.broadcast = creator->broadcast;
    birth.name = core_.random();
    ++creator->births;
    creator->birth_names += birth.name;
  } else {
    reductions_.born(birth.reduction);
  }
  if (home == core_.rank() && on == home) return birth_at_home(index, birth, bytes, size);
  birth.is_remote = 1;
  broadcasts_.departed(birth.broadcast);
  if (home == core_.rank()) return birth_at_home(index, birth, bytes, size);
  RecordHeader header = message_header(index, 0, {}, sizeof birth + size);
  header.kind = Kind::kCreate;
  char* room = core_.post(home, header, index.data());
  std::memcpy(room, &birth, sizeof birth);
  if (size != 0) std::memcpy(room + sizeof birth, bytes, size);
}

void ArrayCore::handle_create(const Record& record) {
  birth_at_home(Index(record.index, record.header.index), info_of<Birth>(record), record.payload + sizeof(Birth),
                record.header.payload - sizeof(Birth));
}

void ArrayCore::birth_at_home(const Index& index, const Birth& birth, const char* bytes, std::size_t size) {
  Entry& entry = entry_for(index);
  if (entry.epoch > 0 && !entry.is_deleted) {
    reductions_.died(birth.reduction, 0, 0 - birth.name);
    if (birth.is_remote != 0) {
      core_.post_info(birth.creator, Kind::kLanded, *this, index, 0, Landing{birth.broadcast, 1});
    }
    return core_.fail(name(index) + " is created by process " + std::to_string(birth.creator) + ", but exists already" +
                      (entry.rank >= 0 ? ", on process " + std::to_string(entry.rank) : "") +
                      ": an index has one element at a time");
  }
  const std::uint32_t epoch = std::max(entry.epoch, reclaimed_epoch_) + 1;
  entry.is_deleted = false;
  if (birth.on == core_.rank()) return build(entry, birth, epoch, bytes, size);
  learn(entry, birth.on, epoch);
  RecordHeader header = message_header(index, 0, {}, sizeof birth + size);
  header.kind = Kind::kBuild;
  header.epoch = epoch;
  char* room = core_.post(birth.on, header, index.data());
  std::memcpy(room, &birth, sizeof birth);
  if (size != 0) std::memcpy(room + sizeof birth, bytes, size);
  release(entry);
  tell_other_homes(entry);
}

void ArrayCore::handle_build(const Record& record) {
  build(entry_for(Index(record.index, record.header.index)), info_of<Birth>(record), record.header.epoch,
        record.payload + sizeof(Birth), record.header.payload - sizeof(Birth));
}

void ArrayCore::build(Entry& entry, const Birth& birth, std::uint32_t epoch, const char* bytes, std::size_t size) {
  entry.epoch = epoch;
  entry.rank = core_.rank();
  entry.is_deleted = false;
  entry.reduction = birth.reduction;
  entry.broadcast = birth.broadcast;
  entry.births = 0;
  entry.birth_names = 0;
  entry.birth_name = birth.name;
  entry.load_us = Entry::kUnmeasured;
  entry.is_marked = false;
  if (birth.is_remote != 0) {
    core_.post_info(birth.creator, Kind::kLanded, *this, entry.index, 0, Landing{birth.broadcast, 1});
  }
  join(entry);
  ++core_.counters.created;
  Archive in = Archive::reading(bytes, size, &core_.session());
  ++entry.references;
  core_.construct(entry, birth.constructor, in);
  if (entry.is_home) tell_other_homes(entry);
  release(entry);
  broadcasts_.catch_up(entry);
  --entry.references;
  if (entry.object != nullptr) {
    core_.after(entry);
  } else {
    drop_if_useless(entry);
  }
}

void ArrayCore::remove(Entry& entry) {
  type_.destroy(entry.object);
  give_object(entry.object);
  entry.object = nullptr;
  bury(entry);
}

/// The end of an element whose object is destroyed.
void ArrayCore::bury(Entry& entry) {
  entry.is_dying = entry.is_leaving = false;
  ++core_.counters.deleted;
  reductions_.died(entry.reduction, entry.births, entry.birth_names - entry.birth_name);
  if (entry.extras) core_.bury_extras(entry);
  part(entry);
  ++entry.epoch;
  entry.rank = -1;
  entry.is_deleted = true;
  if (!entry.is_home) {
    entry.may_forget = false;
    entry.departed = entry.epoch;
    core_.post_info(home_of(entry.index), Kind::kDied, *this, entry.index, entry.epoch, core_.rank());
    return;
  }
  keep_grave(entry);
}

void ArrayCore::handle_died(const Record& record) {
  Entry& entry = entry_for(Index(record.index, record.header.index));
  const std::uint32_t epoch = record.header.epoch;
  core_.post_info(record.header.origin, Kind::kLanded, *this, entry.index, epoch, Landing{0, 0});
  if (epoch <= entry.epoch) return;
  entry.epoch = epoch;
  entry.rank = -1;
  entry.is_deleted = true;
  MessageList waiting = take_waiting(entry);
  while (!waiting.empty()) send_on(waiting.pop());
  if (entry.is_home) return keep_grave(entry);
  buried_.push_back(entry.index);  // for a home that leaves
  drop_if_useless(entry);
}

/// At the home of a deleted element: its entry is kept for a while. The oldest is dropped.
void ArrayCore::keep_grave(Entry& entry) {
  ++entry.graves;
  graves_.push_back(&entry);
  if (graves_.size() <= kKeptGraves) return;
  Entry* oldest = graves_.front();
  graves_.pop_front();
  table_.expect(*graves_.front());  // the next deletion's
  --oldest->graves;
  if (oldest->graves != 0 || !oldest->is_deleted || oldest->references != 0 || !oldest->waiting.empty()) return;
  reclaimed_epoch_ = std::max(reclaimed_epoch_, oldest->epoch);
  table_.remove(oldest);
}

/// Drops an entry that nobody counts on.
void ArrayCore::drop_if_useless(Entry& entry) {
  if (entry.object == nullptr && !entry.is_home && entry.is_deleted && entry.may_forget && entry.references == 0 &&
      entry.waiting.empty()) {
    table_.remove(&entry);
  }
}

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
  try {
    Archive count = Archive::counting();
    serialize(count);
    Packed packed(sizeof move + count.used() <= 4096 ? count.used() : 0);
    if (packed.size() != 0 || count.used() == 0) {  // small: a serialize that fails then leaves nothing half sent
      Archive out = Archive::writing(packed.data(), packed.size());
      serialize(out);
      header.payload = static_cast<std::uint32_t>(sizeof move + count.used());
      char* room = core_.post(to, header, entry.index.data());
      std::memcpy(room, &move, sizeof move);
      std::memcpy(room + sizeof move, packed.data(), packed.size());
    } else {
      header.payload = static_cast<std::uint32_t>(sizeof move + count.used());
      char* room = core_.post(to, header, entry.index.data());
      std::memcpy(room, &move, sizeof move);
      Archive out = Archive::writing(room + sizeof move, count.used());
      serialize(out);
    }
  } catch (const ArchiveError& error) {
    return core_.fail(name(entry.index) + ", moving from process " + std::to_string(core_.rank()) + ": " +
                      error.what());
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
  Entry& entry = entry_for(Index(record.index, record.header.index));
  const auto move = info_of<Move>(record);
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

std::size_t ArrayCore::unclaimed(std::string& text) const {
  if (waiting_ == 0) return 0;
  std::size_t count = 0;
  table_.each([&](Entry& entry) {
    if (entry.waiting.empty()) return;
    if (count++ < 5) {
      text += (text.empty() ? "" : "; ") + method_name(entry.waiting.first->method) + " to " + name(entry.index) +
              " from process " + std::to_string(entry.waiting.first->origin);
    }
  });
  return count;
}

}  // namespace starling::array::detail
