// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What collections of elements that cannot be reached cost a program whose graph changes: none, such as stop the
// program, and such that go on while it does. docs/reference/array.md has the figures.
//     mpiexec -n 4 bench/array/collecting_starling [ELEMENTS [ROUNDS]]
// Elements are rings of ten, over all processes, which anchors hold. In a round a part of the rings is dropped and made
// anew, and a message goes three elements along each ring; a collection is asked for after each fifth round.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <starling/array/element.hpp>
#include <vector>

#include "timing.hpp"

namespace {

using namespace starling::array;

constexpr int kRing = 10;
constexpr int kAnchors = 100;
constexpr int kHops = 3;
constexpr int kBetweenCollections = 5;  // rounds

struct Anchor;

struct Node : Element<Node> {
  Node() = default;
  explicit Node(int next) : next_(next) {}
  void visit(int hops, const Array<Anchor>& anchors, int from);
  void count(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void references(References& holds) const { holds(array()[next_]); }
  void serialize(Archive& archive) { archive(next_); }

 private:
  int next_ = 0;
};

struct Anchor : Element<Anchor> {
  void begin(const Array<Node>& nodes, int rings) {
    nodes_ = nodes;
    for (int i = 0; i < rings; ++i) heads_.push_back(new_ring());
  }
  /// Of each 1000 rings so many are dropped.
  void round(int dropped, const Future<void>& to) {
    to_ = to;
    std::uniform_int_distribution<int> thousand(0, 999);
    for (int& each : heads_) {
      if (thousand(chance_) < dropped) each = new_ring();
    }
    left_ = static_cast<int>(heads_.size());
    for (const int each : heads_) nodes_[each].send<&Node::visit>(kHops, array(), index());
  }
  void back() {
    if (--left_ == 0) contribute(to_);
  }
  /// Of this process, summed: what it sent to others, and the messages that elements had.
  void traffic(const Future<std::vector<double>>& to) {
    std::vector<double> mine(2);
    if (index() < session().size()) {
      const Session::Counters now = session().counters();
      mine = {static_cast<double>(now.messages_sent), static_cast<double>(now.messages_delivered)};
    }
    contribute(mine, Sum{}, to);
  }
  void references(References& holds) const {
    for (const int each : heads_) holds(nodes_[each]);
  }
  void serialize(Archive&) {}

 private:
  int new_ring() {
    const int first = next_;
    next_ += kRing;
    for (int i = 0; i < kRing; ++i) {
      nodes_[name(first + i)].create_on((index() + i) % session().size(), name(first + (i + 1) % kRing));
    }
    return name(first);
  }
  int name(int number) const { return number * kAnchors + index(); }

  Array<Node> nodes_;
  std::vector<int> heads_;
  std::mt19937 chance_{static_cast<unsigned>(index())};
  int next_ = 0;
  int left_ = 0;
  Future<void> to_;
};

void Node::visit(int hops, const Array<Anchor>& anchors, int from) {
  if (hops == 0) return anchors[from].send<&Anchor::back>();
  array()[next_].send<&Node::visit>(hops - 1, anchors, from);
}

enum class Mode { kNone, kStops, kMeanwhile };

/// How long main could not go on, and what there is at the end.
struct Cost {
  std::vector<double> rounds_s;
  double total_s = 0;
  double pause_s = 0;  // the longest
  double records = 0;
  long left = 0;
};

std::vector<double> traffic_of(Session& session, const Array<Anchor>& anchors) {
  Future<std::vector<double>> counts(session);
  anchors.broadcast<&Anchor::traffic>(counts);
  return counts.get();
}

void collect(Session& session, const References& roots, Mode mode, std::vector<Future<std::size_t>>& begun) {
  if (mode == Mode::kStops) session.collect(roots);
  if (mode == Mode::kMeanwhile && (begun.empty() || begun.back().ready())) {
    begun.push_back(session.collect_meanwhile(roots));
  }
}

Cost run(Session& session, int elements, int rounds, int dropped, Mode mode) {
  Array<Node> nodes(session);
  Array<Anchor> anchors(session, kAnchors, {.home = [](int index, int ranks) { return index % ranks; }});
  Cost cost;
  session.run([&] {
    anchors.broadcast<&Anchor::begin>(nodes, elements / kRing / kAnchors);
    session.quiesce();
    References roots;
    for (int i = 0; i < kAnchors; ++i) roots(anchors[i]);
    std::vector<Future<std::size_t>> begun;
    const std::vector<double> before = traffic_of(session, anchors);
    cost.total_s = seconds_of([&] {
      for (int i = 1; i <= rounds; ++i) {
        cost.rounds_s.push_back(seconds_of([&] {
          Future<void> over(session);
          anchors.broadcast<&Anchor::round>(dropped, over);
          over.get();
        }));
        if (i % kBetweenCollections != 0) continue;
        cost.pause_s = std::max(cost.pause_s, seconds_of([&] { collect(session, roots, mode, begun); }));
      }
      session.quiesce();
    });
    cost.records = traffic_of(session, anchors)[0] - before[0];
    Future<long> count(session);
    nodes.broadcast<&Node::count>(count);
    cost.left = count.get() - elements;
    if (cost.left < 0) throw Error("elements were deleted that can be reached");
    if (mode != Mode::kNone) {  // what a last one finds is what others left: nothing is held, or all of it
      const auto deleted = static_cast<long>(session.collect(roots));
      if (deleted != cost.left) throw Error("a collection does not find what can be reached");
    }
  });
  return cost;
}

void measure(Session& session, int elements, int rounds, int dropped) {
  const char* const names[] = {"none", "stops", "meanwhile"};
  for (const Mode mode : {Mode::kNone, Mode::kStops, Mode::kMeanwhile}) {
    const Cost cost = run(session, elements, rounds, dropped, mode);
    if (session.rank() != 0) continue;
    std::printf("%7.1f  %-9s %8.3f %9.2f %9.1f %9.1f %10.0f %9ld\n", dropped / 10.0, names[static_cast<int>(mode)],
                cost.total_s, 1e3 * cost.pause_s, 1e3 * median(cost.rounds_s),
                1e3 * *std::max_element(cost.rounds_s.begin(), cost.rounds_s.end()), cost.records, cost.left);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  const int elements = argc > 1 ? std::max(1, std::atoi(argv[1]) / (kRing * kAnchors)) * kRing * kAnchors : 100000;
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 20;
  if (session.rank() == 0) {
    std::printf("%d processes, %d elements, %d rounds, a collection after each %d\n", session.size(), elements, rounds,
                kBetweenCollections);
    std::puts("dropped  collects   total s  pause ms  round ms   most ms    records      left");
  }
  for (const int dropped : {1, 10, 100}) measure(session, elements, rounds, dropped);
}
