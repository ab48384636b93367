// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tree.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/format.hpp"

namespace starling::farm {
namespace {

void attach(Tree& tree, int child, int parent) {
  tree.nodes[static_cast<std::size_t>(child)].parent = parent;
  tree.nodes[static_cast<std::size_t>(parent)].children.push_back(child);
}

/// A rank that is free and on this host; -1 if there is none.
int free_rank(const std::vector<std::string>& hosts, const std::vector<int>& used, const std::string& host) {
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const bool here = host.empty() || hosts[rank] == host;
    if (here && std::find(used.begin(), used.end(), static_cast<int>(rank)) == used.end())
      return static_cast<int>(rank);
  }
  return -1;
}

/// The rank of each node: those with a host choose first.
std::vector<int> choose_ranks(const Tree& tree, const std::vector<std::string>& hosts, const std::string& path) {
  std::vector<int> ranks(tree.nodes.size(), -1);
  for (const bool with_host : {true, false}) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const TreeNode& node = tree.nodes[i];
      if (node.host.empty() == with_host) continue;
      ranks[i] = free_rank(hosts, ranks, node.host);
      if (ranks[i] >= 0) continue;
      throw std::runtime_error(formatted(
          "farm: {}:{}: node '{}' wants host '{}', where this job has no process left; start one there or take the "
          "line out",
          path, node.host_line, node.name, node.host));
    }
  }
  return ranks;
}

}  // namespace

int Tree::root() const {
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    if (nodes[rank].parent == -1) return static_cast<int>(rank);
  }
  return -1;
}

std::vector<int> Tree::ancestors(int rank) const {
  std::vector<int> path;
  for (int at = nodes[static_cast<std::size_t>(rank)].parent; at >= 0;
       at = nodes[static_cast<std::size_t>(at)].parent) {
    path.push_back(at);
  }
  return path;
}

std::optional<Place> Tree::place_of(int rank, const std::vector<int>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == rank) return Place{rank, static_cast<int>(i), static_cast<int>(ranks.size())};
  }
  return std::nullopt;
}

void put_inputs_and_outputs(Tree& tree, const Options& options) {
  const auto put = [&](const std::vector<int>& ranks, const char* option, std::vector<int>& nodes) {
    if (ranks.empty()) return;
    const std::set<int> unlike(ranks.begin(), ranks.end());
    if (*unlike.begin() < 0 || *unlike.rbegin() >= static_cast<int>(tree.nodes.size()) ||
        unlike.size() < ranks.size()) {
      throw std::invalid_argument(
          formatted("farm: --farm-{} wants different ranks from 0 to {}", option, tree.nodes.size() - 1));
    }
    nodes = ranks;
  };
  put(options.inputs, "inputs", tree.input_nodes);
  put(options.outputs, "outputs", tree.output_nodes);
}

void set_spares(Tree& tree, const Options& options, std::size_t processes) {
  if (tree.spares < 0) tree.spares = options.spares;
  if (tree.restarts < 0) tree.restarts = options.restarts;
  if (static_cast<std::size_t>(tree.spares) < processes) return;
  throw std::invalid_argument(
      formatted("farm: {} of {} processes shall be spares, so none is left to begin with", tree.spares, processes));
}

Tree default_tree(const std::vector<std::string>& hosts) {
  Tree tree;
  tree.spares = tree.restarts = -1;
  tree.nodes.resize(hosts.size());
  std::vector<int> relays;
  for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
    const std::string& host = hosts[static_cast<std::size_t>(rank)];
    tree.nodes[static_cast<std::size_t>(rank)].name = formatted("{}:{}", host, rank);
    const auto relay = std::find_if(relays.begin(), relays.end(),
                                    [&](int other) { return hosts[static_cast<std::size_t>(other)] == host; });
    if (relay != relays.end()) {
      attach(tree, rank, *relay);
    } else {
      if (!relays.empty()) attach(tree, rank, relays[(relays.size() - 1) / 2]);
      relays.push_back(rank);
    }
  }
  return tree;
}

void count_sharers(Tree& tree, const std::vector<std::string>& hosts, bool root_calculates) {
  std::map<std::string, int> on_host;
  const int root = tree.root();
  for (std::size_t rank = 0; rank < tree.nodes.size(); ++rank) {
    int& known = on_host[hosts[rank]];
    tree.nodes[rank].sharers_before = known;
    known += root_calculates || static_cast<int>(rank) != root ? 1 : 0;
  }
  for (std::size_t rank = 0; rank < tree.nodes.size(); ++rank) tree.nodes[rank].sharers = on_host[hosts[rank]];
}

Tree part_of(const Tree& tree, int rank) {
  Tree part;
  part.nodes.resize(tree.nodes.size());
  for (TreeNode& node : part.nodes) node.parent = TreeNode::kNotHere;
  part.input_nodes = tree.input_nodes;
  part.output_nodes = tree.output_nodes;
  part.spares = tree.spares;
  part.restarts = tree.restarts;
  const auto add = [&](int which) -> TreeNode& {
    return part.nodes[static_cast<std::size_t>(which)] = tree.nodes[static_cast<std::size_t>(which)];
  };
  /// What leads up from there, of which nobody here needs to know what else is below it.
  const auto add_way = [&](int from) {
    for (int at = from; at >= 0; at = tree.nodes[static_cast<std::size_t>(at)].parent) {
      if (part.nodes[static_cast<std::size_t>(at)].parent != TreeNode::kNotHere) continue;
      TreeNode& node = add(at);
      node.children.clear();
      node.further_children.clear();
    }
  };
  std::vector<int> below{rank};
  for (std::size_t at = 0; at < below.size(); ++at) {
    const TreeNode& node = add(below[at]);
    below.insert(below.end(), node.children.begin(), node.children.end());
  }
  add_way(tree.nodes[static_cast<std::size_t>(rank)].parent);
  for (const int one : below) {
    for (const int parent : tree.nodes[static_cast<std::size_t>(one)].further_parents) add_way(parent);
    for (const int child : tree.nodes[static_cast<std::size_t>(one)].further_children) add_way(child);
  }
  return part;
}

namespace {

void write(std::ostream& out, const std::vector<int>& numbers) {
  out << numbers.size() << ' ';
  for (const int number : numbers) out << number << ' ';
}
void write(std::ostream& out, const std::string& text) { out << text.size() << ' ' << text << ' '; }

std::vector<int> read_numbers(std::istream& in) {
  std::size_t count = 0;
  in >> count;
  std::vector<int> numbers;
  for (int number = 0; numbers.size() < count && in >> number;) numbers.push_back(number);
  return numbers;
}
std::string read_text(std::istream& in) {
  std::size_t size = 0;
  in >> size;
  in.get();
  std::string text;
  for (char letter = 0; text.size() < size && in.get(letter);) text.push_back(letter);
  return text;
}

}  // namespace

std::string text_of(const Tree& tree) {
  std::ostringstream out;
  write(out, tree.input_nodes);
  write(out, tree.output_nodes);
  out << tree.spares << ' ' << tree.restarts << ' ' << tree.nodes.size() << ' ';
  for (std::size_t rank = 0; rank < tree.nodes.size(); ++rank) {
    const TreeNode& node = tree.nodes[rank];
    if (node.parent == TreeNode::kNotHere) continue;
    out << rank << ' ' << node.parent << ' ' << node.threads << ' ' << node.host_line << ' ' << node.sharers << ' '
        << node.sharers_before << ' ';
    write(out, node.children);
    write(out, node.further_parents);
    write(out, node.further_children);
    write(out, node.name);
    write(out, node.host);
  }
  return out.str();
}

Tree tree_of_text(const std::string& text) {
  std::istringstream in(text);
  Tree tree;
  tree.input_nodes = read_numbers(in);
  tree.output_nodes = read_numbers(in);
  std::size_t count = 0;
  in >> tree.spares >> tree.restarts >> count;
  tree.nodes.resize(count);
  for (TreeNode& node : tree.nodes) node.parent = TreeNode::kNotHere;
  for (std::size_t rank = 0; in >> rank && rank < count;) {
    TreeNode& node = tree.nodes[rank];
    in >> node.parent >> node.threads >> node.host_line >> node.sharers >> node.sharers_before;
    node.children = read_numbers(in);
    node.further_parents = read_numbers(in);
    node.further_children = read_numbers(in);
    node.name = read_text(in);
    node.host = read_text(in);
  }
  return tree;
}

Tree place_tree(const Tree& tree, const std::vector<std::string>& hosts, const std::string& path) {
  if (tree.nodes.size() != hosts.size()) {
    throw std::runtime_error(formatted(
        "farm: {} has {} nodes and the job has {} processes{}; start as many, or one, which starts the others", path,
        tree.nodes.size(), hosts.size(), tree.spares > 0 ? " that are no spares" : ""));
  }
  const std::vector<int> ranks = choose_ranks(tree, hosts, path);
  Tree placed;
  placed.nodes.resize(hosts.size());
  placed.spares = tree.spares;
  placed.restarts = tree.restarts;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    TreeNode node = tree.nodes[i];
    if (node.parent >= 0) node.parent = ranks[static_cast<std::size_t>(node.parent)];
    for (std::vector<int>* const others : {&node.children, &node.further_parents, &node.further_children}) {
      for (int& other : *others) other = ranks[static_cast<std::size_t>(other)];
    }
    placed.nodes[static_cast<std::size_t>(ranks[i])] = std::move(node);
  }
  for (const int node : tree.input_nodes) placed.input_nodes.push_back(ranks[static_cast<std::size_t>(node)]);
  for (const int node : tree.output_nodes) placed.output_nodes.push_back(ranks[static_cast<std::size_t>(node)]);
  return placed;
}

}  // namespace starling::farm
