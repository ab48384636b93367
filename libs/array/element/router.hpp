// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Router: how messages find the elements of one array. It carries out what the directory decides: it queues a message
// for an element that is here, lets it wait, posts it to another process, or refuses it.
//
// **Thread safety**: none. **Invariants**: a message that was forwarded makes the process that found its element tell
// the sender the place.
#pragma once

#include <functional>
#include <utility>

#include "elements.hpp"
#include "host.hpp"

namespace starling::array::detail {

class Router {
 public:
  /// What becomes of the news to an element that it is in a section, where the element was deleted; with its bytes.
  using RefuseMember = std::function<void(const char*)>;

  Router(Elements& elements, Host& host, RefuseMember refuse_member)
      : elements_(elements), host_(host), refuse_member_(std::move(refuse_member)) {}

  /// Room for the arguments of a message, or null where it must not be filled.
  char* room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes) {
    Entry* entry = elements_.find(index);
    if (entry != nullptr && entry->is_here) return queue_message(*entry, method, options, bytes)->bytes();
    return away_room(entry, index, message_header(index, method, options, bytes));
  }
  /// Room for a tuple of arguments if the element is here, else null.
  void* held_room(const Index& index, std::uint32_t method, const SendOptions& options, std::size_t bytes) {
    Entry* entry = elements_.find(index);
    if (entry == nullptr || !entry->is_here) return nullptr;
    Message* message = queue_message(*entry, method, options, bytes);
    message->held = true;
    return message->bytes();
  }
  /// Whether messages to this element are refused here and now; tells so.
  bool refuses(const Index& index, std::uint32_t method, const SendOptions& options);
  RecordHeader message_header(const Index& index, std::uint32_t method, const SendOptions& options,
                              std::size_t bytes) const;

  void handle(const Record& record);
  void handle_update(const Record& record);
  /// A queued message whose element is not here any more.
  void send_on(Message* message);
  /// What waited goes to the element that is here now, or on to where it is.
  void release(Entry& entry);
  /// The same for messages to an element that was deleted.
  void refuse_waiting(Entry& entry);
  /// A message goes to a process that is not its element's home, to wait there.
  void wait_elsewhere(Message* message, int to);
  /// At the home.
  void tell_other_homes(const Entry& entry);
  void post_place(int to, const Entry& entry);

 private:
  Message* queue_message(Entry& target, std::uint32_t method, const SendOptions& options, std::size_t bytes);
  void deliver(Entry& entry, const Record& record);
  char* away_room(Entry* entry, const Index& index, const RecordHeader& header);
  char* away_record(int to, std::uint32_t epoch, const Index& index, const RecordHeader& header);
  char* wait_room(Entry& entry, const RecordHeader& header);
  void forward(const Record& record, const Route& route);
  void refuse(const Index& index, const RecordHeader& header);

  Elements& elements_;
  Host& host_;
  RefuseMember refuse_member_;
};

}  // namespace starling::array::detail
