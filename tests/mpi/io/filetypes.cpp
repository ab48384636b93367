// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Filetypes as libraries above MPI build them: a header and a part of an array, lower bounds above 0, extents smaller
// than what the data span (MPI-5.0, 14.3). What is in the file is compared with the typemaps byte by byte.
#include "mpi/io/shapes.hpp"

namespace starling::tests {
namespace {

/// What a rank accesses: bytes of its view from a position on.
struct RankAccess {
  Shape shape;
  MPI_Offset disp = 0;
  int position = 0;
  int count = 0;

  [[nodiscard]] std::size_t place(int i) const { return static_cast<std::size_t>(disp + shape.place(position + i)); }
};

constexpr int kFileBytes = 200'000;

unsigned char datum(int rank, int round, int i) {
  return static_cast<unsigned char>(
      mix(static_cast<std::uint64_t>(rank * 100 + round) << 32 | static_cast<std::uint64_t>(i)));
}

class Trial {
 public:
  /// The parts of all ranks, which share no byte.
  Trial(Context& context, const std::vector<RankAccess>& parts) : world(context), parts_(parts), scratch_(context) {
    model_ = pattern(kFileBytes, 5);
    scratch_.fill(model_);
  }

  void run() {
    const char* wishes[] = {"true", "false"};
    for (const char* wish : wishes) {
      MPI_Info info = MPI_INFO_NULL;
      MPI_Info_create(&info);
      MPI_Info_set(info, "collective_buffering", wish);
      MPI_Info_set(info, "cb_buffer_size", "4096");
      MPI_File file = scratch_.open(MPI_MODE_RDWR, info);
      MPI_Info_free(&info);
      OK(MPI_File_set_view(file, mine().disp, MPI_BYTE, mine().shape.type, "native", MPI_INFO_NULL));
      read(file);
      for (const bool together : {true, false}) {
        write(file, together);
        read(file);
      }
      OK(MPI_File_close(&file));
    }
  }

 private:
  [[nodiscard]] const RankAccess& mine() const { return parts_[static_cast<std::size_t>(world.rank)]; }

  void write(MPI_File file, bool together) {
    ++round_;
    std::vector<unsigned char> data;
    for (int i = 0; i < mine().count; ++i) data.push_back(datum(world.rank, round_, i));
    MPI_Barrier(world.comm);
    const auto call = together ? MPI_File_write_at_all : MPI_File_write_at;
    OK(call(file, mine().position, data.data(), mine().count, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Barrier(world.comm);
    for (int rank = 0; rank < world.size; ++rank) {
      const RankAccess& part = parts_[static_cast<std::size_t>(rank)];
      for (int i = 0; i < part.count; ++i) model_[part.place(i)] = datum(rank, round_, i);
    }
    CHECK(scratch_.bytes() == model_);
    MPI_Barrier(world.comm);
  }

  void read(MPI_File file) {
    std::vector<unsigned char> expected;
    for (int i = 0; i < mine().count; ++i) expected.push_back(model_[mine().place(i)]);
    for (const auto call : {MPI_File_read_at_all, MPI_File_read_at}) {
      std::vector<unsigned char> got(expected.size());
      MPI_Status status;
      OK(call(file, mine().position, got.data(), mine().count, MPI_BYTE, &status));
      CHECK_EQ(count_of(status, MPI_BYTE), mine().count);
      CHECK(got == expected);
    }
  }

  Context& world;
  const std::vector<RankAccess>& parts_;
  ScratchFile scratch_;
  std::vector<unsigned char> model_;
  int round_ = 0;
};

/// Tries what `make(rank)` says each rank accesses.
void try_parts(Context& world, const std::function<RankAccess(int rank)>& make) {
  std::vector<RankAccess> parts;
  for (int rank = 0; rank < world.size; ++rank) parts.push_back(make(rank));
  Trial(world, parts).run();
}

constexpr int kRows = 64;
constexpr int kWidth = 24;  ///< columns of a rank

/// Each rank's columns of one matrix of bytes.
Shape columns(Shapes& shapes, const Context& world, int rank) {
  return shapes.part_of_matrix({kRows, kWidth * world.size}, {kRows, kWidth}, {0, kWidth * rank});
}

/// A header of each rank, and behind all of them the rank's columns.
Shape header_and_columns(Shapes& shapes, const Context& world, int rank) {
  const Shape header = shapes.contiguous(16, Shape{});
  return shapes.structure({header, columns(shapes, world, rank)}, {16 * rank, 16 * world.size});
}

MPI_CASE("a filetype of a header and a part of an array", 1, 8) {
  Shapes shapes;
  try_parts(world, [&](int rank) {
    const Shape shape = header_and_columns(shapes, world, rank);
    // The markers of the subarray are the bounds: the header lies before the lower one.
    CHECK_EQ(shape.lb, 16 * world.size);
    CHECK(shape.extent() < shape.span() || world.size > 1);
    return RankAccess{shape, 100, 0, static_cast<int>(shape.bytes.size())};
  });
}

MPI_CASE("a part of the tile of a filetype whose extent is smaller than its span", 2, 8) {
  Shapes shapes;
  try_parts(world, [&](int rank) {
    const Shape shape = header_and_columns(shapes, world, rank);
    return RankAccess{shape, 0, 3 + rank, rank % 3 == 2 ? 0 : 700 + rank};
  });
}

MPI_CASE("a lower bound above 0, several tiles", 1, 8) {
  Shapes shapes;
  try_parts(world, [&](int rank) {
    const Shape block = shapes.contiguous(5, Shape{});
    const Shape blocks = shapes.hindexed({1000 + 5 * rank, 1300 + 5 * rank, 1700 + 5 * rank}, block);
    return RankAccess{shapes.resized(1000, 740, blocks), 17, 3, 15 * 20 - 5};
  });
}

MPI_CASE("tiles that interleave without sharing a byte", 1, 8) {
  Shapes shapes;
  try_parts(world, [&](int rank) {
    // Blocks of four bytes: a first row and a second one 4000 bytes behind it, and the next tile beside this one.
    const Shape block = shapes.contiguous(4, Shape{});
    const Shape pair = shapes.hindexed({4 * rank, 4000 + 4 * rank}, block);
    return RankAccess{shapes.resized(0, 4 * world.size, pair), 8, 5, 8 * 100};
  });
}

MPI_CASE("vectors of parts of an array, spread and made narrow again", 1, 8) {
  Shapes shapes;
  try_parts(world, [&](int rank) {
    const Shape tall = shapes.hvector(3, MPI_Aint{kRows} * kWidth * world.size, columns(shapes, world, rank));
    const Shape led = shapes.structure({shapes.contiguous(2, Shape{}), tall}, {2 * rank, 2 * world.size});
    return RankAccess{led, 1, 1, static_cast<int>(led.bytes.size()) - 2};
  });
}

MPI_CASE("tiles that share bytes are read as they lie, and written in the order of the data", 1, 8) {
  Shapes shapes;
  try_parts(world, [&](int rank) {
    // Tile by tile the second block falls on the first one of the next but one tile.
    const Shape block = shapes.contiguous(6, Shape{});
    const Shape pair = shapes.hindexed({0, 20}, block);
    return RankAccess{shapes.resized(0, 10, pair), 2000 * rank, 4, 12 * 50};
  });
}

MPI_CASE("a filetype without extent shows the same bytes again and again", 1, 4) {
  Shapes shapes;
  try_parts(world, [&](int rank) {
    return RankAccess{shapes.resized(0, 0, shapes.contiguous(7, Shape{})), 7 * rank, 2, 30};
  });
}

/// A shape whose data ascend, of up to three levels of constructors.
Shape random_shape(Shapes& shapes, std::mt19937_64& random, int depth) {
  const auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  if (depth == 0) return shapes.contiguous(number(1, 9), Shape{});
  const Shape old = random_shape(shapes, random, depth - 1);
  switch (number(0, 4)) {
    case 0: return shapes.hvector(number(1, 5), old.span() + number(0, 30), old);
    case 1: return shapes.resized(number(-20, 60), number(1, 400), old);
    case 2: {
      std::vector<MPI_Aint> places = {number(0, 50)};
      while (number(0, 3) != 0) places.push_back(places.back() + old.span() + number(0, 60));
      return shapes.hindexed(places, old);
    }
    case 3: {
      const int rows = number(1, 6);
      const int width = number(1, 20);
      const Shape part = shapes.part_of_matrix({rows + 3, width + 11}, {rows, width}, {number(0, 3), number(0, 11)});
      const MPI_Aint behind = old.end() - part.first() + number(0, 40);
      return shapes.structure({old, part}, {0, behind});
    }
    default: {
      const Shape other = random_shape(shapes, random, 0);
      return shapes.structure({other, old}, {number(0, 9), 18 + number(0, 30) - old.first()});
    }
  }
}

MPI_CASE("random filetypes, several tiles", 1, 8) {
  std::mt19937_64 random = world.generator(31);
  for (int round = 0; round < 12; ++round) {
    Shapes shapes;
    try_parts(world, [&](int rank) {
      const Shape shape = random_shape(shapes, random, 1 + static_cast<int>(random() % 4));
      const int tiles = 1 + static_cast<int>(random() % 3);
      const auto bytes = static_cast<int>(shape.bytes.size());
      const int position = static_cast<int>(random() % 10);
      // Far enough from the others', whatever lies before the displacement or behind the first tile.
      return RankAccess{shape, 1000 + 20'000 * rank, position, bytes * tiles};
    });
    if (world.failures() != 0) FAIL("the seed is " + std::to_string(world.seed));
  }
}

MPI_CASE("the end of the file in a view whose tiles reach into each other", 1, 4) {
  Shapes shapes;
  const Shape pair = shapes.resized(0, 10, shapes.hindexed({0, 20}, shapes.contiguous(6, Shape{})));
  const ScratchFile scratch(world);
  scratch.fill(pattern(43, 3));
  MPI_File file = scratch.open(MPI_MODE_RDWR);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, pair.type, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  // Tile 1 ends at byte 36; tile 2 has 20 to 25 and 40 to 45, of which 43 is its tenth.
  CHECK_EQ(position, 2 * 12 + 9);
  unsigned char bytes[40];
  MPI_Status status;
  OK(MPI_File_read_at(file, 12, bytes, 40, MPI_BYTE, &status));
  CHECK_EQ(count_of(status, MPI_BYTE), 12 + 9);
  OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace starling::tests
