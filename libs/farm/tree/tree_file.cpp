// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reads a tree from TOML. A file of its own, for toml++ takes long to compile.
#include <toml++/toml.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/format.hpp"
#include "tree.hpp"

namespace starling::farm {
namespace {

class TreeFile {
 public:
  explicit TreeFile(const std::string& path) : path_(path) {}

  Tree read() {
    parse();
    check_keys(
        file_, {"root", "nodes", "inputs", "outputs", "spares", "restarts"},
        "the file has 'root', perhaps 'inputs', 'outputs', 'spares' and 'restarts', and a table [nodes.NAME] for "
        "each node");
    const toml::node* root = file_.get("root");
    if (root == nullptr || !root->is_string()) fail(file_, "no root: say root = \"NAME\" in the first line");
    nodes_ = file_.get_as<toml::table>("nodes");
    if (nodes_ == nullptr) fail(file_, "no nodes: add a table [nodes.NAME] for each");
    add(root->value<std::string>().value(), -1, *root);
    for (std::size_t at = 0; at < tree_.nodes.size(); ++at) add_children(at);
    for (const auto& [name, node] : *nodes_) {
      if (!places_.contains(std::string(name.str()))) {
        fail(node, formatted("node '{}' is nobody's child and not the root", name.str()));
      }
    }
    for (std::size_t at = 0; at < tree_.nodes.size(); ++at) add_further_parents(at);
    add_places("inputs", tree_.input_nodes);
    add_places("outputs", tree_.output_nodes);
    tree_.spares = number("spares");
    tree_.restarts = number("restarts");
    return std::move(tree_);
  }

 private:
  [[noreturn]] void fail(const toml::node& where, const std::string& cause) const {
    fail_at(where.source().begin.line, cause);
  }
  [[noreturn]] void fail_at(toml::source_index line, const std::string& cause) const {
    throw std::runtime_error(formatted("farm: {}:{}: {}", path_, line == 0 ? 1 : line, cause));
  }

  void parse() {
    try {
      file_ = toml::parse_file(path_);
    } catch (const toml::parse_error& error) {
      fail_at(error.source().begin.line, std::string(error.description()));
    }
  }

  void check_keys(const toml::table& table, const std::set<std::string>& known, const std::string& what) const {
    for (const auto& [key, value] : table) {
      if (!known.contains(std::string(key.str()))) fail(value, formatted("unknown key '{}'; {}", key.str(), what));
    }
  }

  /// Appends a node, named at `where`; it must not be there yet: that would be a cycle, or two parents.
  void add(const std::string& name, int parent, const toml::node& where) {
    const toml::table* table = nodes_->get_as<toml::table>(name);
    if (table == nullptr) fail(where, formatted("node '{}' has no table [nodes.{}]", name, name));
    if (places_.contains(name)) {
      fail(where, is_ancestor(name, parent) ? formatted("a cycle: '{}' is above this node already", name)
                                            : formatted("'{}' has two parents", name));
    }
    check_keys(*table, {"host", "threads", "children", "also_below"},
               "a node has 'host', 'threads', 'children' and 'also_below'");
    TreeNode node;
    node.name = name;
    node.parent = parent;
    if (const toml::node* host = table->get("host")) {
      if (!host->is_string()) fail(*host, "'host' wants a string");
      node.host = host->value<std::string>().value();
      node.host_line = host->source().begin.line;
    }
    if (const toml::node* threads = table->get("threads")) node.threads = number_of(*threads, "threads", -1);
    const int place = static_cast<int>(tree_.nodes.size());
    places_[name] = place;
    if (parent >= 0) tree_.nodes[static_cast<std::size_t>(parent)].children.push_back(place);
    tree_.nodes.push_back(node);
  }

  void add_children(std::size_t at) {
    const toml::table& table = *nodes_->get_as<toml::table>(tree_.nodes[at].name);
    const toml::node* children = table.get("children");
    if (children == nullptr) return;
    if (!children->is_array()) fail(*children, "'children' wants a list of names");
    for (const toml::node& child : *children->as_array()) {
      if (!child.is_string()) fail(child, "'children' wants a list of names");
      add(child.value<std::string>().value(), static_cast<int>(at), child);
    }
  }

  /// Once all nodes are there.
  void add_further_parents(std::size_t at) {
    const toml::node* names = nodes_->get_as<toml::table>(tree_.nodes[at].name)->get("also_below");
    if (names == nullptr) return;
    if (!names->is_array()) fail(*names, "'also_below' wants a list of names");
    for (const toml::node& each : *names->as_array()) {
      const std::string name = each.value<std::string>().value_or("");
      const auto found = places_.find(name);
      if (found == places_.end()) fail(each, formatted("'also_below' names '{}', which is no node", name));
      const int place = static_cast<int>(at);
      TreeNode& node = tree_.nodes[at];
      if (node.parent < 0) fail(each, "nothing is above the root");
      if (found->second == node.parent ||
          std::count(node.further_parents.begin(), node.further_parents.end(), found->second) > 0)
        fail(each, formatted("'{}' is above '{}' already", name, node.name));
      if (is_above(place, found->second)) fail(each, formatted("a cycle: '{}' is below '{}'", name, node.name));
      node.further_parents.push_back(found->second);
      tree_.nodes[static_cast<std::size_t>(found->second)].further_children.push_back(place);
    }
  }

  /// Or the same.
  bool is_above(int place, int other) const {
    if (place == other) return true;
    const TreeNode& node = tree_.nodes[static_cast<std::size_t>(other)];
    if (node.parent >= 0 && is_above(place, node.parent)) return true;
    return std::any_of(node.further_parents.begin(), node.further_parents.end(),
                       [&](int parent) { return is_above(place, parent); });
  }

  /// Where Inputs or Outputs run.
  void add_places(const char* key, std::vector<int>& places) const {
    const toml::node* names = file_.get(key);
    if (names == nullptr) return;
    if (!names->is_array() || names->as_array()->empty()) fail(*names, formatted("'{}' wants a list of names", key));
    for (const toml::node& each : *names->as_array()) {
      const std::string name = each.value<std::string>().value_or("");
      const auto found = places_.find(name);
      if (found == places_.end()) fail(each, formatted("'{}' names '{}', which is no node", key, name));
      if (std::find(places.begin(), places.end(), found->second) != places.end())
        fail(each, formatted("'{}' names '{}' twice", key, name));
      places.push_back(found->second);
    }
  }

  /// -1 where the file does not say it.
  int number(const char* key) const {
    const toml::node* value = file_.get(key);
    if (value == nullptr) return -1;
    constexpr int kMost = 1000000;
    return number_of(*value, key, 0, kMost);
  }

  int number_of(const toml::node& value, const char* key, int least, int most = std::numeric_limits<int>::max()) const {
    const std::optional<int> number = value.is_integer() ? value.value<int>() : std::nullopt;
    if (!number || *number < least || *number > most)
      fail(value, formatted("'{}' wants a number from {} on", key, least));
    return *number;
  }

  bool is_ancestor(const std::string& name, int place) const {
    for (; place >= 0; place = tree_.nodes[static_cast<std::size_t>(place)].parent) {
      if (tree_.nodes[static_cast<std::size_t>(place)].name == name) return true;
    }
    return false;
  }

  const std::string path_;
  toml::table file_;
  const toml::table* nodes_ = nullptr;
  Tree tree_;
  std::map<std::string, int> places_;
};

}  // namespace

Tree read_tree_file(const std::string& path) { return TreeFile(path).read(); }

}  // namespace starling::farm
