// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Many farms one after the other in one program, in a random graph of processes each. In some Input, Output or
// Calculate fail, in several processes at once, and tasks take too long; the next farm must not hear of it.
//
// usage: farms FOLDER SEED FARMS
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <starling/farm.hpp>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using starling::farm::Options;

constexpr long kCount = 60;

/// A number, and what makes it large in every other farm.
using Piece = std::pair<long, std::string>;
using Result = std::pair<Piece, int>;
std::string load_of(int farm, long piece) {
  return farm % 2 == 0 ? std::string() : std::string(static_cast<std::size_t>(piece * 300), 'x');
}

/// What goes wrong in a farm; all processes draw the same.
struct Plan {
  int inputs_end;   ///< By an error of so many Inputs.
  int outputs_end;  ///< The same.
  long fails;       ///< This task does, always; -1: none.
  long hangs;       ///< This one takes too long the first time in each process; -1: none.
};

/// Each node is below one of those before it, and below some others as well.
std::string graph(std::mt19937_64& random, int size) {
  std::string text = "root = 'n0'\n";
  std::vector<std::string> children(static_cast<std::size_t>(size));
  std::vector<std::string> further(static_cast<std::size_t>(size));
  for (int node = 1; node < size; ++node) {
    const auto parent = random() % static_cast<unsigned>(node);
    children[parent] += "'n" + std::to_string(node) + "',";
    for (unsigned other = 0; other < static_cast<unsigned>(node); ++other) {
      if (other != parent && random() % 2 == 0)
        further[static_cast<std::size_t>(node)] += "'n" + std::to_string(other) + "',";
    }
  }
  for (std::size_t node = 0; node < children.size(); ++node) {
    text += "[nodes.n" + std::to_string(node) + "]\nthreads = 1\nchildren = [" + children[node] + "]\n";
    if (!further[node].empty()) text += "also_below = [" + further[node] + "]\n";
  }
  return text;
}

struct Ranks {
  int rank = 0;
  int size = 0;
};

class Input {
 public:
  Input(const Plan& plan, int number) : plan_(plan), number_(number) {}
  void start(starling::farm::Place place) {
    place_ = place;
    next_ = place.index;
  }
  std::optional<Piece> operator()() {
    if (place_.index < plan_.inputs_end && next_ > kCount / 2) throw std::runtime_error("an Input ends");
    if (next_ >= kCount) return std::nullopt;
    next_ += place_.count;
    const long piece = next_ - place_.count;
    return Piece{piece, load_of(number_, piece)};
  }

 private:
  const Plan plan_;
  const int number_;
  starling::farm::Place place_{};
  long next_ = 0;
};

class Output {
 public:
  Output(const Plan& plan, std::atomic<long>& taken, int number) : plan_(plan), taken_(&taken), number_(number) {}
  void start(starling::farm::Place place) { place_ = place; }
  void operator()(const Result& result) {
    const auto& [number, load] = result.first;
    if (load != load_of(number_, number)) std::fprintf(stderr, "farm %d took damaged data\n", number_);
    if (result.second != number_) std::fprintf(stderr, "farm %d took what is of farm %d\n", number_, result.second);
    if (place_.index < plan_.outputs_end && ++seen_ > kCount / 8) throw std::runtime_error("an Output ends");
    ++*taken_;
  }

 private:
  const Plan plan_;
  std::atomic<long>* taken_;
  const int number_;
  starling::farm::Place place_{};
  long seen_ = 0;
};

/// What went wrong in this process, if anything.
std::string run_farm(Options options, const Plan& plan, int number, std::atomic<long>& taken, int& exit_code) {
  const auto calculate = [plan, number](const Piece& piece) {
    if (piece.first == plan.fails) throw std::runtime_error("fails always");
    static std::atomic<int> hung{-1};
    if (piece.first == plan.hangs && hung.exchange(number) != number)
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return Result(piece, number);
  };
  try {
    exit_code = starling::farm::run(options, Input(plan, number), calculate, Output(plan, taken, number)).exit_code();
  } catch (const std::runtime_error& error) {
    exit_code = 3;
    return error.what();
  }
  return "";
}

/// Of all processes.
long sum(long mine) {
  long all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Whether the farm came to what the plan says, on all processes.
bool is_as_planned(Options options, const Plan& plan, int number) {
  std::atomic<long> taken{0};
  int exit_code = 0;
  const std::string error = run_farm(std::move(options), plan, number, taken, exit_code);
  const bool ends = plan.inputs_end + plan.outputs_end > 0;
  const bool well = ends ? exit_code == 3 : error.empty() && (exit_code == 0 || exit_code == 1);
  if (!well) std::fprintf(stderr, "farm %d: status %d, '%s'\n", number, exit_code, error.c_str());
  const long all = sum(taken.load());
  const long wanted = kCount - (plan.fails >= 0 ? 1 : 0);
  if (!ends && all != wanted) std::fprintf(stderr, "farm %d took %ld of %ld\n", number, all, wanted);
  return sum(well && (ends || all == wanted) ? 0 : 1) == 0;
}

int run_farms(const std::string& folder, unsigned seed, int farms, const Ranks& ranks) {
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int number = 0; number < farms; ++number) {
    Options options;
    options.threads = 1;
    options.attempts = ranks.size + 2;  // the task that hangs does so once in each process
    options.summary = false;
    options.progress = starling::farm::Progress::kOff;
    options.tree_file = folder + "/tree.toml";
    options.stragglers_twice = random() % 2 == 0;
    const std::string text = graph(random, ranks.size);
    for (int rank = 0; rank < ranks.size; ++rank) {
      if (random() % 3 == 0) options.inputs.push_back(rank);
      if (random() % 3 == 0) options.outputs.push_back(rank);
    }
    const auto some = [&](std::size_t most) { return random() % 4 == 0 ? static_cast<int>(random() % (most + 1)) : 0; };
    Plan plan{some(options.inputs.size()), some(options.outputs.size()), -1, -1};
    if (random() % 3 == 0) plan.fails = static_cast<long>(random() % kCount);
    if (random() % 8 == 0) plan.hangs = static_cast<long>(random() % kCount);
    if (plan.hangs == plan.fails) plan.hangs = -1;
    if (plan.hangs >= 0) options.task_limit_s = 0.1;
    if (ranks.rank == 0) std::ofstream(options.tree_file) << text;
    if (!is_as_planned(options, plan, number)) ++wrong;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (argc != 4) {
    std::fputs("usage: farms FOLDER SEED FARMS\n", stderr);
    return 2;
  }
  Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
  const int farms = std::atoi(argv[3]);
  const int wrong = run_farms(argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)), farms, ranks);
  if (ranks.rank == 0) std::printf("%d farms, %d of them wrong\n", farms, wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
