// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Indices of every kind name elements, and what is serialized comes back as it was.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::indices_cases {
namespace {

using namespace starling::array;

/// Says its own index, to show that it came whole.
template <class I>
struct Named : Element<Named<I>, I> {
  I who() { return this->index(); }
};

template <class I>
void ask_each(Job& world, const std::vector<I>& indices) {
  Session session(everybody());
  Array<Named<I>> all(session);
  session.run([&] {
    for (const I& each : indices) all[each].create();
    for (const I& each : indices) {
      CHECK(all[each].template call<&Named<I>::who>().get() == each);
    }
    for (const I& each : indices) all[each].migrate_to(world.size - 1);
    for (const I& each : indices) {
      CHECK(all[each].template call<&Named<I>::who>().get() == each);
    }
  });
}

struct Place {
  std::int32_t level;
  std::int32_t x;
  std::int64_t y;
  bool operator==(const Place&) const = default;
};

struct Word {
  std::string stem;
  int form = 0;
  bool operator==(const Word&) const = default;
  void serialize(Archive& archive) { archive(stem, form); }
};

CASE("numbers, tuples of numbers, strings and the user's own types are indices", 1, 8) {
  ask_each<int>(world, {0, -1, 7, 1 << 30});
  ask_each<std::int64_t>(world, {0, std::int64_t{1} << 60});
  ask_each<Extents<2>>(world, {{0, 0}, {1, 0}, {0, 1}});
  ask_each<Extents<6>>(world, {{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}});
  ask_each<std::string>(world, {"", "a", "an index that is longer than what lies in the object itself"});
  ask_each<Place>(world, {{1, 2, 3}, {1, 2, 4}});
  ask_each<Word>(world, {{"go", 1}, {"go", 2}, {"went", 1}});
}

CASE("bit strings of any length are indices", 1, 8) {
  BitString deep;
  for (unsigned i = 0; i < 200; ++i) deep.push(i % 4, 2);
  BitString deeper = deep;
  deeper.push(0);
  ask_each<BitString>(world, {BitString(), BitString("0"), BitString("00"), BitString("10;11"), deep, deeper});
}

CASE("a bit string gives back what was pushed", 1, 1) {
  BitString bits("10;11");
  CHECK_EQ(bits.text(), "1011");
  CHECK_EQ(bits.pop(2), 3u);
  CHECK_EQ(bits.pop(2), 2u);
  CHECK(bits == BitString());
  CHECK(BitString().push(5, 3) == BitString("101"));
}

CASE("a dense array has each index of its box once, in parts that differ by one", 1, 8) {
  struct Counts : Element<Counts, Extents<3>> {
    void here(Future<std::vector<long>> to) {
      std::vector<long> of_process(static_cast<std::size_t>(session().size()));
      of_process[static_cast<std::size_t>(rank())] = 1;
      contribute(of_process, Sum{}, to);
    }
  };
  Session session(everybody());
  Array<Counts> box(session, Extents<3>{3, 5, 4});
  session.run([&] {
    Future<std::vector<long>> to(session);
    box.broadcast<&Counts::here>(to);
    long total = 0;
    for (const long each : to.get()) {
      total += each;
      CHECK(each >= 60 / world.size && each <= 60 / world.size + 1);
    }
    CHECK_EQ(total, 60);
  });
}

struct Everything {
  int number = 0;
  std::string text;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::vector<bool> bits;
  std::map<std::string, std::vector<int>> map;
  std::set<int> set;
  std::pair<int, std::string> pair;
  std::tuple<char, double> tuple;
  std::optional<std::string> maybe;
  std::unique_ptr<int> owned;
  void serialize(Archive& archive) { archive(number, text, numbers, texts, bits, map, set, pair, tuple, maybe, owned); }
};

CASE("what is serialized comes back as it was, and not a byte is left", 1, 1) {
  Everything out;
  out.number = 3;
  out.text = "three";
  out.numbers = {1.5, 2.5};
  out.texts = {"", "b"};
  out.bits = {true, false, true};
  out.map = {{"a", {1, 2}}, {"b", {}}};
  out.set = {3, 1};
  out.pair = {4, "four"};
  out.tuple = {'x', 0.25};
  out.maybe = "there";
  out.owned = std::make_unique<int>(9);
  Archive count = Archive::counting();
  count(out);
  std::vector<char> bytes(count.used());
  Archive::writing(bytes.data(), bytes.size())(out);
  Everything in;
  Archive read = Archive::reading(bytes.data(), bytes.size());
  read(in);
  CHECK_EQ(read.left(), 0u);
  CHECK(in.number == 3 && in.text == "three" && in.numbers == out.numbers && in.texts == out.texts);
  CHECK(in.bits == out.bits && in.map == out.map && in.set == out.set && in.pair == out.pair && in.tuple == out.tuple);
  CHECK(in.maybe == out.maybe && in.owned != nullptr && *in.owned == 9);
}

CASE("a length that cannot be is refused before memory is taken for it", 1, 1) {
  std::uint64_t length = std::uint64_t{1} << 60;
  Archive read = Archive::reading(&length, sizeof length);
  std::vector<double> in;
  bool refused = false;
  try {
    read(in);
  } catch (const ArchiveError&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace
}  // namespace starling::tests::indices_cases
