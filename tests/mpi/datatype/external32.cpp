// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Packing in external32: big-endian, with the standard's sizes (MPI-5.0, 5.3 and 14.5.2).
#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes packed(const void* data, int count, MPI_Datatype type) {
  MPI_Aint size = 0;
  MPI_Pack_external_size("external32", count, type, &size);
  Bytes out(static_cast<std::size_t>(size) + 1, 0xEE);
  MPI_Aint position = 0;
  MPI_Pack_external("external32", data, count, type, out.data(), size, &position);
  out.resize(static_cast<std::size_t>(position) + 1);
  return out;
}

Bytes ending(Bytes bytes) {
  bytes.push_back(0xEE);  // the byte behind the data, untouched
  return bytes;
}

template <typename T>
void check_bytes(Context& world, const T& value, MPI_Datatype type, const Bytes& expected) {
  CHECK(packed(&value, 1, type) == ending(expected));
  T back{};
  MPI_Aint position = 0;
  MPI_Unpack_external("external32", expected.data(), static_cast<MPI_Aint>(expected.size()), &position, &back, 1, type);
  CHECK_EQ(position, static_cast<MPI_Aint>(expected.size()));
  CHECK(back == value);
}

MPI_CASE("external32 is big-endian with the sizes of the standard", 1, 1) {
  check_bytes(world, char{'a'}, MPI_CHAR, {'a'});
  check_bytes(world, short{0x1234}, MPI_SHORT, {0x12, 0x34});
  check_bytes(world, int{-2}, MPI_INT, {0xFF, 0xFF, 0xFF, 0xFE});
  check_bytes(world, long{-2}, MPI_LONG, {0xFF, 0xFF, 0xFF, 0xFE});
  check_bytes(world, 4000000000UL, MPI_UNSIGNED_LONG, {0xEE, 0x6B, 0x28, 0x00});
  check_bytes(world, 1LL << 40, MPI_LONG_LONG, {0, 0, 1, 0, 0, 0, 0, 0});
  check_bytes(world, std::int64_t{1} << 40, MPI_INT64_T, {0, 0, 1, 0, 0, 0, 0, 0});
  check_bytes(world, MPI_Aint{258}, MPI_AINT, {0, 0, 0, 0, 0, 0, 1, 2});
  check_bytes(world, wchar_t{0x20AC}, MPI_WCHAR, {0x20, 0xAC});
  check_bytes(world, 1.0F, MPI_FLOAT, {0x3F, 0x80, 0, 0});
  check_bytes(world, -2.5, MPI_DOUBLE, {0xC0, 0x04, 0, 0, 0, 0, 0, 0});
  check_bytes(world, 1.5L, MPI_LONG_DOUBLE, {0x3F, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

MPI_CASE("external32 leaves the padding of pairs out", 1, 1) {
  struct {
    short value;
    int index;
  } const pair = {1, 2};
  CHECK(packed(&pair, 1, MPI_SHORT_INT) == ending({0, 1, 0, 0, 0, 2}));
  const double complex_number[] = {1, -2};
  CHECK(packed(complex_number, 1, MPI_C_DOUBLE_COMPLEX) ==
        ending({0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0}));
}

MPI_CASE("a number that external32 cannot hold is refused", 1, 1) {
  const ReturnErrors errors;
  Bytes out(16);
  MPI_Aint position = 0;
  const long wide = 1L << 40;
  CHECK_EQ(class_of(MPI_Pack_external("external32", &wide, 1, MPI_LONG, out.data(), 16, &position)),
           MPI_ERR_VALUE_TOO_LARGE);
  CHECK_EQ(position, MPI_Aint{0});
  CHECK_EQ(class_of(MPI_Pack_external("internal", &wide, 1, MPI_INT64_T, out.data(), 16, &position)), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Pack_external("external32", &wide, 1, MPI_INT64_T, out.data(), 7, &position)),
           MPI_ERR_TRUNCATE);
}

struct Record {
  char name[3];
  long number;
  double place[2];
  int tail;
};

MPI_Datatype record_type() {
  const int lengths[] = {3, 1, 2};
  const MPI_Aint places[] = {offsetof(Record, name), offsetof(Record, number), offsetof(Record, place)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE};
  MPI_Datatype whole = MPI_DATATYPE_NULL, spread = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, types, &whole);
  MPI_Type_create_resized(whole, 0, sizeof(Record), &spread);
  MPI_Type_free(&whole);
  MPI_Type_commit(&spread);
  return spread;
}

MPI_CASE("structures pass through external32 and back", 1, 1) {
  MPI_Datatype type = record_type();
  constexpr int kCount = 700;  // more than one piece of the conversion
  std::vector<Record> records(kCount);
  for (int i = 0; i < kCount; ++i) {
    records[static_cast<std::size_t>(i)] = {{'a', static_cast<char>(i % 128), 'c'}, i * 1000L - 5, {i * 0.5, -1.0}, i};
  }
  const Bytes bytes = packed(records.data(), kCount, type);
  CHECK_EQ(bytes.size(), std::size_t{kCount * (3 + 4 + 16) + 1});
  std::vector<Record> back(kCount);
  std::memset(static_cast<void*>(back.data()), 0x55, back.size() * sizeof(Record));
  MPI_Aint position = 0;
  MPI_Unpack_external("external32", bytes.data(), static_cast<MPI_Aint>(bytes.size()), &position, back.data(), kCount,
                      type);
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(std::memcmp(back[i].name, records[i].name, 3) == 0);
    CHECK_EQ(back[i].number, records[i].number);
    CHECK_EQ(back[i].place[0], records[i].place[0]);
    CHECK_EQ(back[i].tail, 0x55555555);
  }
  MPI_Type_free(&type);
}

MPI_CASE("the large-count form packs the same bytes", 1, 1) {
  const int numbers[] = {1, 2, INT_MIN};
  Bytes out(13, 0xEE);
  MPI_Count size = 0, position = 0;
  MPI_Pack_external_size_c("external32", 3, MPI_INT, &size);
  CHECK_EQ(size, MPI_Count{12});
  MPI_Pack_external_c("external32", numbers, 3, MPI_INT, out.data(), 12, &position);
  CHECK(out == packed(numbers, 3, MPI_INT));
  int back[3] = {};
  position = 0;
  MPI_Unpack_external_c("external32", out.data(), 12, &position, back, 3, MPI_INT);
  CHECK(std::memcmp(back, numbers, sizeof back) == 0);
}

}  // namespace
}  // namespace starling::tests
