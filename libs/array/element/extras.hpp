// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Extras: what only some elements have, and take along when they move: messages in order, sections, measured links.
//
// A stream is all messages in order from one sender to one element. The sender counts them; the element's inbox of
// that stream holds back what came too early. Both ends move with their elements, so the way does not matter.
//
// **Thread safety**: none. **Invariants**: a stream's name is random, so a sender that is created anew begins anew;
// broadcasts to a section are a stream with the section's name.
#pragma once

#include <cstdint>
#include <map>
#include <starling/array/archive.hpp>
#include <string>
#include <utility>
#include <vector>

#include "links.hpp"

namespace starling::array::detail {

/// Goes before the arguments of a message in order.
struct StreamHeader {
  std::uint64_t stream = 0;
  std::uint32_t number = 0;
  std::uint32_t method = 0;
};

/// A message that came before an earlier one.
struct HeldBack {
  std::uint32_t method = 0;
  std::int32_t origin = 0;
  std::uint32_t reply = 0;
  std::vector<char> bytes;
  void serialize(Archive& archive) { archive(method, origin, reply, bytes); }
};

struct Inbox {
  std::uint32_t next = 1;
  std::map<std::uint32_t, HeldBack> held;
  void serialize(Archive& archive) { archive(next, held); }
};

struct Outbox {
  std::uint64_t stream = 0;
  std::uint64_t next = 1;
};
/// By array and the bytes of the index.
using Outboxes = std::map<std::pair<std::uint16_t, std::string>, Outbox>;

struct Membership {
  std::uint64_t section;
  std::int32_t manager;  // the process that counts its contributions
  std::uint32_t next;    // the reduction of the section that it contributes to next
};

struct Extras {
  Outboxes out;
  std::map<std::uint64_t, Inbox> in;
  std::vector<Membership> sections;
  Links links;

  Membership* membership(std::uint64_t section) {
    for (Membership& each : sections) {
      if (each.section == section) return &each;
    }
    return nullptr;
  }
  void serialize(Archive& archive) { archive(out, in, sections, links); }
};

}  // namespace starling::array::detail
