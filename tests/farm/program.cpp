// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The farm's test program: writes every number below COUNT once into FILE. What each task carries is BYTES long, and
// calculating takes MICROSECONDS. With PARTS a first stage makes so many of each number, and the numbers below COUNT *
// PARTS are written. FARM_ILL=WHERE:HOW:NUMBER,NUMBER... in the environment makes input, calculate or output of these
// numbers end in one of the ways of leave().
//
// usage: program COUNT MICROSECONDS BYTES FILE [PARTS] [--farm-...]
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <starling/farm.hpp>
#include <starling/farm/line_file.hpp>
#include <thread>

#include "illness.hpp"

namespace {

struct Piece {
  long number = 0;
  std::string load;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, load);
  }
};

/// Says where it runs, so that a test can kill it: an empty file <FILE>.<rank>.<pid>.
struct Calculate {
  std::chrono::microseconds time;
  std::string file;
  void start(starling::farm::Worker worker) const {
    std::ofstream(file + "." + std::to_string(worker.rank) + "." + std::to_string(::getpid()));
  }
  Piece operator()(const Piece& piece) const {
    illness("calculate", piece.number);
    if (time.count() > 0) std::this_thread::sleep_for(time);
    return Piece{piece.number, piece.load + "y"};
  }
};

/// Of several Inputs each gives every n-th number.
struct Numbers {
  long count;
  std::size_t size;
  long next = 0;
  long step = 1;
  void start(starling::farm::Place place) {
    next = place.index;
    step = place.count;
  }
  std::optional<Piece> operator()() {
    if (next >= count) return std::nullopt;
    next += step;
    illness("input", next - step);
    return Piece{next - step, std::string(size, 'x')};
  }
};

/// Of several Outputs each has a file of its own: <FILE>_<index>.
struct Lines {
  std::string path;
  std::size_t size;
  std::optional<starling::farm::LineFile> file = std::nullopt;
  void start(starling::farm::Place place) {
    file.emplace(place.count == 1 ? path : path + "_" + std::to_string(place.index));
  }
  void operator()(const Piece& piece) {
    illness("output", piece.number);
    const bool good = piece.load.size() == size + 1 && piece.load.back() == 'y';
    file->write(std::to_string(piece.number) + (good ? "" : " broken"));
  }
  std::uint64_t mark() const { return file->mark(); }
  void resume(std::uint64_t mark) { file->resume(mark); }
};

int run(int argc, char** argv) {
  const starling::farm::Options options(argc, argv);
  if (argc < 5) {
    std::fputs("usage: program COUNT MICROSECONDS BYTES FILE [PARTS] [--farm-...]\n", stderr);
    return 3;
  }
  const std::chrono::microseconds time(std::atol(argv[2]));
  const auto size = static_cast<std::size_t>(std::atol(argv[3]));
  const Calculate calculate{time, argv[4]};
  Numbers input{std::atol(argv[1]), size};
  Lines output{argv[4], size};
  if (argc == 5) return starling::farm::run(options, input, calculate, output).exit_code();
  const auto divide = [parts = std::atol(argv[5])](const Piece& piece) {
    std::vector<Piece> all;
    for (long i = 0; i < parts; ++i) all.push_back({piece.number * parts + i, piece.load});
    return all;
  };
  return starling::farm::run(options, input, starling::farm::stages(divide, calculate), output).exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(3);  // the other processes must not wait for this one
  }
}
