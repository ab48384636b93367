// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Stacks of many ranks: shortened, merged, and written down.
#include "observe/stack/stack.hpp"

#include <gtest/gtest.h>

#include "observe/stack/shortened.hpp"
#include "observe/stack/stack_report.hpp"
#include "observe/stack/stack_tree.hpp"
#include "situation.hpp"

namespace starling::observe::test {
namespace {

StackFrame native(const char* function, const char* module, const char* file = "", int line = 0) {
  return {false, function, file, line, module, 0};
}
StackFrame python(const char* function, const char* file, int line) { return {true, function, file, line, {}, 0}; }

constexpr const char* kProgram = "/home/a/solver";
constexpr const char* kLibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
constexpr const char* kMpi = "/opt/starling/lib/libmpi_abi.so.1.0.0";
constexpr const char* kPython = "/usr/bin/python3.11";

std::vector<std::string> shown(const std::vector<StackFrame>& frames) {
  std::vector<std::string> texts;
  for (const StackFrame& frame : shortened(frames)) texts.push_back(frame_text(frame));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Stacks, AreReadBackAsTheyWereWritten) {
  RankStacks rank{3, 71, 250'000, "it has ended", {}, {"'solver' has been stripped", "another"}};
  rank.threads.push_back(
      {71, true, 'S', "solver", {native("main", kProgram, "solver.cpp", 8), {false, "", "", 0, kMpi, 17}}});
  rank.threads.push_back({72, false, 'R', "helper", {python("step", "solver.py", 88)}});
  const std::vector<RankStacks> stacks{rank, {4, 72, 0, "", {}, {}}};
  EXPECT_EQ(stacks_from_text(to_text(stacks)), stacks);
}

TEST(Stacks, AreReadFromDamagedTextAsFarAsItGoes) {
  EXPECT_TRUE(stacks_from_text("frame\tnative\nthread\n\nhello\n").empty());
  EXPECT_EQ(stacks_from_text("rank\t1\t2\t3\nframe\tnative\tf\tg\t1\tm\t2\nrank\t5\n").size(), 1U);
}

TEST(Shortened, CutsTheMpiLibraryToTheFunctionThatWasCalled) {
  EXPECT_EQ(shown({native("_start", kProgram), native("__libc_start_main", kLibc, "libc-start.c", 360),
                   native("main", kProgram, "/home/a/solver.cpp", 8), native("PMPI_Recv", kMpi, "recv.cpp", 3),
                   native("starling::progress::Engine::sleep", kMpi), native("syscall", kLibc)}),
            (Texts{"main at solver.cpp:8", "MPI_Recv"}));
}

TEST(Shortened, KeepsTheUsersFunctionsThatALibraryCalls) {
  EXPECT_EQ(
      shown({native("main", kProgram, "a.c", 1), native("MPI_Reduce", kMpi), native("inner", kMpi),
             native("add", kProgram, "a.c", 9), native("qsort", kLibc), native("msort_with_tmp", kLibc),
             native("compare", kProgram, "a.c", 5), native("nanosleep", kLibc), native("clock_nanosleep", kLibc)}),
      (Texts{"main at a.c:1", "MPI_Reduce", "add at a.c:9", "qsort", "compare at a.c:5", "nanosleep"}));
}

TEST(Shortened, ShowsPythonInPlaceOfItsInterpreter) {
  EXPECT_EQ(shown({native("_start", kPython), native("Py_BytesMain", kPython), python("<module>", "/x/s.py", 40),
                   python("step", "/x/s.py", 12), native("_PyEval_EvalFrameDefault", kPython),
                   native("ffi_call", "/usr/lib/libffi.so.8"), native("MPI_Barrier", kMpi)}),
            (Texts{"<module> at s.py:40", "step at s.py:12", "MPI_Barrier"}));
}

TEST(Shortened, LeavesOutAnInterpreterWhoseFunctionsAreNotKnown) {
  EXPECT_EQ(shown({native("main", kPython), native("Py_RunMain", kPython), native("read", kLibc)}), (Texts{"read"}));
}

TEST(Shortened, NamesAFunctionWithoutANameByItsPlace) {
  EXPECT_EQ(shown({{false, "", "", 0, kProgram, 0x11a9}}), (Texts{"solver+0x11a9"}));
}

TEST(Shortened, KnowsThreadsThatOnlySleepInLibraries) {
  ThreadStack idle{5, false, 'S', "", {native("clone3", kLibc), native("gomp_thread_start", "/usr/lib/libgomp.so.1")}};
  EXPECT_TRUE(sleeps_outside_the_program(idle));
  idle.frames.push_back(native("work", kProgram));
  EXPECT_FALSE(sleeps_outside_the_program(idle));
  ThreadStack busy{5, false, 'R', "", {native("clone3", kLibc)}};
  EXPECT_FALSE(sleeps_outside_the_program(busy));
}

TEST(StackTree, MergesStacksAsFarAsTheyAreTheSame) {
  StackTree tree;
  for (const std::int32_t rank : {0, 1, 2, 3, 7}) tree.add(rank, {"main", "receive"}, {"waits for 8", kSecond * rank});
  tree.add(8, {"main", "compute", "fib", "fib", "fib"}, {"is outside MPI", {}});
  EXPECT_EQ(tree.text(),
            "0 to 3, 7 and 8  main\n"
            "0 to 3 and 7       receive\n"
            "                   -> wait for 8 (7.0 s)\n"
            "8                  compute\n"
            "                   fib (3 times)\n"
            "                   -> is outside MPI\n");
}

TEST(StackTree, TellsStacksApartThatEndEarlier) {
  StackTree tree;
  tree.add(1, {"main"}, {});
  tree.add(0, {"main", "step"}, {});
  tree.add(0, {"main", "step"}, {});
  EXPECT_EQ(tree.text(),
            "0 and 1 (3 threads)  main\n"
            "0 (2 threads)          step\n");
}

TEST(StackTree, HoldsAThousandRanks) {
  StackTree tree;
  for (std::int32_t rank = 0; rank < 1000; ++rank) tree.add(rank, {"main", rank % 2 == 0 ? "even" : "odd"}, {});
  EXPECT_EQ(tree.text(),
            "0 to 999  main\n"
            "0, 2, 4, 6, 8, 10, 12, 14 and 492 more:\n"
            "            even\n"
            "1, 3, 5, 7, 9, 11, 13, 15 and 492 more:\n"
            "            odd\n");
}

TEST(StackReport, PutsWhatTheCardTellsInPlaceOfTheCall) {
  Situation situation(3);
  situation.receives(0, 1, 7).time_ns = 8 * kSecond;
  situation.set(1, Activity::kOutside);
  situation.set(2, Activity::kExited);
  const std::vector<StackFrame> receiving{native("main", kProgram, "s.c", 4), native("PMPI_Recv", kMpi)};
  const std::vector<StackFrame> computing{native("main", kProgram, "s.c", 9)};
  std::vector<RankStacks> stacks(2);
  stacks[0] = {0, 70, 300'000, "", {{70, true, 'S', "s", receiving}, {75, false, 'S', "", {native("clone3", kLibc)}}},
               {}};
  stacks[1] = {1, 71, 1'200'000, "", {{71, true, 'R', "s", computing}, {76, false, 'R', "", {native("io", kProgram)}}},
               {}};
  EXPECT_EQ(stack_report(situation.snapshot(), stacks, {0, 1, 2}, StackDetail::kUsers),
            "0  main at s.c:4\n"
            "   -> waits in MPI_Recv with tag 7, for 1 (8.0 s)\n"
            "1  main at s.c:9\n"
            "   -> is outside MPI\n"
            "2  -> has exited\n"
            "other threads:\n"
            "1  io\n"
            "1 other thread of rank 0 is asleep in libraries (--all shows it)\n"
            "each of the 2 ranks was stopped for 1.2 ms at most\n");
}

TEST(StackReport, SaysWhyStacksAreMissing) {
  Situation situation(2);
  const std::vector<RankStacks> stacks{{0, 70, 0, "gdb (process 9) traces it", {}, {}}};
  EXPECT_EQ(stack_report(situation.snapshot(), stacks, {0}, StackDetail::kUsers),
            "0  -> is outside MPI\n"
            "rank 0 is not shown whole: gdb (process 9) traces it\n");
}

}  // namespace
}  // namespace starling::observe::test
