// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "creation.hpp"

#include <cstring>

#include "base/format.hpp"

namespace starling::array::detail {

void Creation::create_first(const Index& index) {
  Host& host = context_.host;
  if (context_.elements.home_of(index) != host.rank()) return;
  const Birth birth{host.rank(), default_constructor_, 1, 0, host.rank(), 0, 0};
  context_.reductions.born(1);
  create_at_home(index, birth, nullptr, 0);
}

void Creation::create(const Index& index, std::uint32_t constructor, int on, const char* bytes, std::size_t size) {
  Host& host = context_.host;
  Elements& elements = context_.elements;
  const int home = elements.home_of(index);
  if (on < 0) on = home;
  if (on >= host.size()) {
    return host.fail(formatted("{} cannot be created on process {}: there are only {} processes", elements.name(index),
                               on, host.size()));
  }
  Entry* creator = host.running();
  Birth birth{on, constructor, context_.reductions.next(), context_.broadcasts.last(), host.rank(), 0, 0};
  if (creator != nullptr && creator->array == &elements) {
    birth.reduction = creator->reduction;
    birth.broadcast = creator->broadcast;
    birth.name = host.random();
    ++creator->births;
    creator->birth_names += birth.name;
  } else {
    context_.reductions.born(birth.reduction);
  }
  if (home == host.rank() && on == home) return create_at_home(index, birth, bytes, size);
  birth.is_remote = 1;
  context_.broadcasts.departed(birth.broadcast);
  if (home == host.rank()) return create_at_home(index, birth, bytes, size);
  if (Entry* former = elements.find(index)) elements.directory().follow_creation(*former);
  post(home, RecordKind::kCreate, index, 0, birth, bytes, size);
}

void Creation::post(int to, RecordKind kind, const Index& index, std::uint32_t epoch, const Birth& birth,
                    const char* bytes, std::size_t size) {
  RecordHeader header = context_.router.message_header(index, 0, {}, sizeof birth + size);
  header.kind = kind;
  header.epoch = epoch;
  char* room = context_.host.records().post(to, header, index.data());
  std::memcpy(room, &birth, sizeof birth);
  if (size != 0) std::memcpy(room + sizeof birth, bytes, size);
}

/// To the creator, which keeps broadcasts for the new element until then.
void Creation::post_done(const Birth& birth) {
  if (birth.is_remote == 0) return;
  context_.landings.add_creation(birth.creator, birth.broadcast);
}

void Creation::handle_create(const Record& record) {
  create_at_home(Index(record.index, record.header.index), info_of<Birth>(record), record.payload + sizeof(Birth),
                 record.header.payload - sizeof(Birth));
}

void Creation::create_at_home(const Index& index, const Birth& birth, const char* bytes, std::size_t size) {
  Entry& entry = context_.elements.entry_for(index);
  const std::uint32_t epoch = context_.directory().create(entry, birth.on);
  if (epoch == 0) return refuse(entry, birth);
  if (birth.on == context_.host.rank()) return build(entry, birth, epoch, bytes, size);
  post(birth.on, RecordKind::kBuild, index, epoch, birth, bytes, size);
  context_.router.release(entry);
  context_.router.tell_other_homes(entry);
}

void Creation::refuse(const Entry& entry, const Birth& birth) {
  context_.reductions.died(birth.reduction, 0, 0 - birth.name);
  post_done(birth);
  const std::string where = entry.rank >= 0 ? formatted(", on process {}", entry.rank) : "";
  context_.host.fail(formatted("{} is created by process {}, but exists already{}: an index has one element at a time",
                               context_.elements.name(entry.index), birth.creator, where));
}

void Creation::handle_build(const Record& record) {
  build(context_.elements.entry_for(Index(record.index, record.header.index)), info_of<Birth>(record),
        record.header.epoch, record.payload + sizeof(Birth), record.header.payload - sizeof(Birth));
}

void Creation::build(Entry& entry, const Birth& birth, std::uint32_t epoch, const char* bytes, std::size_t size) {
  context_.directory().expect(entry, epoch);
  entry.reduction = birth.reduction;
  entry.broadcast = birth.broadcast;
  entry.births = 0;
  entry.birth_names = 0;
  entry.birth_name = birth.name;
  entry.load_us = Entry::kUnmeasured;
  entry.is_marked = context_.host.marks.value;
  post_done(birth);
  context_.join(entry);
  ++context_.host.counters.created;
  Archive in = Archive::reading(bytes, size, &context_.host.session());
  ++entry.references;
  context_.host.construct(entry, birth.constructor, in);
  if (entry.is_home) context_.router.tell_other_homes(entry);
  context_.router.release(entry);
  context_.broadcasts.catch_up(entry);
  --entry.references;
  if (entry.is_here) {
    after_(entry);
  } else {
    context_.elements.drop_if_useless(entry);
  }
}

}  // namespace starling::array::detail
