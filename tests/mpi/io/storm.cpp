// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Random accesses of all kinds against a model: each rank keeps the bytes that the file must have.
//
// Every rank draws the same plan, so it knows what the others write. Within a step all ranks write, or all read,
// through views that interleave; between steps the file is the model's.
#include <algorithm>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

enum class Way { kAt, kAtAll, kAll, kIndividual, kNonblocking, kNonblockingAll, kSplit, kOrdered };
constexpr int kWays = 8;

/// What all ranks do in one step: the view, and each rank's amount and place in it.
struct Step {
  bool writes = false;
  Way way = Way::kAt;
  int block = 1;  ///< bytes of a rank's stretch
  int gap = 0;    ///< bytes of nobody behind the last rank's stretch
  MPI_Offset disp = 0;
  std::vector<int> bytes;
  std::vector<MPI_Offset> offsets;
  bool gaps_in_memory = false;
  std::uint64_t key = 0;
};

class Storm {
 public:
  Storm(Context& context, const ScratchFile& scratch)
      : world(context), scratch_(scratch), random_(context.generator(14)) {}

  void run(int steps, MPI_Info info) {
    file_ = scratch_.open(MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    for (int i = 0; i < steps && world.failures() == 0; ++i) {
      const Step step = draw(i);
      MPI_Barrier(world.comm);
      step.writes ? write(step) : read(step);
      MPI_Barrier(world.comm);
    }
    OK(MPI_File_close(&file_));
    CHECK(scratch_.bytes() == model_);
    if (world.failures() != 0) FAIL("the storm's seed is " + std::to_string(world.seed));
  }

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Step draw(int index) {
    constexpr int kBlocks[] = {1, 3, 8, 64, 700, 5000};
    Step step;
    step.writes = index == 0 || number(0, 9) < 6;
    step.way = static_cast<Way>(number(0, kWays - 1));
    step.block = kBlocks[number(0, 5)];
    step.gap = number(0, 1) * number(1, 9);
    step.disp = number(0, 2000);
    const bool large = number(0, 12) == 0;
    for (int rank = 0; rank < world.size; ++rank) {
      step.bytes.push_back(number(0, 4) == 0 ? 0 : number(1, large ? 400000 : 9000));
      step.offsets.push_back(number(0, 300));
    }
    step.gaps_in_memory = number(0, 2) == 0;
    step.key = random_();
    // Ordered accesses share one view: the bytes one after the other.
    if (step.way == Way::kOrdered) step.gap = 0;
    return step;
  }

  /// The byte of the file that a rank's view shows at a position.
  [[nodiscard]] std::size_t place(const Step& step, int rank, MPI_Offset position) const {
    if (step.way == Way::kOrdered) {
      for (int before = 0; before < rank; ++before) position += step.bytes[static_cast<std::size_t>(before)];
      return static_cast<std::size_t>(step.disp + position);
    }
    position += step.offsets[static_cast<std::size_t>(rank)];
    const MPI_Offset round = MPI_Offset{step.block} * world.size + step.gap;
    return static_cast<std::size_t>(step.disp + position / step.block * round + rank * step.block +
                                    position % step.block);
  }

  void set_view(const Step& step) {
    if (step.way == Way::kOrdered) {
      OK(MPI_File_set_view(file_, step.disp, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
      return;
    }
    const Type filetype(
        resized_type(contiguous_type(step.block, MPI_BYTE), 0, MPI_Aint{step.block} * world.size + step.gap));
    OK(MPI_File_set_view(file_, step.disp + step.block * world.rank, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
  }

  /// Runs the access, with the rank's data one after the other in memory or every second byte.
  int access(const Step& step, std::vector<unsigned char>& buffer) {
    const auto me = static_cast<std::size_t>(world.rank);
    const MPI_Offset offset = step.offsets[me];
    const Type every_second(resized_type(MPI_BYTE, 0, 2));
    const MPI_Datatype type = step.gaps_in_memory ? static_cast<MPI_Datatype>(every_second) : MPI_BYTE;
    unsigned char* data = buffer.data();
    const int count = step.bytes[me];
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    if (step.way == Way::kAll || step.way == Way::kIndividual) OK(MPI_File_seek(file_, offset, MPI_SEEK_SET));
    const bool w = step.writes;
    switch (step.way) {
      case Way::kAt:
        OK(w ? MPI_File_write_at(file_, offset, data, count, type, &status)
             : MPI_File_read_at(file_, offset, data, count, type, &status));
        break;
      case Way::kAtAll:
        OK(w ? MPI_File_write_at_all(file_, offset, data, count, type, &status)
             : MPI_File_read_at_all(file_, offset, data, count, type, &status));
        break;
      case Way::kAll:
        OK(w ? MPI_File_write_all(file_, data, count, type, &status)
             : MPI_File_read_all(file_, data, count, type, &status));
        break;
      case Way::kIndividual:
        OK(w ? MPI_File_write(file_, data, count, type, &status) : MPI_File_read(file_, data, count, type, &status));
        break;
      case Way::kNonblocking:
        OK(w ? MPI_File_iwrite_at(file_, offset, data, count, type, &request)
             : MPI_File_iread_at(file_, offset, data, count, type, &request));
        OK(MPI_Wait(&request, &status));
        break;
      case Way::kNonblockingAll:
        OK(w ? MPI_File_iwrite_at_all(file_, offset, data, count, type, &request)
             : MPI_File_iread_at_all(file_, offset, data, count, type, &request));
        OK(MPI_Wait(&request, &status));
        break;
      case Way::kSplit:
        OK(w ? MPI_File_write_at_all_begin(file_, offset, data, count, type)
             : MPI_File_read_at_all_begin(file_, offset, data, count, type));
        OK(w ? MPI_File_write_at_all_end(file_, data, &status) : MPI_File_read_at_all_end(file_, data, &status));
        break;
      case Way::kOrdered:
        OK(w ? MPI_File_write_ordered(file_, data, count, type, &status)
             : MPI_File_read_ordered(file_, data, count, type, &status));
        break;
    }
    return count_of(status, MPI_BYTE);
  }

  void write(const Step& step) {
    set_view(step);
    const auto me = static_cast<std::size_t>(world.rank);
    const std::size_t step_in_memory = step.gaps_in_memory ? 2 : 1;
    std::vector<unsigned char> buffer(static_cast<std::size_t>(step.bytes[me]) * step_in_memory + 1, 0xab);
    for (int i = 0; i < step.bytes[me]; ++i) {
      buffer[static_cast<std::size_t>(i) * step_in_memory] =
          pattern_byte(key_of(step.key, world.rank), static_cast<std::size_t>(i));
    }
    CHECK_EQ(access(step, buffer), step.bytes[me]);
    for (int rank = 0; rank < world.size; ++rank) {
      for (int i = 0; i < step.bytes[static_cast<std::size_t>(rank)]; ++i) {
        const std::size_t at = place(step, rank, i);
        if (at >= model_.size()) model_.resize(at + 1, 0);
        model_[at] = pattern_byte(key_of(step.key, rank), static_cast<std::size_t>(i));
      }
    }
  }

  void read(const Step& step) {
    set_view(step);
    const auto me = static_cast<std::size_t>(world.rank);
    const std::size_t step_in_memory = step.gaps_in_memory ? 2 : 1;
    std::vector<unsigned char> buffer(static_cast<std::size_t>(step.bytes[me]) * step_in_memory + 1, 0xab);
    const int got = access(step, buffer);
    int expected = 0;
    int wrong = 0;
    for (int i = 0; i < step.bytes[me]; ++i) {
      const std::size_t at = place(step, world.rank, i);
      const unsigned char byte = buffer[static_cast<std::size_t>(i) * step_in_memory];
      if (at < model_.size()) {
        ++expected;
        wrong += byte != model_[at];
      } else {
        wrong += byte != 0xab;
      }
      if (step.gaps_in_memory) wrong += buffer[static_cast<std::size_t>(i) * 2 + 1] != 0xab;
    }
    CHECK_EQ(got, expected);
    CHECK_EQ(wrong, 0);
  }

  Context& world;
  const ScratchFile& scratch_;
  std::mt19937_64 random_;
  MPI_File file_ = MPI_FILE_NULL;
  std::vector<unsigned char> model_;
};

MPI_CASE("a storm of accesses leaves what it must", 1, 8) {
  const ScratchFile scratch(world);
  Storm(world, scratch).run(40, MPI_INFO_NULL);
}

MPI_CASE("a storm of accesses through small buffers of aggregators", 1, 8) {
  const ScratchFile scratch(world);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collective_buffering", "true");
  MPI_Info_set(info, "cb_buffer_size", "16384");
  MPI_Info_set(info, "cb_nodes", "3");
  Storm(world, scratch).run(25, info);
  MPI_Info_free(&info);
}

}  // namespace
}  // namespace starling::tests
