// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "streams.hpp"

#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

char* Streams::room(Router& router, std::uint16_t array, const Index& index, std::uint32_t method,
                    const SendOptions& options, std::size_t bytes) {
  if (router.refuses(index, method, options)) return nullptr;  // here, as the text names the method
  Entry* sender = host_.running();
  Outboxes& boxes = sender != nullptr ? sender->extra().out : outboxes_;
  Outbox& box = boxes[{array, std::string(index.data(), index.size())}];
  if (box.stream == 0) box.stream = host_.random();
  const StreamHeader header{box.stream, static_cast<std::uint32_t>(box.next++), method};
  char* room = router.room(index, kOrderedMethod, options, sizeof header + bytes);
  std::memcpy(room, &header, sizeof header);
  return room + sizeof header;
}

void Streams::take(Entry& entry, const StreamHeader& header, Archive& arguments, const ReplyTo& reply) {
  Inbox& inbox = entry.extra().in[header.stream];
  if (header.number != inbox.next) return hold_back(inbox, header, arguments, reply);
  ++inbox.next;
  ++entry.references;
  host_.invoke(entry, header.method, arguments, reply);
  deliver_held_back(entry, header.stream);
  --entry.references;
  entry.array->drop_if_useless(entry);
}

void Streams::hold_back(Inbox& inbox, const StreamHeader& header, Archive& arguments, const ReplyTo& reply) {
  const char* bytes = arguments.position();
  inbox.held.emplace(header.number, HeldBack{header.method, reply.rank, reply.slot,
                                             std::vector<char>(bytes, bytes + arguments.left())});
  ++held_back_;
}

void Streams::take_from_section(Entry& entry, const StreamHeader& header, Archive& arguments) {
  if (!entry.extras || entry.extras->membership(header.stream) == nullptr) return;
  if (header.method != kLeaveMethod && entry.array->lacks_mark(entry)) {
    return hold_back(entry.extras->in[header.stream], header, arguments, {});
  }
  if (header.method != kLeaveMethod) return take(entry, header, arguments, {});
  // The last of the section: earlier ones that are still on their way are of no use any more.
  std::erase_if(entry.extras->sections, [&](const Membership& each) { return each.section == header.stream; });
  forget_stream(*entry.extras, header.stream);
}

void Streams::forget_stream(Extras& extras, std::uint64_t stream) {
  const auto at = extras.in.find(stream);
  if (at == extras.in.end()) return;
  held_back_ -= at->second.held.size();
  extras.in.erase(at);
}

/// The element may leave or die with any of them.
void Streams::deliver_held_back(Entry& entry, std::uint64_t stream) {
  while (entry.is_here && entry.extras) {
    const auto at = entry.extras->in.find(stream);
    if (at == entry.extras->in.end()) return;
    Inbox& inbox = at->second;
    if (inbox.held.empty() || inbox.held.begin()->first != inbox.next) return;
    const HeldBack next = std::move(inbox.held.begin()->second);
    inbox.held.erase(inbox.held.begin());
    ++inbox.next;
    --held_back_;
    Archive in = Archive::reading(next.bytes.data(), next.bytes.size(), &host_.session());
    host_.invoke(entry, next.method, in, host_.reply_to(next.origin, next.reply));
  }
}

void Streams::catch_up(Entry& entry) {
  if (entry.array->lacks_mark(entry)) return;
  std::vector<std::uint64_t> streams;
  for (const auto& [stream, inbox] : entry.extras->in) {
    if (!inbox.held.empty()) streams.push_back(stream);
  }
  ++entry.references;
  for (const std::uint64_t each : streams) deliver_held_back(entry, each);
  --entry.references;
  entry.array->drop_if_useless(entry);
}

void Streams::unpack_extras(Entry& entry, const char* bytes, std::size_t size) {
  Archive in = Archive::reading(bytes, size);
  entry.extra().serialize(in);
  for (const auto& [stream, inbox] : entry.extras->in) held_back_ += inbox.held.size();
}

void Streams::drop_extras(Entry& entry) {
  for (const auto& [stream, inbox] : entry.extras->in) held_back_ -= inbox.held.size();
  entry.extras.reset();
}

void Streams::refuse_held_back(Entry& entry) {
  const std::unique_ptr<Extras> extras = std::move(entry.extras);
  std::string text;
  for (const auto& [stream, inbox] : extras->in) {
    held_back_ -= inbox.held.size();
    if (extras->membership(stream) != nullptr) continue;
    for (const auto& [number, held] : inbox.held) {
      text = formatted("process {} sends {} in order to {}, which is deleted before the message's turn came",
                       held.origin, method_name(held.method), entry.array->name(entry.index));
      if (held.reply != 0) host_.reply(host_.reply_to(held.origin, held.reply), text.data(), text.size(), true);
    }
  }
  if (!text.empty()) host_.fail(text);
}

void Streams::renumber(std::int32_t& origin, std::uint32_t& reply, const std::vector<int>& rank_now) const {
  const auto was = static_cast<std::size_t>(origin);
  origin = was < rank_now.size() ? rank_now[was] : -1;
  if (origin >= 0) return;
  origin = host_.rank();  // the sender left, and waits for no answer
  reply = 0;
}

void Streams::renumber(Extras& extras, const std::vector<int>& rank_now) {
  for (const Membership& each : std::exchange(extras.sections, {})) forget_stream(extras, each.section);
  for (auto& [stream, inbox] : extras.in) {
    for (auto& [number, held] : inbox.held) renumber(held.origin, held.reply, rank_now);
  }
}

void Streams::clear() {
  outboxes_.clear();
  held_back_ = 0;
}

std::string Streams::describe_one(const Elements& elements) {
  for (const Entry* each : elements.here()) {
    if (!each->extras) continue;
    for (const auto& [stream, inbox] : each->extras->in) {
      if (inbox.held.empty()) continue;
      return formatted("{} to {}, whose index was deleted and created anew?",
                       method_name(inbox.held.begin()->second.method), elements.name(each->index));
    }
  }
  return "";
}

}  // namespace starling::array::detail
