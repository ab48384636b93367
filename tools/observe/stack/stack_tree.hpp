// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// StackTree: the stacks of many ranks, merged as far as they are the same, from the outermost function on.
//
//   0 to 3       main at ring.c:40
//   0 to 2         receive at ring.c:14
//                  -> wait in MPI_Recv with tag 7, for 3 (8.1 s)
//   3              compute at ring.c:21
//                  -> is outside MPI
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starling::observe {

/// What a rank does at the end of its stack.
struct StackEnd {
  std::string doing;                    ///< "waits in MPI_Recv, for 1"; empty: nothing to say
  std::optional<std::int64_t> time_ns;  ///< for how long; of several ranks the longest is shown
};

class StackTree {
 public:
  /// frames: the outermost first. A rank may have several.
  void add(std::int32_t rank, const std::vector<std::string>& frames, const StackEnd& end);

  [[nodiscard]] bool empty() const noexcept { return root_.children.empty(); }
  /// The lines, each ended by a newline; what has the lowest rank comes first.
  [[nodiscard]] std::string text() const;

 private:
  struct Node {
    std::string text;
    bool is_end = false;
    std::optional<std::int64_t> time_ns;
    std::vector<std::int32_t> ranks;  ///< one entry for each stack, in the order in which they came
    std::vector<std::unique_ptr<Node>> children;
  };
  struct Line {
    std::string ranks;
    std::string text;
  };
  static Node& child(Node& node, const std::string& text, bool is_end);
  static std::string ranks_of(const Node& node);
  static std::string text_of(const Node& node);
  static void add_lines(const Node& node, std::size_t indent, std::vector<Line>& lines);

  Node root_;
};

}  // namespace starling::observe
