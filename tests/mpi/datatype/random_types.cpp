// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Random nested datatypes against a naive model: a list of byte places, made by the formulas of MPI-5.0, 5.1.
//
// Places are multiples of the unit (1 for bytes, 8 for doubles), so that no padding of extents comes into play.
#include <algorithm>
#include <numeric>
#include <vector>

#include "support/mpi_cases.hpp"
#include "support/pattern.hpp"

namespace starling::tests {
namespace {

/// A datatype, and where its basic elements lie in the order of its type map.
struct Model {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<MPI_Aint> places;
  MPI_Aint lower = 0;
  MPI_Aint upper = 0;
  [[nodiscard]] MPI_Aint extent() const { return upper - lower; }
};

/// Puts copies of an element type together as every constructor does.
class Assembly {
 public:
  explicit Assembly(const Model& element) : element_(element) {}

  void add_block(MPI_Aint place, int length) {
    for (int i = 0; i < length; ++i) {
      const MPI_Aint here = place + i * element_.extent();
      for (const MPI_Aint inner : element_.places) result_.places.push_back(here + inner);
      result_.lower = any_ ? std::min(result_.lower, here + element_.lower) : here + element_.lower;
      result_.upper = any_ ? std::max(result_.upper, here + element_.upper) : here + element_.upper;
      any_ = true;
    }
  }
  [[nodiscard]] Model finish(MPI_Datatype type) {
    result_.type = type;
    return std::move(result_);
  }

 private:
  const Model& element_;
  Model result_;
  bool any_ = false;
};

class Maker {
 public:
  Maker(std::mt19937_64& random, MPI_Datatype basic, int unit) : random_(random), basic_(basic), unit_(unit) {}

  Model make(int depth) {
    if (depth == 0) {
      Model model;
      MPI_Type_dup(basic_, &model.type);
      model.places = {0};
      model.upper = unit_;
      return model;
    }
    Model element = make(depth - 1);
    // What the bounds of an empty type mean to a type made of it is not agreed on, so empty types stay outermost.
    while (element.places.empty()) {
      MPI_Type_free(&element.type);
      element = make(depth - 1);
    }
    Model model = wrap(element);
    MPI_Type_free(&element.type);
    return model;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }

  Model wrap(const Model& element) {
    switch (below(7)) {
      case 0: return contiguous(element);
      case 1: return vector(element);
      case 2: return hvector(element);
      case 3: return indexed(element);
      case 4: return indexed_block(element);
      case 5: return structure(element);
      default: return resized(element);
    }
  }

  Model contiguous(const Model& element) {
    const int count = below(5);
    Assembly assembly(element);
    assembly.add_block(0, count);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, element.type, &type);
    return assembly.finish(type);
  }

  Model vector(const Model& element) {
    const int count = below(5), length = below(4), stride = below(9) - 3;
    Assembly assembly(element);
    for (int i = 0; i < count; ++i) assembly.add_block(i * stride * element.extent(), length);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, length, stride, element.type, &type);
    return assembly.finish(type);
  }

  Model hvector(const Model& element) {
    const int count = below(5), length = below(4);
    const MPI_Aint stride = (below(60) - 20) * unit_;
    Assembly assembly(element);
    for (int i = 0; i < count; ++i) assembly.add_block(i * stride, length);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(count, length, stride, element.type, &type);
    return assembly.finish(type);
  }

  Model indexed(const Model& element) {
    const int count = below(5);
    std::vector<int> lengths(static_cast<std::size_t>(count));
    std::vector<int> places(lengths.size());
    Assembly assembly(element);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = below(4);
      places[i] = below(12) - 2;
      assembly.add_block(places[i] * element.extent(), lengths[i]);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_indexed(count, lengths.data(), places.data(), element.type, &type);
    return assembly.finish(type);
  }

  Model indexed_block(const Model& element) {
    const int count = below(5), length = below(3);
    std::vector<MPI_Aint> places(static_cast<std::size_t>(count));
    Assembly assembly(element);
    for (MPI_Aint& place : places) {
      place = (below(60) - 10) * unit_;
      assembly.add_block(place, length);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(count, length, places.data(), element.type, &type);
    return assembly.finish(type);
  }

  Model structure(const Model& element) {
    const int count = 1 + below(4);
    std::vector<int> lengths(static_cast<std::size_t>(count));
    std::vector<MPI_Aint> places(lengths.size());
    const std::vector<MPI_Datatype> types(lengths.size(), element.type);
    Assembly assembly(element);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = below(3);
      places[i] = (below(60) - 10) * unit_;
      assembly.add_block(places[i], lengths[i]);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(count, lengths.data(), places.data(), types.data(), &type);
    return assembly.finish(type);
  }

  Model resized(const Model& element) {
    Model model = element;
    model.lower = (below(9) - 4) * unit_;
    model.upper = model.lower + below(40) * unit_;
    MPI_Type_create_resized(element.type, model.lower, model.extent(), &model.type);
    return model;
  }

  std::mt19937_64& random_;
  MPI_Datatype basic_;
  int unit_;
};

/// A buffer with room for `count` elements of the model, at whatever places it has.
struct Room {
  Room(const Model& model, int count, int unit) {
    MPI_Aint first = 0;
    MPI_Aint last = 0;
    for (int i = 0; i < count; ++i) {
      for (const MPI_Aint place : model.places) {
        const MPI_Aint here = i * model.extent() + place;
        first = std::min(first, here);
        last = std::max(last, here + unit);
        starts.push_back(here);
      }
    }
    origin = -first;
    bytes.resize(static_cast<std::size_t>(last - first) + 8);
    for (MPI_Aint& start : starts) start += origin;
  }
  [[nodiscard]] bool overlaps(int unit) const {
    std::vector<MPI_Aint> sorted(starts);
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end(), [unit](MPI_Aint a, MPI_Aint b) { return b - a < unit; }) !=
           sorted.end();
  }
  [[nodiscard]] std::vector<unsigned char> packed(int unit) const {
    std::vector<unsigned char> out;
    for (const MPI_Aint start : starts) out.insert(out.end(), bytes.begin() + start, bytes.begin() + start + unit);
    return out;
  }
  unsigned char* base() { return bytes.data() + origin; }

  MPI_Aint origin = 0;
  std::vector<MPI_Aint> starts;
  std::vector<unsigned char> bytes;
};

void check_shape(Context& world, const Model& model, int unit) {
  int size = -1;
  MPI_Type_size(model.type, &size);
  CHECK_EQ(size, static_cast<int>(model.places.size()) * unit);
  MPI_Aint lower = -1;
  MPI_Aint extent = -1;
  MPI_Type_get_extent(model.type, &lower, &extent);
  CHECK_EQ(lower, model.lower);
  CHECK_EQ(extent, model.extent());
  if (model.places.empty()) return;
  MPI_Type_get_true_extent(model.type, &lower, &extent);
  const auto [first, last] = std::minmax_element(model.places.begin(), model.places.end());
  CHECK_EQ(lower, *first);
  CHECK_EQ(extent, *last + unit - *first);
}

void check_packing(Context& world, const Model& model, int count, int unit) {
  Room room(model, count, unit);
  fill_pattern(room.bytes.data(), room.bytes.size(), 5);
  const std::vector<unsigned char> expected = room.packed(unit);
  int bound = -1;
  MPI_Pack_size(count, model.type, MPI_COMM_SELF, &bound);
  CHECK(bound >= static_cast<int>(expected.size()));
  std::vector<unsigned char> packed(static_cast<std::size_t>(bound) + 8, 0xee);
  int position = 0;
  MPI_Pack(room.base(), count, model.type, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
  CHECK_EQ(position, static_cast<int>(expected.size()));
  CHECK(std::equal(expected.begin(), expected.end(), packed.begin()));

  if (room.overlaps(unit)) return;
  Room back(model, count, unit);
  std::fill(back.bytes.begin(), back.bytes.end(), static_cast<unsigned char>(0x77));
  Room untouched = back;
  position = 0;
  MPI_Unpack(packed.data(), static_cast<int>(packed.size()), &position, back.base(), count, model.type, MPI_COMM_SELF);
  for (std::size_t i = 0; i < back.starts.size(); ++i) {
    std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(i) * unit, unit,
                untouched.bytes.begin() + back.starts[i]);
  }
  CHECK(back.bytes == untouched.bytes);
}

/// The message's bytes leave one layout and enter another.
void check_message(Context& world, const Model& model, int count, int unit, MPI_Datatype basic) {
  Room room(model, count, unit);
  fill_pattern(room.bytes.data(), room.bytes.size(), 6);
  const std::vector<unsigned char> expected = room.packed(unit);
  std::vector<unsigned char> dense(expected.size() + 1);
  MPI_Status status;
  MPI_Sendrecv(room.base(), count, model.type, 0, 1, dense.data(), static_cast<int>(expected.size()) / unit, basic, 0,
               1, MPI_COMM_SELF, &status);
  CHECK(std::equal(expected.begin(), expected.end(), dense.begin()));
  if (room.overlaps(unit)) return;
  std::fill(room.bytes.begin(), room.bytes.end(), static_cast<unsigned char>(0));
  MPI_Sendrecv(dense.data(), static_cast<int>(expected.size()) / unit, basic, 0, 2, room.base(), count, model.type, 0,
               2, MPI_COMM_SELF, &status);
  CHECK(room.packed(unit) == expected);
  int elements = -1;
  MPI_Get_elements(&status, model.type, &elements);
  CHECK_EQ(elements, static_cast<int>(expected.size()) / unit);
}

void check_random_types(Context& world, MPI_Datatype basic, int unit) {
  std::mt19937_64 random = world.generator(static_cast<std::uint64_t>(unit));
  for (int round = 0; round < 400; ++round) {
    Model model = Maker(random, basic, unit).make(1 + static_cast<int>(random() % 3));
    MPI_Type_commit(&model.type);
    const int before = world.failures();
    check_shape(world, model, unit);
    const int count = static_cast<int>(random() % 4);
    check_packing(world, model, count, unit);
    check_message(world, model, count, unit, basic);
    MPI_Type_free(&model.type);
    if (world.failures() != before) {
      FAIL("in round " + std::to_string(round) + ", seed " + std::to_string(world.seed));
      return;
    }
  }
}

MPI_CASE("random nested types of bytes agree with the naive model", 1, 2) { check_random_types(world, MPI_BYTE, 1); }
MPI_CASE("random nested types of doubles agree with the naive model", 1, 2) {
  check_random_types(world, MPI_DOUBLE, 8);
}

}  // namespace
}  // namespace starling::tests
