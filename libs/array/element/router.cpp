// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "router.hpp"

#include <cstring>

#include "base/format.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

namespace {

// Flags of messages: Envelope.
constexpr std::uint8_t kAsked = 1;
constexpr std::uint8_t kMustWait = 2;

void copy_payload(char* room, const char* bytes, std::size_t size) {
  if (size != 0) std::memcpy(room, bytes, size);
}

}  // namespace

Message* Router::queue_message(Entry& target, std::uint32_t method, const SendOptions& options, std::size_t bytes) {
  Message* message = host_.queue().pool().take(bytes);
  message->target = &target;
  message->method = method;
  message->origin = host_.rank();
  message->reply = options.reply;
  message->priority = options.priority;
  ++target.references;
  host_.queue().push(message);
  return message;
}

RecordHeader Router::message_header(const Index& index, std::uint32_t method, const SendOptions& options,
                                    std::size_t bytes) const {
  RecordHeader header;
  header.kind = RecordKind::kMessage;
  header.array = elements_.number();
  header.method = method;
  header.origin = host_.rank();
  header.reply = options.reply;
  header.priority = options.priority;
  header.payload = static_cast<std::uint32_t>(bytes);
  header.index = static_cast<std::uint32_t>(index.size());
  return header;
}

bool Router::refuses(const Index& index, std::uint32_t method, const SendOptions& options) {
  const Entry* entry = elements_.find(index);
  if (entry == nullptr || !entry->is_home || !entry->is_deleted) return false;
  refuse(index, message_header(index, method, options, 0));
  return true;
}

/// Room for a message whose element is not here: in a record, or where it waits.
char* Router::away_room(Entry* entry, const Index& index, const RecordHeader& header) {
  const auto home_of = [&] { return elements_.home_of(index); };
  Location nothing;
  if (entry == nullptr) nothing.is_home = home_of() == host_.rank();
  const Location& known = entry != nullptr ? *entry : nothing;
  const Route route = elements_.directory().send(known, home_of);
  switch (route.step) {
    case Route::Step::kForward:
      if (entry != nullptr) entry->was_used = true;
      return away_record(route.to, route.epoch, index, header);
    case Route::Step::kRefuse: refuse(index, header); return nullptr;
    default: break;
  }
  if (header.method == kMarkMethod && known.epoch == 0) return nullptr;  // is not created yet, so holds nothing
  return wait_room(entry != nullptr ? *entry : elements_.entry_for(index), header);
}

/// Field by field: see Wire::write().
char* Router::away_record(int to, std::uint32_t epoch, const Index& index, const RecordHeader& header) {
  const Wire::Room room = host_.records().open(to, header.kind, index.data(), index.size(), header.payload);
  room.header.hops = header.hops;
  room.header.array = header.array;
  room.header.method = header.method;
  room.header.epoch = epoch;
  room.header.origin = header.origin;
  room.header.reply = header.reply;
  room.header.priority = header.priority;
  return room.payload;
}

char* Router::wait_room(Entry& entry, const RecordHeader& header) {
  Message* message = host_.queue().pool().take(header.payload);
  message->target = &entry;
  message->method = header.method;
  message->epoch = header.epoch;
  message->origin = header.origin;
  message->reply = header.reply;
  message->priority = header.priority;
  message->hops = header.hops;
  elements_.push_waiting(entry, message);
  return message->bytes();
}

void Router::forward(const Record& record, const Route& route) {
  RecordHeader header = record.header;
  header.epoch = route.epoch;
  header.flags = static_cast<std::uint8_t>((route.is_asked ? kAsked : 0) | (route.must_wait ? kMustWait : 0));
  ++header.hops;
  ++host_.counters.messages_forwarded;
  copy_payload(host_.records().post(route.to, header, record.index), record.payload, header.payload);
}

void Router::handle(const Record& record) {
  const RecordHeader& header = record.header;
  const Index index(record.index, header.index);
  Entry* entry = elements_.find(index);
  if (entry != nullptr && entry->is_here) return deliver(*entry, record);
  const int home = elements_.home_of(index);
  Location nothing;
  nothing.is_home = home == host_.rank();
  const Location& known = entry != nullptr ? *entry : nothing;
  const Envelope envelope{header.epoch, record.from, (header.flags & kAsked) != 0, (header.flags & kMustWait) != 0};
  const Route route = elements_.directory().receive(known, home, envelope);
  switch (route.step) {
    case Route::Step::kForward: return forward(record, route);
    case Route::Step::kRefuse:
      if (header.method == kJoinMethod) refuse_member_(record.payload);
      if (header.method == kMarkMethod) ++host_.marks.ended;
      return refuse(index, header);
    default: break;
  }
  if (header.method == kMarkMethod && known.is_home && known.epoch == 0) {
    ++host_.marks.ended;
    return;
  }
  char* room = wait_room(entry != nullptr ? *entry : elements_.entry_for(index), header);
  copy_payload(room, record.payload, header.payload);
}

/// At once, or behind those that are queued for the element.
void Router::deliver(Entry& entry, const Record& record) {
  const RecordHeader& header = record.header;
  if (header.hops > 0 && header.origin != host_.rank()) post_place(header.origin, entry);
  if (host_.queue().must_queue(header.priority) || entry.references != 0) {
    Message* message = queue_message(entry, header.method, {header.priority, header.reply}, header.payload);
    message->origin = header.origin;
    return copy_payload(message->bytes(), record.payload, header.payload);
  }
  Archive in = Archive::reading(record.payload, header.payload, &host_.session());
  host_.invoke(entry, header.method, in, host_.reply_to(header.origin, header.reply));
}

void Router::send_on(Message* message) {
  Entry& entry = *message->target;
  Archive count = Archive::counting();
  const MethodInfo* method = message->held ? &method_numbered(message->method) : nullptr;
  if (method != nullptr) method->pack_held(message->bytes(), count);
  const std::size_t size = method != nullptr ? count.used() : message->payload;
  RecordHeader header = message_header(entry.index, message->method, {message->priority, message->reply}, size);
  header.origin = message->origin;
  header.hops = static_cast<std::uint16_t>(message->hops + 1);
  ++host_.counters.messages_forwarded;
  char* room = away_room(&entry, entry.index, header);
  if (room != nullptr && method != nullptr) {
    Archive out = Archive::writing(room, size);
    method->pack_held(message->bytes(), out);
  } else if (room != nullptr) {
    copy_payload(room, message->bytes(), size);
  }
  if (room == nullptr && message->method == kJoinMethod) refuse_member_(message->bytes());
  if (room == nullptr && message->method == kMarkMethod) ++host_.marks.ended;
  if (method != nullptr) method->drop_held(message->bytes());
  host_.queue().pool().give(message);
}

void Router::wait_elsewhere(Message* message, int to) {
  const Index& index = message->target->index;
  RecordHeader header = message_header(index, message->method, {message->priority, message->reply}, message->payload);
  header.origin = message->origin;
  header.hops = message->hops;
  header.flags = kMustWait;
  copy_payload(host_.records().post(to, header, index.data()), message->bytes(), message->payload);
  host_.queue().pool().give(message);
}

void Router::release(Entry& entry) {
  MessageList waiting = elements_.take_waiting(entry);
  while (!waiting.empty()) {
    Message* message = waiting.pop();
    if (!entry.is_here) {
      send_on(message);
      continue;
    }
    if (message->hops > 0 && message->origin != host_.rank()) post_place(message->origin, entry);
    ++entry.references;
    host_.queue().push(message);
  }
}

void Router::refuse_waiting(Entry& entry) {
  MessageList waiting = elements_.take_waiting(entry);
  while (!waiting.empty()) send_on(waiting.pop());
}

void Router::refuse(const Index& index, const RecordHeader& header) {
  if (header.method == kSectionMethod || header.method == kJoinMethod) return;  // sections are of those that live
  if (header.method == kMarkMethod) return;
  const std::string text =
      formatted("process {} sends {} to {}, which was deleted: create it anew, or send nothing more to it",
                header.origin, method_name(header.method), elements_.name(index));
  if (header.reply != 0) host_.reply(host_.reply_to(header.origin, header.reply), text.data(), text.size(), true);
  host_.fail(text);
}

void Router::handle_update(const Record& record) {
  const Index index(record.index, record.header.index);
  Entry* entry = elements_.find(index);
  if (entry == nullptr) {
    elements_.remember_one_more();
    entry = &elements_.entry_for(index);
  }
  if (entry->is_here || entry->rank == host_.rank()) return;
  elements_.directory().hear_hint(*entry, info_of<int>(record), record.header.epoch);
  entry->was_used = true;
}

void Router::tell_other_homes(const Entry& entry) {
  const Directory& directory = elements_.directory();
  for (int i = 1; directory.other_home(i) >= 0; ++i) post_place(directory.other_home(i), entry);
}

void Router::post_place(int to, const Entry& entry) {
  host_.records().post_info(to, RecordKind::kUpdate, elements_.number(), entry.index, entry.epoch, entry.rank);
}

}  // namespace starling::array::detail
