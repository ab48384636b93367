// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a program can do wrong is told with the names of array, element, process and method, and the rest goes on.
#include <array>
#include <cstdint>
#include <functional>
#include <starling/array/element.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"
#include "support/clocks.hpp"

namespace starling::tests::mistakes_cases {
namespace {

using namespace starling::array;

class Cell : public Element<Cell> {
 public:
  int value() { return 1; }
  void poke() { ++pokes_; }
  Cell() = default;
  explicit Cell(int what) { throw what; }
  void refuse() { throw std::runtime_error("not today"); }
  void grow(const std::string& by) { pokes_ += static_cast<int>(by.size()); }
  void throw_number() { throw 42; }
  Task<> throw_number_later() {
    co_await array()[0].call<&Cell::value>();
    throw 4.5;
  }
  void mixed(const Future<long>& to) {
    if (index() == 2) {
      contribute(1L, Product{}, to);
    } else {
      contribute(1L, Sum{}, to);
    }
  }
  void all(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void most(const Future<long>& to) {
    if (index() != 3) contribute(1L, Sum{}, to);
  }
  void wait_wrongly() { array()[0].call<&Cell::value>().get(); }
  void serialize(Archive& archive) { archive(pokes_); }

 private:
  int pokes_ = 0;
};

class Forgetful : public Element<Forgetful> {
 public:
  void nothing() {}
  void serialize(Archive& archive) {
    int number = 1;
    archive(number);
    if (!archive.is_reading()) archive(number);
  }
};

/// Too large to be packed apart, and its serialize fails when it is written.
class Torn : public Element<Torn> {
 public:
  int value() { return 7; }
  void count(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void serialize(Archive& archive) {
    archive(bytes_);
    if (!archive.is_reading() && ++passes_ == 2) throw std::runtime_error("torn");
  }

 private:
  std::vector<char> bytes_ = std::vector<char>(100000);
  int passes_ = 0;
};

/// Says that it is larger than what can be moved.
class Vast : public Element<Vast> {
 public:
  int value() { return 7; }
  void serialize(Archive& archive) { archive.bytes(nullptr, std::size_t{INT32_MAX} + 1); }
};

/// All errors of a run on all processes, on each of them.
template <class T>
std::string errors_of(Job& world, int elements, const std::function<void(Session&, Array<T>&)>& main) {
  std::string mine;
  {
    Session session(everybody());
    session.on_error([&](const std::string& error) { mine += error + "\n"; });
    Array<T> cells(session, elements);
    session.run([&] { main(session, cells); });
  }
  std::string all;
  for (int from = 0; from < world.size; ++from) all += told_by(from, mine);
  return all;
}

bool says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (text.find(part) == std::string::npos) return false;
  }
  return true;
}

CASE("two creations of one index", 1, 8) {
  const std::string errors = errors_of<Cell>(world, 4, [&](Session&, Array<Cell>& cells) {
    cells[3].create_on(0);
    cells[9].create_on(world.size - 1);
    cells[9].create_on(0);
    cells.session().quiesce();
    Future<long> count(cells.session());
    cells.broadcast<&Cell::all>(count);
    CHECK_EQ(count.get(), 5);
  });
  if (!CHECK(says(errors, {"element 3 of array 0", "Cell", "exists already", "element 9 of array 0"}))) FAIL(errors);
}

CASE("a message to a deleted element, and a call of it", 1, 8) {
  const std::string errors = errors_of<Cell>(world, 4, [&](Session& session, Array<Cell>& cells) {
    cells[2].destroy();
    session.quiesce();
    cells[2].send<&Cell::poke>();
    std::string text;
    try {
      cells[2].call<&Cell::value>().get();
    } catch (const Error& error) {
      text = error.what();
    }
    CHECK(says(text, {"element 2 of array 0", "value", "deleted"}));
  });
  if (!CHECK(says(errors, {"process 0 sends", "poke", "element 2 of array 0", "deleted"}))) FAIL(errors);
}

CASE("a message to an element that nobody creates is told at the end", 1, 8) {
  const std::string errors =
      errors_of<Cell>(world, 1, [&](Session&, Array<Cell>& cells) { cells[77].send<&Cell::poke>(); });
  if (!CHECK(says(errors, {"element 77 of array 0", "poke", "nobody created"}))) FAIL(errors);
}

/// What run() throws on this process.
template <class Main>
std::string thrown_by(Session& session, Main&& main) {
  try {
    session.run(main);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

CASE("a message to an element that nobody creates ends run() on every process, with the same sentence", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 4);
  // Wherever it is at home, every process is told, and goes on.
  for (int index = 70; index < 76; ++index) {
    const std::string text = thrown_by(session, [&] { cells[index].send<&Cell::poke>(); });
    const std::string element = "element " + std::to_string(index) + " of array 0";
    if (!CHECK(says(text, {element.c_str(), "poke", "nobody created"}))) FAIL(text);
    CHECK(told_by(0, text) == text);
    session.run([&] {
      cells[index].create();
      CHECK_EQ(cells[index].call<&Cell::value>().get(), 1);
    });
  }
}

CASE("what waits on another process is named where main waits for it", 2, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 4);
  const std::string text = thrown_by(session, [&] {
    cells[70].send<&Cell::poke>();
    cells[71].send<&Cell::poke>();
    cells[72].send<&Cell::poke>();
    Future<long> never(session);
    never.get();
  });
  if (!CHECK(says(text, {"nothing is left to do", "element 70", "element 71", "element 72"}))) FAIL(text);
}

CASE("exceptions that are no std::exception are told by their type", 1, 8) {
  const std::string errors = errors_of<Cell>(world, 3, [&](Session& session, Array<Cell>& cells) {
    cells[1].send<&Cell::throw_number>();
    cells[2].send<&Cell::throw_number_later>();
    cells[9].create(7);
    session.quiesce();
  });
  if (!CHECK(says(errors, {"element 1 of array 0", "throw_number: an exception of type int", "element 2 of array 0",
                           "a coroutine: an exception of type double", "element 9 of array 0", "its constructor"}))) {
    FAIL(errors);
  }
}

CASE("a number that main throws comes out of run(), and ends it on the others", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 4);
  int number = 0;
  std::string text;
  try {
    session.run([] { throw 42; });
  } catch (int thrown) {
    number = thrown;
  } catch (const Error& error) {
    text = error.what();
  }
  CHECK_EQ(number, world.rank == 0 ? 42 : 0);
  if (world.rank != 0 && !CHECK(says(text, {"process 0", "an exception of type int"}))) FAIL(text);
}

CASE("a serialize that reads other than it wrote", 2, 8) {
  const std::string errors =
      errors_of<Forgetful>(world, 1, [&](Session&, Array<Forgetful>& cells) { cells[0].migrate_to(1); });
  if (!CHECK(says(errors, {"element 0 of array 0", "arriving on process 1", "4 bytes", "unread"}))) FAIL(errors);
}

CASE("an element whose serialize throws stays, and is there once", 2, 8) {
  int value = 0;
  long count = 0;
  const std::string errors = errors_of<Torn>(world, 1, [&](Session& session, Array<Torn>& cells) {
    cells[0].migrate_to(1);
    session.quiesce();
    value = cells[0].call<&Torn::value>().get();
    Future<long> result(session);
    cells.broadcast<&Torn::count>(result);
    count = result.get();
  });
  CHECK(says(errors, {"element 0 of array 0", "moving from process 0", "torn"}));
  if (world.rank == 0) CHECK(value == 7 && count == 1);
}

CASE("an element too large to be moved stays", 2, 8) {
  int value = 0;
  const std::string errors = errors_of<Vast>(world, 1, [&](Session& session, Array<Vast>& cells) {
    cells[0].migrate_to(1);
    session.quiesce();
    value = cells[0].call<&Vast::value>().get();
  });
  CHECK(says(errors, {"element 0 of array 0", "moving from process 0", "it has 2147483648 bytes"}));
  if (world.rank == 0) CHECK_EQ(value, 7);
}

CASE("a reduction with mixed operators", 1, 8) {
  const std::string errors = errors_of<Cell>(world, 6, [&](Session& session, Array<Cell>& cells) {
    Future<long> result(session);
    cells.broadcast<&Cell::mixed>(result);
    result.get();
  });
  if (!CHECK(says(errors, {"array 0", "contributes to a reduction", "same operator"}))) FAIL(errors);
}

CASE("an element that does not contribute is named at the end", 1, 8) {
  const std::string errors = errors_of<Cell>(world, 6, [&](Session& session, Array<Cell>& cells) {
    Future<long> result(session);
    cells.broadcast<&Cell::most>(result);
    session.quiesce();
  });
  if (!CHECK(says(errors, {"reduction of array 0", "did not contribute", "element 3 of array 0"}))) FAIL(errors);
}

CASE("main that waits for what cannot come is told", 1, 8) {
  std::string text;
  errors_of<Cell>(world, 6, [&](Session& session, Array<Cell>& cells) {
    Future<long> result(session);
    cells.broadcast<&Cell::most>(result);
    try {
      result.get();
    } catch (const Error& error) {
      text = error.what();
    }
  });
  if (world.rank == 0) CHECK(says(text, {"nothing is left to do", "reduction"}));
}

CASE("an element that does not contribute is named after the wait that was set", 1, 8) {
  std::string mine;
  Session session(everybody());
  session.set_patience(0.05);
  session.on_error([&](const std::string& error) { mine += error; });
  Array<Cell> cells(session, 4);
  const double begin_s = shared_clock_s();
  session.run([&] {
    Future<long> first(session);
    cells.broadcast<&Cell::all>(first);
    CHECK_EQ(first.get(), 4);
    Future<long> result(session);
    cells.broadcast<&Cell::most>(result);
    while (shared_clock_s() < begin_s + 0.3) session.quiesce();
  });
  const int holder = 3 * world.size / 4;
  if (world.rank == holder) CHECK(says(mine, {"waits for more than 0.05", "element 3 of array 0"}));
}

CASE("an exception of a method names the element, and a wait inside a method is refused", 1, 8) {
  const std::string errors = errors_of<Cell>(world, 3, [&](Session&, Array<Cell>& cells) {
    cells[1].send<&Cell::refuse>();
    cells[2].send<&Cell::wait_wrongly>();
  });
  if (!CHECK(says(errors, {"element 1 of array 0", "refuse", "not today", "co_await"}))) FAIL(errors);
}

CASE("without a handler a mistake ends run() on every process by an exception", 1, 8) {
  std::string text;
  Session session(everybody());
  Array<Cell> cells(session, 3);
  try {
    session.run([&] { cells[2].send<&Cell::refuse>(); });
  } catch (const Error& error) {
    text = error.what();
  }
  CHECK(says(text, {"element 2 of array 0", "not today"}));
}

CASE("a session that failed leaves nothing behind that comes to the next one", 2, 8) {
  for (int round = 0; round < 40; ++round) {
    std::string text;
    try {
      Session session(everybody());
      Array<Cell> cells(session, 2 * session.size());
      session.run([&] {
        for (int i = 0; i < 2 * session.size(); ++i)
          cells[i].send<&Cell::grow>(std::string(round % 3 == 0 ? 100000 : 1, 'a'));
        cells[session.size() + round % session.size()].send<&Cell::refuse>();
        for (int i = 0; i < 2 * session.size(); ++i)
          cells[i].send<&Cell::grow>(std::string(round % 3 == 1 ? 100000 : 1, 'a'));
      });
    } catch (const Error& error) {
      text = error.what();
    }
    CHECK(says(text, {"of array 0", "not today"}));
    Session session(everybody());
    Array<Cell> cells(session, session.size());
    session.run([&] {
      for (int i = 0; i < 3 * session.size(); ++i) CHECK_EQ(cells[i % session.size()].call<&Cell::value>().get(), 1);
    });
  }
}

/// The error of a run, or nothing.
std::string error_of_run(Session& session, const std::function<void()>& main) {
  try {
    session.run(main);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

CASE("runs in which several processes fail at once end by an error on all, and a run that is well follows", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, session.size());
  for (int round = 0; round < 40; ++round) {
    const std::string text = error_of_run(session, [&] {
      for (int i = 0; i < session.size(); ++i) cells[i].send<&Cell::refuse>();
    });
    CHECK(says(text, {"of array 0", "not today"}));
    int failed = 1;  // what an error has kept an element from is done in the next run
    while (failed <= session.size() && !error_of_run(session, [] {}).empty()) ++failed;
    CHECK(failed <= session.size());
    std::array<std::int64_t, 1> all{failed};
    add_up(all);
    CHECK_EQ(all[0], failed * session.size());
  }
}

}  // namespace
}  // namespace starling::tests::mistakes_cases
