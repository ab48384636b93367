// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How messages find elements: the part of ArrayCore that routes.
#include <cstring>

#include "core.hpp"
#include "registry.hpp"

namespace starling::array::detail {

namespace {

// Flags of messages.
constexpr std::uint8_t kAsked = 1;  // a process where the element was expected knows nothing of it, and asks its home
constexpr std::uint8_t kWaitHere = 2;  // its home says: it is on its way to you

}  // namespace

int ArrayCore::home_of(const Index& index) const {
  if (plan_.home) return plan_.home(index, core_.size());
  return usual_home(index, core_.size());
}

int ArrayCore::place_of(const Index& index) const {
  const Entry* entry = table_.find(index);
  return entry != nullptr && entry->epoch > 0 && !entry->is_deleted ? entry->rank : home_of(index);
}

Entry& ArrayCore::entry_for(const Index& index) {
  if (Entry* entry = table_.find(index)) return *entry;
  Entry* entry = table_.add(index);
  entry->array = this;
  entry->is_home = home_of(index) == core_.rank();
  return *entry;
}

RecordHeader ArrayCore::message_header(const Index& index, std::uint32_t method, const SendOptions& options,
                                       std::size_t bytes) const {
  RecordHeader header;
  header.kind = Kind::kMessage;
  header.array = number_;
  header.method = method;
  header.origin = core_.rank();
  header.reply = options.reply;
  header.priority = options.priority;
  header.payload = static_cast<std::uint32_t>(bytes);
  header.index = static_cast<std::uint32_t>(index.size());
  return header;
}

char* ArrayCore::message_room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes) {
  Entry* entry = table_.find(index);
  if (entry != nullptr && entry->object != nullptr) return core_.local_message(*entry, method, options, bytes)->bytes();
  return away_room(entry, index, message_header(index, method, options, bytes));
}

void* ArrayCore::held_room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes) {
  Entry* entry = table_.find(index);
  if (entry == nullptr || entry->object == nullptr) return nullptr;
  Message* message = core_.local_message(*entry, method, options, bytes);
  message->held = true;
  return message->bytes();
}

char* ArrayCore::ordered_room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes) {
  Entry* entry = table_.find(index);
  if (entry != nullptr && entry->is_home && entry->is_deleted) {  // which names the method
    complain_deleted(index, message_header(index, method, options, bytes));
    return nullptr;
  }
  const StreamHeader header = core_.next_in_order(number_, index, method);
  char* room = message_room(index, kOrderedMethod, options, sizeof header + bytes);
  std::memcpy(room, &header, sizeof header);
  return room + sizeof header;
}

/// Room for a message whose element is not here: in a record, or where it waits.
char* ArrayCore::away_room(Entry* entry, const Index& index, const RecordHeader& header) {
  if (entry != nullptr && entry->epoch > 0 && !entry->is_deleted) {
    if (entry->rank == core_.rank()) return wait_room(*entry, header);
    entry->was_used = true;
    return away_record(entry->rank, entry->epoch, index, header);
  }
  const int home = home_of(index);
  if (home == core_.rank()) {
    if (entry != nullptr && entry->is_deleted) {
      complain_deleted(index, header);
      return nullptr;
    }
    if (header.method == kMarkMethod) return nullptr;  // is not created yet, so holds nothing
    return wait_room(entry_for(index), header);
  }
  const std::uint32_t epoch = entry != nullptr ? entry->epoch : 0;
  int ask = home;
  if (plan_.homes > 1 && epoch == 0) ask = (home + core_.rank() % plan_.homes) % core_.size();
  return away_record(ask == core_.rank() ? home : ask, epoch, index, header);
}

/// Field by field: see Wire::write().
char* ArrayCore::away_record(int to, std::uint32_t epoch, const Index& index, const RecordHeader& header) {
  const Wire::Room room = core_.open(to, header.kind, index.data(), index.size(), header.payload);
  room.header.hops = header.hops;
  room.header.array = header.array;
  room.header.method = header.method;
  room.header.epoch = epoch;
  room.header.origin = header.origin;
  room.header.reply = header.reply;
  room.header.priority = header.priority;
  return room.payload;
}

char* ArrayCore::wait_room(Entry& entry, const RecordHeader& header) {
  Message* message = core_.new_message(header.payload);
  message->target = &entry;
  message->method = header.method;
  message->epoch = header.epoch;
  message->origin = header.origin;
  message->reply = header.reply;
  message->priority = header.priority;
  message->hops = header.hops;
  push_waiting(entry, message);
  return message->bytes();
}

void ArrayCore::forward(const Record& record, int to, std::uint32_t epoch, std::uint8_t flags) {
  RecordHeader header = record.header;
  header.epoch = epoch;
  header.flags = flags;
  ++header.hops;
  ++core_.counters.messages_forwarded;
  char* room = core_.post(to, header, record.index);
  if (header.payload != 0) std::memcpy(room, record.payload, header.payload);
}

void ArrayCore::handle_message(const Record& record) {
  const RecordHeader& header = record.header;
  const Index index(record.index, header.index);
  Entry* entry = table_.find(index);
  if (entry != nullptr && entry->object != nullptr) {
    if (header.hops > 0 && header.origin != core_.rank()) {
      core_.post_info(header.origin, Kind::kUpdate, *this, index, entry->epoch, core_.rank());
    }
    if (core_.must_queue(header.priority) || entry->references != 0) {  // behind those that are queued for it
      Message* message = core_.local_message(*entry, header.method, {header.priority, header.reply}, header.payload);
      message->origin = header.origin;
      if (header.payload != 0) std::memcpy(message->bytes(), record.payload, header.payload);
      return;
    }
    Archive in = Archive::reading(record.payload, header.payload, &core_.session());
    return core_.invoke(*entry, header.method, in, {&core_, header.origin, header.reply});
  }
  const auto wait = [&](Entry& here) {
    char* room = wait_room(here, header);
    if (header.payload != 0) std::memcpy(room, record.payload, header.payload);
  };
  const std::uint32_t known = entry != nullptr ? entry->epoch : 0;
  const bool is_home = entry != nullptr ? entry->is_home : home_of(index) == core_.rank();
  if (known > 0 && entry->is_deleted) {
    if (is_home && header.method == kJoinMethod) sections_.refuse(record.payload);
    if (is_home) return complain_deleted(index, header);
    return forward(record, home_of(index), known, 0);  // which knows of the deletion before this comes
  }
  if (known > 0 && entry->rank == core_.rank()) return wait(*entry);
  if (known > header.epoch) return forward(record, entry->rank, known, 0);
  if (is_home) {
    if ((header.flags & kAsked) != 0) return forward(record, record.from, header.epoch, kWaitHere);
    if (header.method == kMarkMethod && known == 0) return;
    return wait(entry_for(index));  // not created yet, or on its way to here
  }
  if ((header.flags & kWaitHere) != 0 || (header.epoch > 0 && record.from == home_of(index))) {
    return wait(entry_for(index));
  }
  forward(record, home_of(index), header.epoch, header.epoch > 0 ? kAsked : 0);
}

void ArrayCore::send_on(Message* message) {
  Entry& entry = *message->target;
  Archive count = Archive::counting();
  const MethodInfo* method = message->held ? &method_numbered(message->method) : nullptr;
  if (method != nullptr) method->pack_held(message->bytes(), count);
  const std::size_t size = method != nullptr ? count.used() : message->payload;
  RecordHeader header = message_header(entry.index, message->method, {message->priority, message->reply}, size);
  header.origin = message->origin;
  header.hops = static_cast<std::uint16_t>(message->hops + 1);
  ++core_.counters.messages_forwarded;
  char* room = away_room(&entry, entry.index, header);
  if (room != nullptr && method != nullptr) {
    Archive out = Archive::writing(room, size);
    method->pack_held(message->bytes(), out);
  } else if (room != nullptr && size != 0) {
    std::memcpy(room, message->bytes(), size);
  }
  if (room == nullptr && message->method == kJoinMethod) sections_.refuse(message->bytes());
  if (method != nullptr) method->drop_held(message->bytes());
  core_.give(message);
}

/// Goes to a process that is not its element's home, to wait there.
void ArrayCore::wait_elsewhere(Message* message, int to) {
  const Index& index = message->target->index;
  RecordHeader header = message_header(index, message->method, {message->priority, message->reply}, message->payload);
  header.origin = message->origin;
  header.hops = message->hops;
  header.flags = kWaitHere;
  char* room = core_.post(to, header, index.data());
  if (message->payload != 0) std::memcpy(room, message->bytes(), message->payload);
  core_.give(message);
}

/// What waited goes to the element that is here now, or on to where it is.
void ArrayCore::release(Entry& entry) {
  MessageList waiting = take_waiting(entry);
  while (!waiting.empty()) {
    Message* message = waiting.pop();
    if (entry.object == nullptr) {
      send_on(message);
      continue;
    }
    if (message->hops > 0 && message->origin != core_.rank()) {
      core_.post_info(message->origin, Kind::kUpdate, *this, entry.index, entry.epoch, core_.rank());
    }
    ++entry.references;
    core_.enqueue(message);
  }
}

void ArrayCore::complain_deleted(const Index& index, const RecordHeader& header) {
  if (header.method == kSectionMethod || header.method == kJoinMethod) return;  // sections are of those that live
  if (header.method == kMarkMethod) return;
  const std::string text = "process " + std::to_string(header.origin) + " sends " + method_name(header.method) +
                           " to " + name(index) + ", which was deleted: create it anew, or send nothing more to it";
  if (header.reply != 0) core_.reply({&core_, header.origin, header.reply}, text.data(), text.size(), "deleted");
  core_.fail(text);
}

void ArrayCore::learn(Entry& entry, int rank, std::uint32_t epoch) {
  if (epoch <= entry.epoch) return;
  entry.epoch = epoch;
  entry.rank = rank;
  entry.is_deleted = false;
}

void ArrayCore::handle_update(const Record& record) {
  const Index index(record.index, record.header.index);
  Entry* entry = table_.find(index);
  if (entry == nullptr) {
    if (++remembered_ > plan_.cached_places) sweep();
    entry = &entry_for(index);
  }
  if (entry->object != nullptr || entry->rank == core_.rank()) return;
  learn(*entry, info_of<int>(record), record.header.epoch);
  entry->was_used = true;
}

void ArrayCore::tell_other_homes(const Entry& entry) {
  for (int i = 1; i < plan_.homes && i < core_.size(); ++i) {
    const int other = (core_.rank() + i) % core_.size();
    core_.post_info(other, Kind::kUpdate, *this, entry.index, entry.epoch, entry.rank);
  }
}

/// Forgets the places that were not used since the last time.
void ArrayCore::sweep() {
  std::vector<Entry*> unused;
  remembered_ = 0;
  table_.each([&](Entry& entry) {
    if (entry.is_home || entry.object != nullptr || !entry.may_forget || entry.references != 0 ||
        !entry.waiting.empty() || entry.rank == core_.rank()) {
      return;
    }
    if (entry.was_used) {
      entry.was_used = false;
      ++remembered_;
    } else {
      unused.push_back(&entry);
    }
  });
  for (Entry* each : unused) table_.remove(each);
}

}  // namespace starling::array::detail
