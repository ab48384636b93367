// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Outputs that keep a file: given as they are, behind std::ref, inside of others, and in ways that cannot be resumed.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "run/node.hpp"
#include "starling/farm.hpp"
#include "starling/farm/line_file.hpp"
#include "temporary_path.hpp"
#include "thread_link.hpp"

namespace starling::farm::output_test {
namespace {

const std::atomic<bool> kNobodyAsks{false};
std::atomic<int> never_grows{0};

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The numbers below `count`, as text, to this Output, on one thread.
template <class Output>
Summary write_numbers(const Options& options, long count, Output output) {
  long next = 0;
  const auto input = [&]() -> std::optional<long> { return next < count ? std::optional(next++) : std::nullopt; };
  const auto calculate = [](long n) { return std::to_string(n); };
  detail::TypedProgram program(input, calculate, output);
  Net net(1);
  ThreadLink link(net, 0);
  Tree tree;
  tree.nodes.resize(1);
  const NodeOutcome outcome = run_node(options, program, link, tree, {1, &kNobodyAsks, &never_grows});
  if (outcome.error) std::rethrow_exception(outcome.error);
  return outcome.summary;
}

class FarmOutput : public ::testing::Test {
 protected:
  FarmOutput() {
    options.progress = Progress::kOff;
    options.journal = journal.path;
  }
  const TemporaryPath journal{"journal"};
  const TemporaryPath out{"out"};
  Options options;
};

TEST_F(FarmOutput, GoesOnWithALineFileBehindAReference) {
  for (const long count : {3, 6}) {
    LineFile file(out.path);
    write_numbers(options, count, std::ref(file));
    options.start = Start::kResume;
  }
  EXPECT_EQ(contents(out.path), "0\n1\n2\n3\n4\n5\n");
}

TEST_F(FarmOutput, RefusesALineFileWhoseMarkNobodyKnows) {
  std::ofstream(out.path) << "precious\n";
  LineFile file(out.path);
  const auto lambda = [&](const std::string& line) { file.write(line); };
  EXPECT_THROW(write_numbers(options, 3, lambda), std::runtime_error);
  EXPECT_THROW(write_numbers(options, 3, std::function<void(std::string)>(lambda)), std::runtime_error);
  EXPECT_EQ(contents(out.path), "precious\n");
  options.journal.clear();
  write_numbers(options, 3, lambda);
  EXPECT_EQ(contents(out.path), "0\n1\n2\n");
}

/// Has a mark, and forgets to take its file back to it.
struct Forgetful {
  LineFile* file;
  void operator()(const std::string& line) const { file->write(line); }
  std::uint64_t mark() const { return file->mark(); }
  void resume(std::uint64_t) const {}
};

TEST_F(FarmOutput, RefusesALineFileThatWasNotTakenBack) {
  {
    LineFile file(out.path);
    write_numbers(options, 3, Forgetful{&file});
  }
  options.start = Start::kResume;
  LineFile file(out.path);
  EXPECT_THROW(write_numbers(options, 6, Forgetful{&file}), std::runtime_error);
  EXPECT_EQ(contents(out.path), "0\n1\n2\n");
}

TEST_F(FarmOutput, RefusesAFileThatIsShorterThanItWas) {
  {
    LineFile file(out.path);
    write_numbers(options, 3, std::ref(file));
  }
  options.start = Start::kResume;
  std::ofstream(out.path) << "0\n";
  LineFile file(out.path);
  EXPECT_THROW(write_numbers(options, 6, std::ref(file)), std::runtime_error);
  EXPECT_EQ(contents(out.path), "0\n");
}

TEST_F(FarmOutput, TellsOfPiecesThatInputGivesNoMore) {
  const auto nowhere = [](const std::string&) {};
  EXPECT_EQ(write_numbers(options, 10, nowhere).not_given, 0U);
  options.start = Start::kResume;
  EXPECT_EQ(write_numbers(options, 12, nowhere).not_given, 0U);
  EXPECT_EQ(write_numbers(options, 7, nowhere).not_given, 5U);
}

/// A kernel that works only once it is set up.
struct Prepared {
  int thread = -1;
  void start(Worker worker) { thread = worker.thread; }
  long operator()(long n) const { return n + thread; }
};

TEST(FarmCalculate, SetsUpEveryKernelOfACombination) {
  Prepared shared;
  const auto sum_with = [](const auto& calculate) {
    long next = 0;
    long sum = 0;
    const auto input = [&]() -> std::optional<std::variant<long>> {
      return next < 10 ? std::optional<std::variant<long>>(next++) : std::nullopt;
    };
    const auto output = [&](long n) { sum += n; };
    detail::TypedProgram program(input, calculate, output);
    Net net(1);
    ThreadLink link(net, 0);
    Tree tree;
    tree.nodes.resize(1);
    Options options;
    options.progress = Progress::kOff;
    run_node(options, program, link, tree, {1, &kNobodyAsks, &never_grows});
    return sum;
  };
  EXPECT_EQ(sum_with(chain(kernels(Prepared{}), Prepared{})), 45);
  EXPECT_EQ(sum_with(chain(kernels(Prepared{}), std::ref(shared))), 45);
}

}  // namespace
}  // namespace starling::farm::output_test
