// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Creation of elements: the part of ArrayCore that changes who is there.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "core.hpp"
#include "registry.hpp"

namespace starling::array::detail {

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
  balancer_.measure_links(false);
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
  // Messages that follow must not go by where one of this index was before: that way they could come first.
  if (Entry* former = table_.find(index)) {
    if (former->object == nullptr && former->rank != core_.rank()) former->rank = home;
  }
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
