// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Streams: messages in order, of all arrays on one process (extras.hpp says what a stream is). The sender's side
// numbers them; the receiver's side holds back what came before an earlier one.
//
// **Thread safety**: none. **Invariants**: an element handles the messages of a stream in the order of their numbers.
#pragma once

#include <string>
#include <vector>

#include "router.hpp"

namespace starling::array::detail {

class Streams {
 public:
  explicit Streams(Host& host) : host_(host) {}

  /// Room for the arguments of the next message in order of the element that runs, or of this process.
  char* room(Router& router, std::uint16_t array, const Index& index, std::uint32_t method, const SendOptions& options,
             std::size_t bytes);

  /// A message in order came to an element that is here.
  void take(Entry& entry, const StreamHeader& header, Archive& arguments, const ReplyTo& reply);
  /// The same of a section's broadcast; an element that is no member ignores it.
  void take_from_section(Entry& entry, const StreamHeader& header, Archive& arguments);
  /// The element came here, or got the mark of a collection. What came for it before may be next now.
  void catch_up(Entry& entry);

  /// An element came with extras, or left with them.
  void unpack_extras(Entry& entry, const char* bytes, std::size_t size);
  void drop_extras(Entry& entry);
  /// The element is deleted: messages that it held back are refused, as those that come later will be.
  void refuse_held_back(Entry& entry);

  /// With other processes: messages that wait here know their senders by other ranks. Sections are gone.
  void renumber(Extras& extras, const std::vector<int>& rank_now);
  void renumber(std::int32_t& origin, std::uint32_t& reply, const std::vector<int>& rank_now) const;
  /// No element is here any more.
  void clear();

  /// Messages that are held back, of elements of any array.
  std::size_t held_back() const { return held_back_; }
  /// The text of one of this array; empty if there is none.
  static std::string describe_one(const Elements& elements);

 private:
  void hold_back(Inbox& inbox, const StreamHeader& header, Archive& arguments, const ReplyTo& reply);
  void deliver_held_back(Entry& entry, std::uint64_t stream);
  void forget_stream(Extras& extras, std::uint64_t stream);

  Host& host_;
  Outboxes outboxes_;          // of what is sent outside of elements
  std::size_t held_back_ = 0;  // messages that came before earlier ones
};

}  // namespace starling::array::detail
