// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Waiting within a run until whoever was created, deleted, moved or called has arrived: by main and by elements.
#include <starling/array/element.hpp>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::quiet_cases {
namespace {

using namespace starling::array;

/// A cell makes two others, and so on down to some depth; on whatever process.
struct Cell : Element<Cell> {
  Cell() = default;
  explicit Cell(int depth) { grow(depth); }
  void grow(int depth) {
    if (depth == 0) return;
    const int ranks = session().size();
    for (int child = 2 * index() + 1; child <= 2 * index() + 2; ++child) {
      array()[child].create_on(child % ranks, depth - 1);
      array()[child].send<&Cell::pass>(3);
    }
  }
  void pass(int left) {
    ++passed_;
    if (left > 0) migrate_to((rank() + 1) % session().size());
    if (left > 0) array()[index()].send<&Cell::pass>(left - 1);
  }
  void prune() { index() == 0 ? void() : destroy(); }
  void count(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void passes(const Future<long>& to) { contribute(long{passed_}, Sum{}, to); }
  Task<> season(int depth, Future<long> grown) {
    grow(depth);
    co_await session().quiet();
    array().broadcast<&Cell::passes>(grown);
  }
  Task<int> watch() {
    co_await session().quiet();
    co_return ++passed_;
  }
  void ask_for_news(Future<int> news) {
    news_ = news;
    session().when_quiet(array()[index()].to<&Cell::hear>());
    array()[index()].send<&Cell::pass>(0);
  }
  void hear() { news_.set(passed_); }
  void serialize(Archive& archive) { archive(passed_, news_); }

 private:
  int passed_ = 0;
  Future<int> news_;
};

constexpr int kDepth = 5;
constexpr long kAll = (1 << (kDepth + 1)) - 1;

CASE("main waits until all that were created, and deleted, have arrived", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 1);
  session.run([&] {
    for (int round = 0; round < 5; ++round) {
      cells[0].send<&Cell::grow>(kDepth);
      round % 2 == 0 ? session.quiesce() : session.quiet().get();
      Future<long> many(session);
      cells.broadcast<&Cell::count>(many);
      CHECK_EQ(many.get(), kAll);
      cells.broadcast<&Cell::prune>();
      round % 2 == 0 ? session.quiesce() : session.quiet().get();
      Future<long> one(session);
      cells.broadcast<&Cell::count>(one);
      CHECK_EQ(one.get(), 1);
    }
  });
}

CASE("an element waits until all that it created have arrived, with what they set in motion", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 1);
  session.run([&] {
    Future<long> grown(session);
    cells[0].send<&Cell::season>(kDepth, grown);
    CHECK_EQ(grown.get(), 4 * (kAll - 1));
  });
}

CASE("many wait, also on their own, and while main looks for the same", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 16);
  session.run([&] {
    for (int round = 0; round < 10; ++round) {
      std::vector<Future<int>> watching;
      for (int i = 0; i < 16; ++i) watching.push_back(cells[i].call<&Cell::watch>());
      if (round % 3 == 0) session.quiesce();
      for (Future<int>& each : watching) CHECK_EQ(each.get(), round + 1);
    }
    for (int i = 0; i < 16; ++i) cells[i].send<&Cell::watch>();  // the end of run() waits for them
  });
  session.run([&] { CHECK_EQ(cells[3].call<&Cell::watch>().get(), 12); });
}

CASE("a method is told when all is quiet", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 8);
  session.run([&] {
    Future<int> news(session);
    cells[7].send<&Cell::ask_for_news>(news);
    CHECK_EQ(news.get(), 1);
  });
}

}  // namespace
}  // namespace starling::tests::quiet_cases
