// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Elements: created, called, moved and deleted, and messages that find them meanwhile.
#include <memory>
#include <numeric>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::elements_cases {
namespace {

using namespace starling::array;

class Cell : public Element<Cell> {
 public:
  Cell() = default;
  explicit Cell(int value) : value_(value) {}
  Cell(std::string text, int value) : value_(value), text_(std::move(text)) {}

  void add(int more) { value_ += more; }
  void append(const std::string& more) { text_ += more; }
  int value() const { return value_; }
  std::string text() const { return text_; }
  int where() const { return rank(); }
  void note(int what) { notes_.push_back(what); }
  std::vector<int> notes() { return notes_; }
  void move(int to) { migrate_to(to); }
  void end() { destroy(); }
  void create_other(int index, int rank) { array()[index].create_on(rank, index * 10); }
  void tell(int other, int what) { array()[other].send<&Cell::note>(what); }
  void tell_urgently(int what) {
    array()[index()].at_priority(5).send<&Cell::note>(what + 3);
    array()[index()].send<&Cell::note>(what + 2);
    array()[index()].at_priority(-5).send<&Cell::note>(what + 1);
    array()[index()].at_priority(-7).send<&Cell::note>(what);
  }
  void serialize(Archive& archive) { archive(value_, text_, notes_); }

 private:
  int value_ = 0;
  std::string text_;
  std::vector<int> notes_;
};

CASE("elements are made where it is asked, keep what they are given and answer from there", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session);
  session.run([&] {
    for (int i = 0; i < 20; ++i) cells[i].create_on(i % world.size, "cell ", i);
    for (int i = 0; i < 20; ++i) {
      cells[i].send<&Cell::append>(std::to_string(i));
      CHECK_EQ(cells[i].call<&Cell::text>().get(), "cell " + std::to_string(i));
      CHECK_EQ(cells[i].call<&Cell::where>().get(), i % world.size);
    }
  });
}

CASE("a message waits for an element that does not exist yet", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session);
  session.run([&] {
    for (int i = 0; i < 10; ++i) cells[i].send<&Cell::add>(5);
    session.quiesce();
    for (int i = 0; i < 10; ++i) cells[i].create_on((i + 1) % world.size, i);
    for (int i = 0; i < 10; ++i) CHECK_EQ(cells[i].call<&Cell::value>().get(), i + 5);
  });
}

CASE("messages find an element that moves, and nothing is lost", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 8);
  session.run([&] {
    for (int round = 0; round < 50; ++round) {
      for (int i = 0; i < 8; ++i) {
        if ((round + i) % 3 == 0) cells[i].migrate_to((round * 7 + i) % world.size);
        cells[i].send<&Cell::add>(1);
        cells[i].send<&Cell::append>("x");
        if ((round + i) % 5 == 0) cells[i].send<&Cell::move>((round + i) % world.size);
      }
    }
    session.quiesce();
    for (int i = 0; i < 8; ++i) {
      CHECK_EQ(cells[i].call<&Cell::value>().get(), 50);
      CHECK_EQ(cells[i].call<&Cell::text>().get(), std::string(50, 'x'));
    }
  });
}

CASE("the steady state is one hop: the way is learned from the first message", 2, 8) {
  Session session(everybody());
  Array<Cell> cells(session);
  session.run([&] {
    for (int i = 0; i < 16; ++i) cells[i].create_on(1, 0);
    for (int i = 0; i < 16; ++i) cells[i].migrate_to(world.size - 1);
    session.quiesce();
    for (int i = 0; i < 16; ++i) CHECK_EQ(cells[i].call<&Cell::where>().get(), world.size - 1);
  });
  const std::uint64_t before = session.counters().messages_forwarded;
  session.run([&] {
    for (int i = 0; i < 16; ++i) cells[i].send<&Cell::add>(1);
  });
  CHECK_EQ(session.counters().messages_forwarded, before);
}

CASE("an index is free again once its element is deleted", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session);
  session.run([&] {
    for (int life = 0; life < 5; ++life) {
      for (int i = 0; i < 10; ++i) cells[i].create_on((i + life) % world.size, life);
      session.quiesce();
      for (int i = 0; i < 10; ++i) CHECK_EQ(cells[i].call<&Cell::value>().get(), life);
      for (int i = 0; i < 10; ++i) {
        if (i % 2 == 0) cells[i].destroy();
        if (i % 2 == 1) cells[i].send<&Cell::end>();
      }
      session.quiesce();
    }
  });
}

CASE("a deletion waits for what its sender sent before it", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 4 * world.size);
  session.run([&] {
    std::vector<Future<int>> values;
    for (int i = 0; i < 4 * world.size; ++i) {
      if (i % 2 == 0) {
        cells[i].send<&Cell::add>(i);
        values.push_back(cells[i].call<&Cell::value>());
      }
      cells[i].destroy();
    }
    for (int i = 0; i < 4 * world.size; i += 2) CHECK_EQ(values[static_cast<std::size_t>(i / 2)].get(), i);
    session.quiesce();
    for (int i = 0; i < 4 * world.size; ++i) cells[i].create(i);  // an error if it still lived
    for (int i = 0; i < 4 * world.size; ++i) CHECK_EQ(cells[i].call<&Cell::value>().get(), i);
  });
}

CASE("an element creates others anywhere", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 4);
  session.run([&] {
    for (int i = 0; i < 4; ++i) cells[i].send<&Cell::create_other>(100 + i, (i + 1) % world.size);
    for (int i = 0; i < 4; ++i) CHECK_EQ(cells[100 + i].call<&Cell::value>().get(), 1000 + 10 * i);
  });
}

CASE("urgent messages overtake, leisurely ones fall back", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 3);
  session.run([&] {
    cells[2].send<&Cell::tell_urgently>(40);
    session.quiesce();
    CHECK(cells[2].call<&Cell::notes>().get() == std::vector<int>({40, 41, 42, 43}));
  });
}

CASE("messages of one process to an element that stays arrive in order, large ones among them", 1, 8) {
  struct Listener : Element<Listener> {
    int expected = 0;
    int wrong = 0;
    void take(int number, const std::vector<int>& data) {
      wrong += number == expected++ ? 0 : 1;
      for (const int each : data) wrong += each == number ? 0 : 1;
    }
    int mistakes() { return wrong + (expected == 60 ? 0 : 1000); }
    void serialize(Archive& archive) { archive(expected, wrong); }
  };
  Session session(everybody());
  Array<Listener> listeners(session, 8);
  session.run([&] {
    for (int i = 0; i < 60; ++i) {
      const std::vector<int> data(i % 7 == 3 ? 100000u : static_cast<unsigned>(i), i);
      for (int j = 0; j < 8; ++j) listeners[j].send<&Listener::take>(i, data);
    }
    for (int j = 0; j < 8; ++j) CHECK_EQ(listeners[j].call<&Listener::mistakes>().get(), 0);
  });
}

CASE("a large element moves whole, again and again", 2, 8) {
  struct Heavy : Element<Heavy> {
    std::vector<double> data;
    void fill(int count) {
      data.resize(static_cast<std::size_t>(count));
      std::iota(data.begin(), data.end(), index());
    }
    void hop(int times) {
      if (times == 0) return;
      migrate_to((rank() + 1) % session().size());
      array()[index()].send<&Heavy::hop>(times - 1);
    }
    bool whole(int count) {
      if (data.size() != static_cast<std::size_t>(count)) return false;
      for (std::size_t i = 0; i < data.size(); ++i) {
        if (data[i] != static_cast<double>(i) + index()) return false;
      }
      return true;
    }
    void serialize(Archive& archive) { archive(data); }
  };
  Session session(everybody());
  Array<Heavy> heavy(session, 6);
  session.run([&] {
    heavy.broadcast<&Heavy::fill>(50000);
    for (int i = 0; i < 6; ++i) heavy[i].send<&Heavy::hop>(10);
    session.quiesce();
    for (int i = 0; i < 6; ++i) CHECK(heavy[i].call<&Heavy::whole>(50000).get());
  });
}

CASE("arguments are moved, not copied, where the element is in the same process", 1, 1) {
  struct Keeper : Element<Keeper> {
    std::vector<int> kept;
    void keep(std::vector<int> values) { kept = std::move(values); }
    std::uintptr_t where_kept() { return reinterpret_cast<std::uintptr_t>(kept.data()); }
  };
  Session session(everybody());
  Array<Keeper> keepers(session, 1);
  session.run([&] {
    std::vector<int> values(1000, 7);
    const auto at = reinterpret_cast<std::uintptr_t>(values.data());
    keepers[0].send<&Keeper::keep>(std::move(values));
    CHECK_EQ(keepers[0].call<&Keeper::where_kept>().get(), at);
  });
}

class Asker : public Element<Asker> {
 public:
  int value() { return 10 * index(); }
  Task<int> sum_of_others(int count) {
    int total = 0;
    for (int i = 0; i < count; ++i) total += co_await array()[i].call<&Asker::value>();
    co_return total;
  }
  Task<> pass_on(Future<std::string> to) {
    const int total = co_await array()[index()].call<&Asker::sum_of_others>(3);
    to.set("total " + std::to_string(total));
  }
  Task<> fails() {
    co_await array()[0].call<&Asker::value>();
    throw std::runtime_error("as was asked");
  }
};

CASE("a method that is a coroutine awaits what others answer, and answers itself", 1, 8) {
  Session session(everybody());
  Array<Asker> askers(session, 6);
  session.run([&] {
    for (int i = 0; i < 6; ++i) CHECK_EQ(askers[i].call<&Asker::sum_of_others>(6).get(), 150);
    Future<std::string> to(session);
    askers[5].send<&Asker::pass_on>(to);
    askers[5].migrate_to(0);  // not before the coroutine ends
    CHECK_EQ(to.get(), "total 30");
  });
}

CASE("the exception of a coroutine is told with the element's name", 1, 1) {
  Session session(everybody());
  Array<Asker> askers(session, 2);
  std::string text;
  session.on_error([&](const std::string& error) { text += error; });
  session.run([&] { askers[1].send<&Asker::fails>(); });
  CHECK(text.find("element 1 of array 0") != std::string::npos && text.find("as was asked") != std::string::npos);
}

CASE("a restless session moves every element after each method, and results stay the same", 1, 8) {
  Session session(everybody());
  session.set_restless(true);
  Array<Cell> cells(session, 12);
  session.run([&] {
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 12; ++i) cells[i].send<&Cell::add>(i);
      for (int i = 0; i < 12; ++i) cells[i].send<&Cell::append>("y");
    }
    session.quiesce();
    for (int i = 0; i < 12; ++i) {
      CHECK_EQ(cells[i].call<&Cell::value>().get(), 20 * i);
      CHECK_EQ(cells[i].call<&Cell::text>().get(), std::string(20, 'y'));
    }
  });
  if (world.size > 1) CHECK(session.counters().migrations > 0);
}

}  // namespace
}  // namespace starling::tests::elements_cases
