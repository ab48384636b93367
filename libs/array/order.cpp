// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Messages in order, and what else the library itself does to an element by a message: the part of Core that keeps
// extras.hpp.
#include <utility>

#include "core.hpp"
#include "registry.hpp"

namespace starling::array::detail {

void Core::invoke_of_library(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply) {
  switch (method) {
    case kDestroyMethod: entry.is_dying = true; return after(entry);
    case kMoveMethod: {
      int to = 0;
      arguments(to);
      entry.bound_for = static_cast<std::uint16_t>(to);
      entry.is_leaving = true;
      return after(entry);
    }
    case kOrderedMethod:
    case kSectionMethod: {
      StreamHeader header;
      arguments(header);
      if (method == kSectionMethod) return take_from_section(entry, header, arguments);
      return take_in_order(entry, header, arguments, reply);
    }
    case kJoinMethod: {
      SectionName name;
      arguments(name);
      return entry.array->sections().join(entry, name);
    }
    case kMarkMethod: return collector_.reach(entry);
    default: throw Error("a method of the library with an unknown number: the processes run different versions of it");
  }
}

StreamHeader Core::next_in_order(std::uint16_t array, const Index& index, std::uint32_t method) {
  Outboxes& boxes = running_ != nullptr ? running_->extra().out : outboxes_;
  Outbox& box = boxes[{array, std::string(index.data(), index.size())}];
  if (box.stream == 0) box.stream = random();
  return {box.stream, static_cast<std::uint32_t>(box.next++), method};
}

void Core::take_in_order(Entry& entry, const StreamHeader& header, Archive& arguments, const ReplyTo& reply) {
  Inbox& inbox = entry.extra().in[header.stream];
  if (header.number != inbox.next) {
    const char* bytes = arguments.position();
    inbox.held.emplace(header.number, HeldBack{header.method, reply.rank, reply.slot,
                                               std::vector<char>(bytes, bytes + arguments.left())});
    ++held_back_;
    return;
  }
  ++inbox.next;
  ++entry.references;
  invoke(entry, header.method, arguments, reply);
  deliver_held_back(entry, header.stream);
  --entry.references;
  entry.array->drop_if_useless(entry);
}

void Core::take_from_section(Entry& entry, const StreamHeader& header, Archive& arguments) {
  if (!entry.extras || entry.extras->membership(header.stream) == nullptr) return;
  if (header.method != kLeaveMethod) return take_in_order(entry, header, arguments, {});
  // The last of the section: earlier ones that are still on their way are of no use any more.
  std::erase_if(entry.extras->sections, [&](const Membership& each) { return each.section == header.stream; });
  const auto at = entry.extras->in.find(header.stream);
  if (at == entry.extras->in.end()) return;
  held_back_ -= at->second.held.size();
  entry.extras->in.erase(at);
}

/// The element may leave or die with any of them.
void Core::deliver_held_back(Entry& entry, std::uint64_t stream) {
  while (entry.object != nullptr && entry.extras) {
    const auto at = entry.extras->in.find(stream);
    if (at == entry.extras->in.end()) return;
    Inbox& inbox = at->second;
    if (inbox.held.empty() || inbox.held.begin()->first != inbox.next) return;
    const HeldBack next = std::move(inbox.held.begin()->second);
    inbox.held.erase(inbox.held.begin());
    ++inbox.next;
    --held_back_;
    Archive in = Archive::reading(next.bytes.data(), next.bytes.size(), &session_);
    invoke(entry, next.method, in, {this, next.origin, next.reply});
  }
}

void Core::catch_up_in_order(Entry& entry) {
  std::vector<std::uint64_t> streams;
  for (const auto& [stream, inbox] : entry.extras->in) {
    if (!inbox.held.empty()) streams.push_back(stream);
  }
  ++entry.references;
  for (const std::uint64_t each : streams) deliver_held_back(entry, each);
  --entry.references;
  entry.array->drop_if_useless(entry);
}

void Core::take_extras(Entry& entry, const char* bytes, std::size_t size) {
  Archive in = Archive::reading(bytes, size);
  entry.extra().serialize(in);
  for (const auto& [stream, inbox] : entry.extras->in) held_back_ += inbox.held.size();
}

void Core::forget_extras(Entry& entry) {
  for (const auto& [stream, inbox] : entry.extras->in) held_back_ -= inbox.held.size();
  entry.extras.reset();
}

void Core::renumber(std::int32_t& origin, std::uint32_t& reply, const std::vector<int>& rank_now) const {
  const auto was = static_cast<std::size_t>(origin);
  origin = was < rank_now.size() ? rank_now[was] : -1;
  if (origin >= 0) return;
  origin = rank();  // the sender left, and waits for no answer
  reply = 0;
}

void Core::renumber(Extras& extras, const std::vector<int>& rank_now) {
  for (const Membership& each : std::exchange(extras.sections, {})) {
    const auto at = extras.in.find(each.section);
    if (at == extras.in.end()) continue;
    held_back_ -= at->second.held.size();
    extras.in.erase(at);
  }
  for (auto& [stream, inbox] : extras.in) {
    for (auto& [number, held] : inbox.held) renumber(held.origin, held.reply, rank_now);
  }
}

/// The element is deleted: messages that it held back are errors, as those that come later will be.
void Core::bury_extras(Entry& entry) {
  entry.array->sections().bury(entry);
  const std::unique_ptr<Extras> extras = std::move(entry.extras);
  std::string text;
  for (const auto& [stream, inbox] : extras->in) {
    held_back_ -= inbox.held.size();
    if (extras->membership(stream) != nullptr) continue;
    for (const auto& [number, held] : inbox.held) {
      text = "process " + std::to_string(held.origin) + " sends " + method_name(held.method) + " in order to " +
             entry.array->name(entry.index) + ", which is deleted before the message's turn came";
      if (held.reply != 0) reply({this, held.origin, held.reply}, text.data(), text.size(), "deleted");
    }
  }
  if (!text.empty()) fail(text);
}

void Core::name_held_back(std::string& text) const {
  if (held_back_ == 0) return;
  if (!text.empty()) text += "; ";
  text += std::to_string(held_back_) + " messages in order wait for earlier ones";
  for (const auto& array : arrays_) {
    for (const Entry* each : array->here()) {
      if (!each->extras) continue;
      for (const auto& [stream, inbox] : each->extras->in) {
        if (inbox.held.empty()) continue;
        text += ": " + method_name(inbox.held.begin()->second.method) + " to " + array->name(each->index) +
                ", whose index was deleted and created anew?";
        return;
      }
    }
  }
}

}  // namespace starling::array::detail
