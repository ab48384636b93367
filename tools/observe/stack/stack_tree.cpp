// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/stack/stack_tree.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "observe/analysis/sentences.hpp"
#include "observe/model/words.hpp"

namespace starling::observe {
namespace {

/// Each text once where it stands several times in a row: a recursion.
std::vector<std::string> without_repetitions(const std::vector<std::string>& frames) {
  std::vector<std::string> kept;
  for (std::size_t i = 0, next = 0; i < frames.size(); i = next) {
    while (next < frames.size() && frames[next] == frames[i]) ++next;
    kept.push_back(next - i > 1 ? formatted("{} ({} times)", frames[i], next - i) : frames[i]);
  }
  return kept;
}

std::size_t different(const std::vector<std::int32_t>& ranks) {
  std::vector<std::int32_t> sorted = ranks;
  std::ranges::sort(sorted);
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

}  // namespace

void StackTree::add(std::int32_t rank, const std::vector<std::string>& frames, const StackEnd& end) {
  Node* node = &root_;
  for (const std::string& frame : without_repetitions(frames)) {
    node = &child(*node, frame, false);
    node->ranks.push_back(rank);
  }
  if (end.doing.empty()) return;
  node = &child(*node, end.doing, true);
  node->ranks.push_back(rank);
  if (end.time_ns) node->time_ns = std::max(node->time_ns.value_or(0), *end.time_ns);
}

StackTree::Node& StackTree::child(Node& node, const std::string& text, bool is_end) {
  for (const std::unique_ptr<Node>& each : node.children) {
    if (each->is_end == is_end && each->text == text) return *each;
  }
  Node& added = *node.children.emplace_back(std::make_unique<Node>());
  added.text = text;
  added.is_end = is_end;
  return added;
}

std::string StackTree::ranks_of(const Node& node) {
  const std::string numbers = rank_numbers(node.ranks);
  const std::size_t ranks = different(node.ranks);
  return ranks == node.ranks.size() ? numbers : formatted("{} ({} threads)", numbers, node.ranks.size());
}

std::string StackTree::text_of(const Node& node) {
  if (!node.is_end) return node.text;
  const std::string time = node.time_ns ? formatted(" ({})", duration_text(*node.time_ns)) : std::string();
  return formatted("-> {}{}", different(node.ranks) > 1 ? plural(node.text) : node.text, time);
}

void StackTree::add_lines(const Node& node, std::size_t indent, std::vector<Line>& lines) {
  std::vector<const Node*> children;
  for (const std::unique_ptr<Node>& each : node.children) children.push_back(each.get());
  const auto lowest = [](const Node* each) { return *std::ranges::min_element(each->ranks); };
  std::ranges::stable_sort(children, {}, lowest);
  for (const Node* const each : children) {
    const bool goes_on = each->ranks.size() == node.ranks.size();
    const std::size_t column = goes_on || node.ranks.empty() ? indent : indent + 2;
    lines.push_back({goes_on ? std::string() : ranks_of(*each), std::string(column, ' ') + text_of(*each)});
    add_lines(*each, column, lines);
  }
}

std::string StackTree::text() const {
  constexpr std::size_t kWidest = 20;
  std::vector<Line> lines;
  add_lines(root_, 0, lines);
  std::size_t width = 0;
  for (const Line& line : lines) {
    if (line.ranks.size() <= kWidest) width = std::max(width, line.ranks.size());
  }
  std::string text;
  for (Line& line : lines) {
    if (line.ranks.size() > width) {
      text += line.ranks + ":\n";
      line.ranks.clear();
    }
    text += formatted("{:<{}}  {}\n", line.ranks, width, line.text);
  }
  return text;
}

}  // namespace starling::observe
