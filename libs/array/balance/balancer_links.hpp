// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What processes tell of who talks to whom, in the answers of a balancing step: links and visits, as their senders name
// the other ends. LinkAnswers gathers them at process 0, and finds the elements that are meant once all have answered.
//
// **Thread safety**: none. **Invariants**: what was written is read in the same order.
#pragma once

#include <cstdint>
#include <starling/array/balance.hpp>
#include <string>
#include <vector>

#include "element/elements.hpp"
#include "element/links.hpp"

namespace starling::array::detail {

/// Where the elements of all arrays are.
class Places {
 public:
  /// The process where the element is, as far as this process knows.
  virtual int place_of(std::uint16_t array, const Index& index) const = 0;

 protected:
  ~Places() = default;
};

void write_name(Archive& archive, const Index& index);  // as a string is written
/// The other end of a link is an element of this array, by its name, or one of another, by the process where it is.
void write_links(Archive& archive, const Entry& element, const Places& places);
void write_visits(Archive& archive, const Visits& visits);

class LinkAnswers {
 public:
  void clear() {
    links_.clear();
    anchors_.clear();
  }
  /// Of the element `from` of the problem.
  void read_links(Archive& archive, std::uint32_t from, balancing::Problem& problem);
  void read_visits(Archive& archive, int process);
  /// Adds to the problem the links and anchors whose elements were not under way. `names`: of its elements.
  void find_ends(const std::vector<std::string>& names, balancing::Problem& problem) const;

 private:
  /// A link as its sender's process names it: the receiver may be anywhere.
  struct NamedLink {
    std::uint32_t from;
    std::string to;
    double bytes;
    double messages;
  };
  /// What went between a process and an element, as that process names it.
  struct NamedAnchor {
    int process;
    std::string of;
    double bytes;
    double messages;
  };
  std::vector<NamedLink> links_;
  std::vector<NamedAnchor> anchors_;
};

}  // namespace starling::array::detail
