// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first search on a Kronecker graph as Graph500 makes it: an element is a block of vertices with their edges;
// it sends the other blocks, each once a level, the vertices that it reaches there. Searches from random roots, checks
// each tree of parents by the five rules of the specification, and exits with 1 if one is broken.
//     mpiexec -n 4 array_bfs [scale] [blocks] [roots]          2^scale vertices, 16 edges each
// Source: Graph500 benchmark specification 3.0: the generator with 0.57, 0.19, 0.19 and permuted vertices; the choice
// of roots; validation; edges traversed per second. Its timing is not followed to the letter: the graph's making is not
// timed, and there are fewer than 64 roots.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <set>
#include <starling/array/element.hpp>
#include <vector>

using namespace starling::array;

namespace {

using Vertex = std::int64_t;
constexpr int kEdgesEach = 16;

struct Edge {
  Vertex from;
  Vertex to;
  int level;  // of `from`, -1 if it was not reached; not used while the graph is made
};
using Edges = std::vector<Edge>;

/// Another number below 2^scale for each: the vertices with many edges are scattered.
Vertex permuted(Vertex vertex, int scale) {
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  auto bits = static_cast<std::uint64_t>(vertex);
  for (int round = 0; round < 3; ++round) {
    bits = (bits * 0x9E3779B97F4A7C15 + 0x632BE5AB) & mask;  // odd factors and shifts to the right can be undone
    bits ^= bits >> (scale / 2 + 1);
  }
  return static_cast<Vertex>(bits);
}

/// The part-th of parts shares of the graph's edges. The graph depends on the scale only.
Edges generate(int scale, int part, int parts) {
  const Vertex vertices = Vertex{1} << scale;
  std::uniform_real_distribution<double> unit(0, 1);
  Edges edges;
  for (Vertex group = vertices * part / parts; group < vertices * (part + 1) / parts; ++group) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(group) * 1000003 + 1);
    for (int i = 0; i < kEdgesEach; ++i) {
      Edge edge{0, 0, 0};
      for (int bit = 0; bit < scale; ++bit) {
        const double where = unit(chance);
        const bool down = where >= 0.57 + 0.19;
        const bool right = down ? where >= 0.57 + 0.19 + 0.19 : where >= 0.57;
        edge.from = 2 * edge.from + (down ? 1 : 0);
        edge.to = 2 * edge.to + (right ? 1 : 0);
      }
      edges.push_back({permuted(edge.from, scale), permuted(edge.to, scale), 0});
    }
  }
  return edges;
}

class Block : public Element<Block> {
 public:
  void begin(int scale, int blocks) {
    scale_ = scale;
    blocks_ = blocks;
    each_ = ((Vertex{1} << scale) + blocks - 1) / blocks;
    neighbours_.resize(static_cast<std::size_t>(each_));
  }
  /// Makes its share of edges and sends each to the blocks of its ends.
  void make_edges() {
    Outgoing out = outgoing();
    for (const Edge& edge : generate(scale_, index(), blocks_)) {
      out[block_of(edge.from)].push_back(edge);
      out[block_of(edge.to)].push_back({edge.to, edge.from, 0});
    }
    send<&Block::take>(out);
  }
  void take(const Edges& edges) {
    for (const Edge& edge : edges) neighbours_[place(edge.from)].push_back(edge.to);
  }
  /// Edges to other vertices.
  long degree(Vertex vertex) {
    long count = 0;
    for (const Vertex each : neighbours_[place(vertex)]) count += each == vertex ? 0 : 1;
    return count;
  }

  void start_at(Vertex root) {
    parents_.assign(static_cast<std::size_t>(each_), -1);
    levels_.assign(static_cast<std::size_t>(each_), -1);
    confirmed_.assign(static_cast<std::size_t>(each_), 0);
    if (block_of(root) != static_cast<std::size_t>(index())) return;
    parents_[place(root)] = root;
    levels_[place(root)] = 0;
    confirmed_[place(root)] = 1;
    frontiers_[0].push_back(root);
  }
  /// Sends on from the vertices of a level.
  void search(int level, const Future<long>& reached) {
    std::vector<Vertex>& frontier = frontiers_[level & 1];
    Outgoing out = outgoing();
    for (const Vertex from : frontier) {
      for (const Vertex to : neighbours_[place(from)]) out[block_of(to)].push_back({from, to, level});
    }
    contribute(static_cast<long>(frontier.size()), Sum{}, reached);
    frontier.clear();
    send<&Block::visit>(out);
  }
  /// May come before this block searches the level that it comes from: then there are two frontiers.
  void visit(const Edges& edges) {
    for (const Edge& edge : edges) {
      if (parents_[place(edge.to)] >= 0) continue;
      parents_[place(edge.to)] = edge.from;
      levels_[place(edge.to)] = edge.level + 1;
      frontiers_[(edge.level + 1) & 1].push_back(edge.to);
    }
  }

  /// Tells the other end of each edge its level.
  void show_levels() {
    Outgoing out = outgoing();
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      const Vertex from = index() * each_ + static_cast<Vertex>(i);
      for (const Vertex to : neighbours_[i]) out[block_of(to)].push_back({from, to, levels_[i]});
    }
    send<&Block::compare>(out);
  }
  void compare(const Edges& edges) {
    for (const Edge& edge : edges) {
      const int mine = levels_[place(edge.to)];
      // Rules 3 and 4: no edge leads out of the tree, none spans more than a level.
      const bool is_wrong = (mine < 0) != (edge.level < 0) || std::abs(mine - edge.level) > 1;
      wrong_ += is_wrong ? 1 : 0;
      // Rules 2 and 5: there is an edge to the parent, which is one level nearer to the root. As that holds up to the
      // root, there is no circle: rule 1.
      if (parents_[place(edge.to)] == edge.from && edge.level == mine - 1) confirmed_[place(edge.to)] = 1;
    }
  }
  /// Broken rules, and edges within the tree.
  void judge(const Future<std::vector<long>>& verdict) {
    long ends = 0;
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      wrong_ += (parents_[i] >= 0) == (confirmed_[i] != 0) ? 0 : 1;
      ends += parents_[i] >= 0 ? static_cast<long>(neighbours_[i].size()) : 0;
    }
    contribute(std::vector<long>{wrong_, ends}, Sum{}, verdict);
    wrong_ = 0;
  }

  void serialize(Archive& archive) {
    archive(scale_, blocks_, each_, neighbours_, parents_, levels_, confirmed_, frontiers_[0], frontiers_[1], wrong_);
  }

 private:
  using Outgoing = std::vector<Edges>;  // one for each block

  std::size_t block_of(Vertex vertex) const { return static_cast<std::size_t>(vertex / each_); }
  std::size_t place(Vertex vertex) const { return static_cast<std::size_t>(vertex % each_); }
  Outgoing outgoing() const { return Outgoing(static_cast<std::size_t>(blocks_)); }
  template <auto M>
  void send(const Outgoing& out) const {
    for (int to = 0; to < blocks_; ++to) {
      const Edges& edges = out[static_cast<std::size_t>(to)];
      if (!edges.empty()) array()[to].send<M>(edges);
    }
  }

  int scale_ = 0;
  int blocks_ = 0;
  Vertex each_ = 1;
  std::vector<std::vector<Vertex>> neighbours_;
  std::vector<Vertex> parents_;
  std::vector<int> levels_;
  std::vector<char> confirmed_;       // the parent is right
  std::vector<Vertex> frontiers_[2];  // of even and odd levels
  long wrong_ = 0;
};

/// Since some moment.
double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Searches from one root; adds the seconds for an edge to `inverse`. Returns the number of broken rules.
long search(Session& session, const Array<Block>& all, Vertex root, double& inverse) {
  all.broadcast<&Block::start_at>(root);
  session.quiesce();
  const double begin_s = seconds();
  long reached = 0;
  int level = 0;
  for (;; ++level) {
    Future<long> counted(session);
    all.broadcast<&Block::search>(level, counted);
    const long now = counted.get();
    if (now == 0) break;
    reached += now;
    session.quiesce();
  }
  const double took_s = seconds() - begin_s;
  all.broadcast<&Block::show_levels>();
  session.quiesce();
  Future<std::vector<long>> verdict(session);
  all.broadcast<&Block::judge>(verdict);
  const std::vector<long> found = verdict.get();
  const double edges = static_cast<double>(found[1]) / 2;
  inverse += took_s / edges;
  std::printf("from %ld: %ld vertices in %d levels, %.0f edges, %.2f million edges a second, %ld rules broken\n",
              static_cast<long>(root), reached, level, edges, edges / took_s * 1e-6, found[0]);
  return found[0];
}

}  // namespace

int main(int argc, char** argv) {
  const int scale = argc > 1 ? std::atoi(argv[1]) : 12;
  const int blocks = argc > 2 ? std::atoi(argv[2]) : 32;
  const int roots = argc > 3 ? std::atoi(argv[3]) : 8;
  if (scale < 2 || scale > 28 || blocks < 1 || roots < 1 || roots > 1 << (scale - 2)) {
    std::fprintf(stderr, "usage: array_bfs [scale, 2 to 28] [blocks] [roots, up to a quarter of the vertices]\n");
    return 2;
  }
  try {
    Session session(argc, argv);
    Array<Block> all(session, blocks);
    long wrong = 0;
    session.run([&] {
      all.broadcast<&Block::begin>(scale, blocks);
      session.quiesce();
      all.broadcast<&Block::make_edges>();
      session.quiesce();
      const Vertex each = ((Vertex{1} << scale) + blocks - 1) / blocks;
      std::mt19937_64 chance(500);
      std::set<Vertex> done;
      double inverse = 0;
      while (done.size() < static_cast<std::size_t>(roots)) {
        const auto root = static_cast<Vertex>(chance() >> (64 - scale));
        if (done.count(root) != 0 || all[static_cast<int>(root / each)].call<&Block::degree>(root).get() == 0) continue;
        done.insert(root);
        wrong += search(session, all, root, inverse);
      }
      std::printf("harmonic mean %.2f million edges a second, %ld rules broken\n", roots / inverse * 1e-6, wrong);
    });
    return wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bfs: %s\n", error.what());
    std::_Exit(3);
  }
}
