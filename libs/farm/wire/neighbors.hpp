// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbors: the processes that this one exchanges messages with, and the reasons why it listens to each. It listens
// until the last reason has gone.
//
// Thread safety: the relay's thread.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "link.hpp"
#include "tree/assignment.hpp"

namespace starling::farm {

class Neighbors {
 public:
  enum Reason : unsigned { kChild = 1, kParent = 2, kPort = 4, kServer = 8, kTaker = 16, kGiver = 32 };

  explicit Neighbors(Link& link) : link_(link) {}

  int rank() const { return link_.rank(); }
  Link& link() const { return link_; }

  void listen_to(int peer, Reason reason) {
    reasons_[peer] |= reason;
    link_.open(peer);
  }
  void forget(int peer, Reason reason) {
    const auto found = reasons_.find(peer);
    if (found == reasons_.end()) return;
    found->second &= ~static_cast<unsigned>(reason);
    if (found->second != 0) return;
    reasons_.erase(found);
    link_.close(peer);
  }
  /// The process is dead. Returns the reasons, as bits.
  unsigned remove(int peer) {
    const auto reasons = reasons_.extract(peer);
    return reasons ? reasons.mapped() : 0;
  }
  bool none() const { return reasons_.empty(); }
  bool listens_to(int peer) const { return reasons_.contains(peer); }

  /// A spare has taken this place; nobody listens to the process that died there any more.
  void assign(const Replacement& replacement) {
    replaced_[replacement.place] = replacement;
    link_.assign(replacement.place, replacement.rank);
  }
  /// How many processes have died in this place before the one that is there, as far as is known here.
  int deaths(int place) const {
    const auto found = replaced_.find(place);
    return found != replaced_.end() ? found->second.deaths : 0;
  }
  /// The last of each place, in the order in which the root called them: whoever was called knew of those before it.
  std::vector<Replacement> replaced() const {
    std::vector<Replacement> all;
    for (const auto& [place, replacement] : replaced_) all.push_back(replacement);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    return all;
  }

  void send(int peer, std::shared_ptr<const Buffer> message) {
    ++messages_;
    bytes_ += message->size();
    link_.send(peer, std::move(message));
  }
  /// Whether everything that was sent to it has left.
  bool idle(int peer) const { return link_.idle(peer); }
  void count_arrival(std::size_t bytes) {
    ++messages_;
    bytes_ += bytes;
  }
  std::uint64_t messages() const { return messages_; }  ///< Sent and received.
  std::uint64_t bytes() const { return bytes_; }        ///< The same.

 private:
  Link& link_;
  std::map<int, unsigned> reasons_;
  std::map<int, Replacement> replaced_;  ///< By place.
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace starling::farm
