// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Packing and reducing against the loop that one would write by hand for the same data, and a user's operator against
// a call of its function. Each pair of lines is to be read together: <case>/by_hand is the control of <case>/cursor.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "datatype/op/op.hpp"
#include "datatype/pack/pack.hpp"

namespace {

using starling::Ref;
using starling::datatype::Basic;
using starling::datatype::Commutes;
using starling::datatype::Datatype;
using starling::datatype::Op;
using starling::datatype::PackCursor;
using starling::datatype::predefined;
using starling::datatype::PredefinedOp;
using starling::datatype::UnpackCursor;

Ref<Datatype> commit(Datatype::Made made) {
  made.value()->commit();
  return std::move(made).value();
}

const Datatype& real() { return predefined(Basic::kDouble); }

// A column of a matrix of doubles.
constexpr std::int64_t kColumns = 64;

void column_by_hand(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  std::vector<double> matrix(static_cast<std::size_t>(rows * kColumns), 1);
  std::vector<double> packed(static_cast<std::size_t>(rows));
  for (auto _ : state) {
    for (std::int64_t i = 0; i < rows; ++i) {
      packed[static_cast<std::size_t>(i)] = matrix[static_cast<std::size_t>(i * kColumns)];
    }
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows * 8);
}

void column_cursor(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  std::vector<double> matrix(static_cast<std::size_t>(rows * kColumns), 1);
  std::vector<std::byte> packed(static_cast<std::size_t>(rows * 8));
  const Ref<Datatype> type = commit(Datatype::vector(rows, 1, kColumns, real()));
  for (auto _ : state) {
    PackCursor(*type, matrix.data(), 1).pack(packed.data(), packed.size());
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows * 8);
}

// The same in pieces of 4 KiB, as a message of fragments takes it.
void column_in_pieces(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  std::vector<double> matrix(static_cast<std::size_t>(rows * kColumns), 1);
  std::vector<std::byte> packed(4096);
  const Ref<Datatype> type = commit(Datatype::vector(rows, 1, kColumns, real()));
  for (auto _ : state) {
    PackCursor cursor(*type, matrix.data(), 1);
    while (!cursor.done()) cursor.pack(packed.data(), packed.size());
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows * 8);
}

// The same as so many elements of a datatype that is as long as a row: an array section of Fortran is sent so.
void column_of_elements(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  std::vector<double> matrix(static_cast<std::size_t>(rows * kColumns), 1);
  std::vector<std::byte> packed(static_cast<std::size_t>(rows * 8));
  const Ref<Datatype> type = commit(Datatype::resized(real(), 0, kColumns * 8));
  for (auto _ : state) {
    PackCursor(*type, matrix.data(), rows).pack(packed.data(), packed.size());
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows * 8);
}

// The inner face of a cube of doubles with a halo: two nested strides.
void face_by_hand(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  std::vector<double> cube(static_cast<std::size_t>(n * n * n), 1);
  std::vector<double> packed(static_cast<std::size_t>(n * n));
  for (auto _ : state) {
    double* to = packed.data();
    for (std::int64_t z = 1; z < n - 1; ++z) {
      for (std::int64_t y = 1; y < n - 1; ++y) *to++ = cube[static_cast<std::size_t>((z * n + y) * n + 1)];
    }
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (n - 2) * (n - 2) * 8);
}

void face_cursor(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  std::vector<double> cube(static_cast<std::size_t>(n * n * n), 1);
  std::vector<std::byte> packed(static_cast<std::size_t>(n * n * 8));
  const std::vector<std::int64_t> sizes{n, n, n};
  const std::vector<std::int64_t> subsizes{n - 2, n - 2, 1};
  const std::vector<std::int64_t> starts{1, 1, 1};
  const Ref<Datatype> type = commit(Datatype::subarray(sizes, subsizes, starts, starling::datatype::Order::kC, real()));
  for (auto _ : state) {
    PackCursor(*type, cube.data(), 1).pack(packed.data(), packed.size());
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (n - 2) * (n - 2) * 8);
}

// An array of structures with padding.
struct Particle {
  std::int32_t id;
  double position[3];
  char kind;
};

void structures_by_hand(benchmark::State& state) {
  const std::int64_t count = state.range(0);
  std::vector<Particle> particles(static_cast<std::size_t>(count));
  std::vector<std::byte> packed(static_cast<std::size_t>(count * 29));
  for (auto _ : state) {
    const std::byte* from = packed.data();
    for (Particle& particle : particles) {
      std::memcpy(&particle.id, from, 4);
      std::memcpy(particle.position, from + 4, 24);
      std::memcpy(&particle.kind, from + 28, 1);
      from += 29;
    }
    benchmark::DoNotOptimize(particles.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * 29);
}

void structures_cursor(benchmark::State& state) {
  const std::int64_t count = state.range(0);
  std::vector<Particle> particles(static_cast<std::size_t>(count));
  std::vector<std::byte> packed(static_cast<std::size_t>(count * 29));
  const std::vector<std::int64_t> lengths{1, 3, 1};
  const std::vector<std::int64_t> places{offsetof(Particle, id), offsetof(Particle, position),
                                         offsetof(Particle, kind)};
  const std::vector<const Datatype*> types{&predefined(Basic::kInt32), &real(), &predefined(Basic::kChar)};
  const Ref<Datatype> type = commit(Datatype::structure(lengths, places, types));
  for (auto _ : state) {
    UnpackCursor(*type, particles.data(), count).unpack(packed.data(), packed.size());
    benchmark::DoNotOptimize(particles.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * 29);
}

// An irregular gather of single doubles.
std::vector<std::int64_t> irregular(std::int64_t count) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(3 * i + i % 2);
  return places;
}

void gather_by_hand(benchmark::State& state) {
  const std::vector<std::int64_t> places = irregular(state.range(0));
  std::vector<double> data(places.size() * 4, 1);
  std::vector<double> packed(places.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < places.size(); ++i) packed[i] = data[static_cast<std::size_t>(places[i])];
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 8);
}

void gather_cursor(benchmark::State& state) {
  const std::vector<std::int64_t> places = irregular(state.range(0));
  std::vector<double> data(places.size() * 4, 1);
  std::vector<std::byte> packed(places.size() * 8);
  const Ref<Datatype> type = commit(Datatype::indexed_block(1, places, real()));
  for (auto _ : state) {
    PackCursor(*type, data.data(), 1).pack(packed.data(), packed.size());
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 8);
}

template <typename T>
void sum_by_hand(benchmark::State& state) {
  std::vector<T> in(static_cast<std::size_t>(state.range(0)), T{1});
  std::vector<T> inout(in.size(), T{0});
  for (auto _ : state) {
    for (std::size_t i = 0; i < in.size(); ++i) inout[i] = static_cast<T>(inout[i] + in[i]);
    benchmark::DoNotOptimize(inout.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(sizeof(T)));
}

template <Basic kType>
void sum_operator(benchmark::State& state) {
  const std::int64_t count = state.range(0);
  std::vector<std::byte> in(static_cast<std::size_t>(count * predefined(kType).size()));
  std::vector<std::byte> inout(in.size());
  for (auto _ : state) {
    if (!predefined(PredefinedOp::kSum).apply(in.data(), inout.data(), count, predefined(kType)).ok()) {
      state.SkipWithError("the operator failed");
    }
    benchmark::DoNotOptimize(inout.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * predefined(kType).size());
}

/// What a user gives to MPI_Op_create.
[[gnu::noinline]] void add_doubles(void* in, void* inout, int* count, void* /*datatype*/) {
  const auto* from = static_cast<const double*>(in);
  auto* to = static_cast<double*>(inout);
  for (int i = 0; i < *count; ++i) to[i] += from[i];
}

void user_by_hand(benchmark::State& state) {
  std::vector<double> in(static_cast<std::size_t>(state.range(0)), 1);
  std::vector<double> inout(in.size(), 0);
  Op::Function function = add_doubles;
  benchmark::DoNotOptimize(function);
  for (auto _ : state) {
    int count = static_cast<int>(state.range(0));
    void* handle = nullptr;
    function(in.data(), inout.data(), &count, &handle);
    benchmark::ClobberMemory();
  }
}

void user_operator(benchmark::State& state) {
  std::vector<double> in(static_cast<std::size_t>(state.range(0)), 1);
  std::vector<double> inout(in.size(), 0);
  const Ref<Op> op = std::move(Op::user(add_doubles, Commutes::kYes)).value();
  for (auto _ : state) {
    if (!op->apply(in.data(), inout.data(), state.range(0), real()).ok()) state.SkipWithError("the operator failed");
    benchmark::ClobberMemory();
  }
}

BENCHMARK(column_by_hand)->Name("column/by_hand")->Arg(8)->Arg(512)->Arg(8192);
BENCHMARK(column_cursor)->Name("column/cursor")->Arg(8)->Arg(512)->Arg(8192);
BENCHMARK(column_of_elements)->Name("column/of_elements")->Arg(8)->Arg(512)->Arg(8192);
BENCHMARK(column_in_pieces)->Name("column/in_pieces")->Arg(8192);
BENCHMARK(face_by_hand)->Name("face/by_hand")->Arg(8)->Arg(66);
BENCHMARK(face_cursor)->Name("face/cursor")->Arg(8)->Arg(66);
BENCHMARK(structures_by_hand)->Name("structures/by_hand")->Arg(8)->Arg(1000);
BENCHMARK(structures_cursor)->Name("structures/cursor")->Arg(8)->Arg(1000);
BENCHMARK(gather_by_hand)->Name("gather/by_hand")->Arg(8)->Arg(1000);
BENCHMARK(gather_cursor)->Name("gather/cursor")->Arg(8)->Arg(1000);
BENCHMARK(sum_by_hand<double>)->Name("sum_double/by_hand")->Arg(1)->Arg(1024)->Arg(65536);
BENCHMARK(sum_operator<Basic::kDouble>)->Name("sum_double/operator")->Arg(1)->Arg(1024)->Arg(65536);
BENCHMARK(sum_by_hand<std::int32_t>)->Name("sum_int/by_hand")->Arg(1)->Arg(1024);
BENCHMARK(sum_operator<Basic::kInt>)->Name("sum_int/operator")->Arg(1)->Arg(1024);
BENCHMARK(user_by_hand)->Name("user/by_hand")->Arg(1)->Arg(64)->Arg(1024);
BENCHMARK(user_operator)->Name("user/operator")->Arg(1)->Arg(64)->Arg(1024);

}  // namespace
