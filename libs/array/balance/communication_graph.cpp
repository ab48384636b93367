// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The graph of communication as text, for tables and for Graphviz.
#include <algorithm>
#include <cstdio>
#include <map>
#include <starling/array/balance.hpp>

#include "base/format.hpp"

namespace starling::array {

namespace {

/// In quotation marks, which the text may have itself: doubled in CSV, behind a stroke in DOT.
std::string quoted(const std::string& text, const char* mark) {
  std::string result = "\"";
  for (const char each : text) result += each == '"' ? std::string(mark) : std::string(1, each);
  return result + "\"";
}

std::string whole(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

}  // namespace

std::string CommunicationGraph::csv() const {
  std::string text = "from,from_process,to,to_process,messages,bytes\n";
  for (const Link& each : links) {
    const Node& from = nodes[each.from];
    const Node& to = nodes[each.to];
    text += formatted("{},{},{},{},{},{}\n", quoted(from.name, "\"\""), from.process, quoted(to.name, "\"\""),
                      to.process, whole(each.messages), whole(each.bytes));
  }
  return text;
}

std::string CommunicationGraph::dot() const {
  constexpr double kThickest = 8;
  std::map<int, std::string> boxes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    boxes[nodes[i].process] += formatted("    n{} [label={}];\n", i, quoted(nodes[i].name, "\\\""));
  }
  std::string text = "digraph communication {\n";
  for (const auto& [process, inside] : boxes) {
    text += formatted("  subgraph cluster_{} {{\n    label=\"process {}\";\n{}  }}\n", process, process, inside);
  }
  double most = 1;
  for (const Link& each : links) most = std::max(most, each.bytes);
  for (const Link& each : links) {
    char width[32];
    std::snprintf(width, sizeof width, "%.2f", std::max(0.5, kThickest * each.bytes / most));
    text += formatted("  n{} -> n{} [penwidth={}, tooltip=\"{} messages, {} bytes\"];\n", each.from, each.to, width,
                      whole(each.messages), whole(each.bytes));
  }
  return text + "}\n";
}

}  // namespace starling::array
