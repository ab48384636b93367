// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collective accesses of interleaved data, with few and small buffers and without (MPI-5.0, 14.4.2, 14.4.3).
#include <algorithm>
#include <initializer_list>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

/// An info object with these keys.
class Hints {
 public:
  Hints(std::initializer_list<std::pair<const char*, const char*>> pairs) {
    MPI_Info_create(&info_);
    for (const auto& [key, value] : pairs) MPI_Info_set(info_, key, value);
  }
  ~Hints() { MPI_Info_free(&info_); }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  operator MPI_Info() const { return info_; }  // NOLINT(google-explicit-constructor): stands for the handle

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// The rank's view: blocks of `block` bytes, one of each rank after the other, behind `skip` bytes of nobody's.
void set_striped_view(const Context& world, MPI_File file, int block, int skip) {
  const MPI_Aint round = block * world.size + skip;
  const Type filetype(resized_type(contiguous_type(block, MPI_BYTE), 0, round));
  MPI_File_set_view(file, skip + block * world.rank, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
}

/// What the file must hold: the ranks' patterns, and the background where nobody wrote.
std::vector<unsigned char> striped(const Context& world, int block, int skip, int blocks, unsigned char background) {
  const int round = block * world.size + skip;
  std::vector<unsigned char> all(static_cast<std::size_t>(round * blocks), background);
  for (int rank = 0; rank < world.size; ++rank) {
    for (int i = 0; i < block * blocks; ++i) {
      all[static_cast<std::size_t>(i / block * round + skip + block * rank + i % block)] =
          pattern_byte(static_cast<std::uint64_t>(rank), static_cast<std::size_t>(i));
    }
  }
  return all;
}

void write_and_read_striped(Context& world, MPI_Info info) {
  for (const int block : {1, 7, 8, 500, 5000}) {
    for (const int skip : {0, 3}) {
      const int blocks = block == 5000 ? 20 : 60;
      const ScratchFile scratch(world);
      const std::vector<unsigned char> expected = striped(world, block, skip, blocks, 0x5a);
      scratch.fill(std::vector<unsigned char>(expected.size(), 0x5a));
      MPI_File file = scratch.open(MPI_MODE_RDWR, info);
      set_striped_view(world, file, block, skip);
      const auto bytes = static_cast<std::size_t>(block * blocks);
      const std::vector<unsigned char> mine = pattern(bytes, static_cast<std::uint64_t>(world.rank));
      MPI_Status status;
      OK(MPI_File_write_all(file, mine.data(), block * blocks, MPI_BYTE, &status));
      CHECK_EQ(count_of(status, MPI_BYTE), block * blocks);
      MPI_Barrier(world.comm);
      CHECK(scratch.bytes() == expected);
      std::vector<unsigned char> back(bytes);
      OK(MPI_File_read_at_all(file, 0, back.data(), block * blocks, MPI_BYTE, &status));
      CHECK_EQ(count_of(status, MPI_BYTE), block * blocks);
      CHECK(back == mine);
      OK(MPI_File_close(&file));
    }
  }
}

MPI_CASE("interleaved blocks as the library likes it", 1, 8) { write_and_read_striped(world, MPI_INFO_NULL); }
MPI_CASE("interleaved blocks through one aggregator with a small buffer", 1, 8) {
  write_and_read_striped(
      world,
      Hints{{"cb_nodes", "1"}, {"cb_buffer_size", "4096"}, {"romio_cb_write", "enable"}, {"romio_cb_read", "enable"}});
}
MPI_CASE("interleaved blocks through as many aggregators as ranks", 1, 8) {
  write_and_read_striped(world,
                         Hints{{"cb_nodes", "64"}, {"cb_buffer_size", "8192"}, {"collective_buffering", "true"}});
}
MPI_CASE("interleaved blocks without aggregators", 1, 8) {
  write_and_read_striped(world, Hints{{"collective_buffering", "false"}});
}

MPI_CASE("ranks may have different amounts, and none", 1, 8) {
  for (const char* buffering : {"true", "false"}) {
    const ScratchFile scratch(world);
    MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_RDWR, Hints{{"collective_buffering", buffering}});
    set_striped_view(world, file, 4, 0);
    const int count = world.rank % 3 == 1 ? 0 : 100 * (world.rank + 1);
    const std::vector<unsigned char> mine =
        pattern(static_cast<std::size_t>(count), static_cast<std::uint64_t>(world.rank));
    OK(MPI_File_write_all(file, mine.data(), count, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<unsigned char> back(mine.size() + 1, 1);
    MPI_Status status;
    OK(MPI_File_read_at_all(file, 0, back.data(), count, MPI_BYTE, &status));
    CHECK_EQ(count_of(status, MPI_BYTE), count);
    CHECK(std::equal(mine.begin(), mine.end(), back.begin()));
    OK(MPI_File_close(&file));
  }
}

MPI_CASE("collective reads end at the end of the file", 1, 8) {
  for (const char* buffering : {"true", "false"}) {
    const ScratchFile scratch(world);
    // 10 whole rounds of 8 bytes for each rank, and 3 bytes of the next.
    const std::vector<unsigned char> all = pattern(static_cast<std::size_t>(80 * world.size + 3), 4);
    scratch.fill(all);
    MPI_File file = scratch.open(MPI_MODE_RDONLY, Hints{{"collective_buffering", buffering}});
    set_striped_view(world, file, 8, 0);
    std::vector<unsigned char> back(200, 0xcc);
    MPI_Status status;
    OK(MPI_File_read_all(file, back.data(), 200, MPI_BYTE, &status));
    const int expected = 80 + (world.rank == 0 ? 3 : 0);
    CHECK_EQ(count_of(status, MPI_BYTE), expected);
    for (int i = 0; i < 200; ++i) {
      const auto place = static_cast<std::size_t>(i / 8 * 8 * world.size + 8 * world.rank + i % 8);
      CHECK_EQ(back[static_cast<std::size_t>(i)], i < expected ? all[place] : 0xcc);
    }
    OK(MPI_File_close(&file));
  }
}

MPI_CASE("memory with gaps goes through aggregators", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_RDWR,
                               Hints{{"collective_buffering", "true"}, {"cb_buffer_size", "4096"}});
  set_striped_view(world, file, 12, 0);
  const Type memory(vector_type(500, 3, 7, MPI_INT));
  std::vector<int> mine(3500);
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = world.rank * 10000 + static_cast<int>(i);
  OK(MPI_File_write_all(file, mine.data(), 1, memory, MPI_STATUS_IGNORE));
  std::vector<int> back(3500, -1);
  OK(MPI_File_read_at_all(file, 0, back.data(), 1, memory, MPI_STATUS_IGNORE));
  int wrong = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) wrong += back[i] != (i % 7 < 3 ? mine[i] : -1);
  CHECK_EQ(wrong, 0);
  OK(MPI_File_close(&file));
}

MPI_CASE("hints are reported, others left out", 1, 4) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open(
      MPI_MODE_CREATE | MPI_MODE_RDWR,
      Hints{{"cb_nodes", "2"}, {"cb_buffer_size", "nonsense"}, {"access_style", "write_once"}, {"no_such_hint", "1"}});
  MPI_Info used = MPI_INFO_NULL;
  OK(MPI_File_get_info(file, &used));
  char value[64] = "";
  int flag = 0;
  MPI_Info_get(used, "cb_nodes", 63, value, &flag);
  CHECK_EQ(std::string(flag ? value : ""), "2");
  MPI_Info_get(used, "access_style", 63, value, &flag);
  CHECK_EQ(std::string(flag ? value : ""), "write_once");
  MPI_Info_get(used, "no_such_hint", 63, value, &flag);
  CHECK_EQ(flag, 0);
  MPI_Info_get(used, "cb_buffer_size", 63, value, &flag);
  CHECK(flag != 0 && std::string(value) != "nonsense");
  MPI_Info_free(&used);
  OK(MPI_File_set_info(file, Hints{{"cb_nodes", "1"}}));
  OK(MPI_File_get_info(file, &used));
  MPI_Info_get(used, "cb_nodes", 63, value, &flag);
  CHECK_EQ(std::string(value), "1");
  MPI_Info_free(&used);
  OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace starling::tests
