// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Links: with whom an element talked since the last balancing step, how often and how much. Kept by the sender.
//
// Of more partners than kMost those that get the most messages stay: a message to one more takes a message off each of
// the others instead. So a count is never too high, and too low by a kMost-th of all messages at most; where everybody
// talks with everybody, and no placement is better than another, next to nothing is left.
//
// **Thread safety**: none. **Invariants**: kMost partners at most, each with at least one message. Source: J. Misra, D.
// Gries, Finding repeated elements, Science of Computer Programming 1982.
#pragma once

#include <cstdint>
#include <starling/array/archive.hpp>
#include <starling/array/index.hpp>
#include <vector>

namespace starling::array::detail {

class Links {
 public:
  static constexpr std::size_t kMost = 32;
  struct Link {
    Index to;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };

  /// Messages to an element; returns where their bytes count, or null. Valid until the next call.
  std::uint64_t* count(const Index& to, std::uint32_t messages) {
    if (Link* link = find(to)) {
      link->messages += messages;
      return &link->bytes;
    }
    if (links_.size() < kMost) return &links_.emplace_back(Link{to, messages, 0}).bytes;
    std::erase_if(links_, [](Link& each) {
      each.bytes -= each.bytes / each.messages;
      return --each.messages == 0;
    });
    next_ = 0;
    return nullptr;
  }
  const std::vector<Link>& all() const { return links_; }
  void clear() { links_ = {}; }

  void serialize(Archive& archive) {
    auto count = static_cast<std::uint32_t>(links_.size());
    archive(count);
    links_.resize(count);
    for (Link& each : links_) {
      auto size = static_cast<std::uint32_t>(each.to.size());
      archive(each.messages, each.bytes, size);
      std::string name(each.to.data(), each.to.size());
      name.resize(size);
      archive.bytes(name.data(), size);
      if (archive.is_reading()) each.to = Index(name.data(), size);
    }
  }

 private:
  /// Elements tend to send to the same others in the same order, so the search begins behind the last.
  Link* find(const Index& to) {
    const std::size_t count = links_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (next_ >= count) next_ = 0;
      Link& link = links_[next_++];
      if (link.to == to) return &link;
    }
    return nullptr;
  }

  std::vector<Link> links_;
  std::size_t next_ = 0;
};

}  // namespace starling::array::detail
