// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Balancing by who talks to whom: within an array, between arrays, and with main.
#include <algorithm>
#include <array>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::links_cases {
namespace {

using namespace starling::array;

/// A cell of a grid that talks to its right and its lower neighbour, in objects that are not bytes.
class Gossip : public Element<Gossip, std::array<int, 2>> {
 public:
  static constexpr int kSide = 12;
  void talk(int rounds) {
    const auto [row, column] = index();
    for (int i = 0; i < rounds; ++i) {
      if (row + 1 < kSide) array()[{row + 1, column}].send<&Gossip::hear>(rank(), std::vector<double>(16));
      if (column + 1 < kSide) array()[{row, column + 1}].send<&Gossip::hear>(rank(), std::vector<double>(16));
    }
  }
  void hear(int from, const std::vector<double>&) {
    ++heard_;
    from_others_ += from != rank() ? 1 : 0;
  }
  void count(const Future<std::vector<long>>& to) { contribute(std::vector<long>{1, heard_, from_others_}, Sum{}, to); }
  void serialize(Archive& archive) { archive(heard_, from_others_); }

 private:
  long heard_ = 0;
  long from_others_ = 0;
};

CASE("graph measures who talks to whom, and brings those together", 2, 8) {
  Session session(everybody());
  Array<Gossip> cells(session);  // at home by hash: neighbours lie anywhere
  session.run([&] {
    for (int i = 0; i < Gossip::kSide * Gossip::kSide; ++i) cells[{i / Gossip::kSide, i % Gossip::kSide}].create();
    session.quiesce();
    constexpr long kRounds = 10;
    constexpr long kAll = 2 * Gossip::kSide * (Gossip::kSide - 1) * kRounds;
    const auto talk = [&] {
      cells.broadcast<&Gossip::talk>(static_cast<int>(kRounds));
      session.quiesce();
      Future<std::vector<long>> counts(session);
      cells.broadcast<&Gossip::count>(counts);
      return counts.get();
    };
    BalanceOptions options;
    options.strategy = "graph";
    options.always = true;
    options.tolerated = 2;  // loads are as short as they are
    cells.measure(options);
    session.quiesce();
    const std::vector<long> before = talk();
    const balancing::Verdict verdict = cells.balance(options).verdict;
    CHECK_EQ(before[1], kAll);
    CHECK_EQ(verdict.messages_between_before, static_cast<double>(before[2]));
    const double bytes_each = verdict.bytes_between_before / verdict.messages_between_before;
    CHECK(bytes_each >= 16 * sizeof(double));
    CHECK_EQ(verdict.bytes_between_after, bytes_each * verdict.messages_between_after);
    CHECK(verdict.messages_between_after < 0.7 * verdict.messages_between_before);
    const std::vector<long> after = talk();
    CHECK_EQ(after[0], long{Gossip::kSide * Gossip::kSide});
    CHECK_EQ(after[1], 2 * kAll);
    CHECK_EQ(static_cast<double>(after[2] - before[2]), verdict.messages_between_after);
    cells.measure(false);
  });
}

/// Answers its namesake, which lies anywhere else.
class Oracle : public Element<Oracle> {
 public:
  std::vector<double> ask(const std::vector<double>& question) {
    ++asked_;
    return question;
  }
  void tell(int) {}
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> at(kCount);
    at[static_cast<std::size_t>(index())] = rank();
    contribute(at, Sum{}, to);
  }
  void serialize(Archive& archive) { archive(asked_); }
  static constexpr int kCount = 64;

 private:
  long asked_ = 0;
};

class Asker : public Element<Asker> {
 public:
  Task<> go(Array<Oracle> oracles, int rounds, Future<void> done) {
    for (int i = 0; i < rounds; ++i) {
      const std::vector<double> answer = co_await oracles[index()].call<&Oracle::ask>(std::vector<double>(16));
      answered_ += static_cast<int>(answer.size());
    }
    contribute(done);
  }
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> at(Oracle::kCount);
    at[static_cast<std::size_t>(index())] = rank();
    contribute(at, Sum{}, to);
  }
  void serialize(Archive& archive) { archive(answered_); }

 private:
  int answered_ = 0;
};

template <class T>
std::vector<int> places_of(Session& session, const Array<T>& array) {
  Future<std::vector<int>> places(session);
  array.template broadcast<&T::where>(places);
  return places.get();
}

/// How many lie elsewhere than their namesakes.
int apart(const std::vector<int>& some, const std::vector<int>& others) {
  int count = 0;
  for (std::size_t i = 0; i < some.size(); ++i) count += some[i] != others[i] ? 1 : 0;
  return count;
}

CASE("graph brings elements to those of another array that they call, and these to their callers", 2, 8) {
  Session session(everybody());
  Array<Asker> askers(session, Oracle::kCount);
  Array<Oracle> oracles(session);  // at home by hash
  session.run([&] {
    for (int i = 0; i < Oracle::kCount; ++i) oracles[i].create();
    session.quiesce();
    BalanceOptions options;
    options.strategy = "graph";
    options.always = true;
    options.tolerated = 2;  // loads are as short as they are
    askers.measure(options);
    oracles.measure(options);
    session.quiesce();
    constexpr int kRounds = 5;
    Future<void> done(session);
    askers.broadcast<&Asker::go>(oracles, kRounds, done);
    done.get();
    session.quiesce();
    const int before = apart(places_of(session, askers), places_of(session, oracles));
    options.always = false;
    options.cost_of_move_s = 1;  // not worth it: only to hear what each array knows
    const balancing::Verdict asking = askers.balance(options).verdict;
    options.always = true;
    const balancing::Verdict verdict = oracles.balance(options).verdict;
    for (const balancing::Verdict& each : {asking, verdict}) {
      CHECK_EQ(each.messages_between_before, 2.0 * kRounds * before);
      CHECK_EQ(each.bytes_between_before, each.messages_between_before * (sizeof(std::uint64_t) + 16 * 8));
    }
    const int after = apart(places_of(session, askers), places_of(session, oracles));
    CHECK_EQ(verdict.messages_between_after, 2.0 * kRounds * after);
    CHECK(after < before);
    askers.measure(false);
    oracles.measure(false);
  });
}

CASE("graph counts what main sends, and what it is answered, as sent from process 0", 2, 4) {
  Session session(everybody());
  Array<Oracle> oracles(session, Oracle::kCount);
  session.run([&] {
    BalanceOptions options;
    options.strategy = "graph";
    options.cost_of_move_s = 1;  // stays as it is
    oracles.measure(options);
    session.quiesce();
    for (int i = 0; i < Oracle::kCount; ++i) oracles[i].send<&Oracle::tell>(i);
    for (int i = 0; i < Oracle::kCount; ++i) oracles[i].call<&Oracle::ask>(std::vector<double>(16)).get();
    session.quiesce();
    const double elsewhere = apart(places_of(session, oracles), std::vector<int>(Oracle::kCount));
    const balancing::Verdict verdict = oracles.balance(options).verdict;
    CHECK(elsewhere > 0);
    CHECK_EQ(verdict.messages_between_before, 3 * elsewhere);
    CHECK_EQ(verdict.bytes_between_before, (sizeof(int) + 2 * (sizeof(std::uint64_t) + 16 * 8)) * elsewhere);
    const balancing::Verdict silence = oracles.balance(options).verdict;  // each step counts from zero
    CHECK_EQ(silence.messages_between_before, 0.0);
    oracles.measure(false);
  });
}

struct Teller : Element<Teller, std::string> {
  void tell(const std::string& to, int times) {
    for (int i = 0; i < times; ++i) array()[to].send<&Teller::hear>(i);
  }
  void hear(int) {}
  void serialize(Archive& /*archive*/) {}
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

CASE("the graph of communication names who sent what to whom, as a table and for Graphviz", 1, 4) {
  Session session(everybody());
  Array<Teller> tellers(session, {.home = [](const std::string& name, int ranks) { return name[0] % ranks; }});
  session.run([&] {
    for (const char* name : {"a", "b", "c \"the third\""}) tellers[name].create();
    session.quiesce();
    tellers.measure({.strategy = "graph"});
    session.quiesce();
    tellers["a"].send<&Teller::tell>("b", 5);
    tellers["c \"the third\""].send<&Teller::tell>("a", 2);
    session.quiesce();
    const CommunicationGraph graph = tellers.communication();
    const auto number = [&](const char* name) {
      const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                   [&](const CommunicationGraph::Node& each) { return has(each.name, name); });
      return static_cast<std::uint32_t>(at - graph.nodes.begin());
    };
    const std::uint32_t a = number("a");
    const std::uint32_t b = number("b");
    const std::uint32_t c = number("third");
    if (!CHECK(a < graph.nodes.size() && b < graph.nodes.size() && c < graph.nodes.size())) return;
    CHECK_EQ(graph.nodes[b].process, 'b' % world.size);
    int found = 0;
    for (const CommunicationGraph::Link& each : graph.links) {
      if (each.from == a && each.to == b) found += each.messages == 5 && each.bytes > 0 ? 1 : 100;
      if (each.from == c && each.to == a) found += each.messages == 2 ? 10 : 100;
      if (each.from == b) found += 100;
    }
    CHECK_EQ(found, 11);
    CHECK(graph.csv().starts_with("from,from_process,to,to_process,messages,bytes\n"));
    CHECK(has(graph.csv(), "\"," + std::to_string('b' % world.size) + ",5,"));
    CHECK(has(graph.csv(), "\"\"the third\"\""));
    CHECK(has(graph.dot(), "subgraph cluster_" + std::to_string('b' % world.size)));
    CHECK(has(graph.dot(), "\\\"the third\\\""));
    CHECK(has(graph.dot(), "n" + std::to_string(a) + " -> n" + std::to_string(b) + " [penwidth="));
    CHECK(has(graph.dot(), "tooltip=\"5 messages"));
    CHECK(tellers.communication().links.empty());  // as with a step, it counts from zero again
  });
}

}  // namespace
}  // namespace starling::tests::links_cases
