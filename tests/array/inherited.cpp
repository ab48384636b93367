// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Methods that elements inherit, and virtual ones: what is named is a method of the base, what runs is the element's.
#include <starling/array/element.hpp>
#include <string>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::inherited_cases {
namespace {

using namespace starling::array;

/// Knows nothing of arrays.
class Shape {
 public:
  virtual ~Shape() = default;
  void grow(int more) { size_ += more; }
  int size() const { return size_; }
  virtual int area() const { return size_; }
  virtual std::string name() const { return "a shape"; }

 protected:
  int size_ = 1;
};

class Square : public Shape, public Element<Square> {
 public:
  int area() const override { return size_ * size_; }
  std::string name() const override { return "square " + std::to_string(index()); }
  void move(int to) { migrate_to(to); }
  void serialize(Archive& archive) { archive(size_); }
};

class Line : public Shape, public Element<Line> {
 public:
  void serialize(Archive& archive) { archive(size_); }
};

CASE("inherited methods are called, virtual ones as the element has them, also after it has moved", 1, 8) {
  Session session(everybody());
  Array<Square> squares(session);
  Array<Line> lines(session, 4);
  session.run([&] {
    for (int i = 0; i < 8; ++i) squares[i].create_on(i % world.size);
    squares.broadcast<&Shape::grow>(2);
    lines.broadcast<&Shape::grow>(4);
    session.quiesce();
    for (int i = 0; i < 8; ++i) {
      CHECK_EQ(squares[i].call<&Shape::area>().get(), 9);
      squares[i].send<&Square::move>((i + 1) % world.size);
      squares[i].send<&Shape::grow>(i);
    }
    session.quiesce();
    for (int i = 0; i < 8; ++i) {
      CHECK_EQ(squares[i].call<&Shape::size>().get(), 3 + i);
      CHECK_EQ(squares[i].call<&Shape::area>().get(), (3 + i) * (3 + i));
      CHECK_EQ(squares[i].call<&Shape::name>().get(), "square " + std::to_string(i));
    }
    for (int i = 0; i < 4; ++i) {
      CHECK_EQ(lines[i].call<&Shape::area>().get(), 5);
      CHECK_EQ(lines[i].call<&Shape::name>().get(), "a shape");
    }
  });
}

}  // namespace
}  // namespace starling::tests::inherited_cases
