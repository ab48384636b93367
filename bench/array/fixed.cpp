// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What it costs that objects have an index, may move and are found: an invocation and a reduction of elements beside
// the same work on objects that cannot move, written by hand with the calls of C++ and of MPI. Table 1 of O. Lawlor, L.
// Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001, has such a comparison. Prints medians of several runs.
//     mpiexec -n 2 bench/array/fixed_starling [--runs N]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <starling/array.hpp>
#include <vector>

#include "timing.hpp"

namespace {

using namespace starling::array;

constexpr int kObjects = 16;  // of a process

/// An element that hands a number on to the next one of its process, or to the other process.
class Cell : public Element<Cell> {
 public:
  void pass(int left) {
    if (left > 0)
      array()[index() % kObjects == kObjects - 1 ? index() + 1 - kObjects : index() + 1].send<&Cell::pass>(left - 1);
  }
  void cross(int left) {
    if (left > 0) array()[(index() + kObjects) % (2 * kObjects)].send<&Cell::cross>(left - 1);
  }
  void add(const Future<long>& total) { contribute(1L, Sum{}, total); }
  void serialize(Archive& /*archive*/) {}
};

/// An object that stays: the same, found by its address.
class Fixed {
 public:
  virtual ~Fixed() = default;
  virtual void pass(int left) = 0;
};

struct Parcel {
  Fixed* to;
  int left;
};

class Object final : public Fixed {
 public:
  Object(std::deque<Parcel>& queue, std::vector<std::unique_ptr<Fixed>>& all, std::size_t place)
      : queue_(queue), all_(all), place_(place) {}
  void pass(int left) override {
    if (left > 0) queue_.push_back({all_[(place_ + 1) % all_.size()].get(), left - 1});
  }

 private:
  std::deque<Parcel>& queue_;
  std::vector<std::unique_ptr<Fixed>>& all_;
  std::size_t place_;
};

/// The median of several times what `once` returns, on all processes at once; printed by the first.
double median_of(int runs, const std::function<double()>& once) {
  once();
  std::vector<double> values;
  for (int i = 0; i < runs; ++i) values.push_back(once());
  return median(values);
}

void report(const char* name, double fixed_us, double moving_us) {
  std::printf("%-46s %9.3f us %9.3f us   %5.1f times\n", name, fixed_us, moving_us, moving_us / fixed_us);
}

double queued_us(int count) {
  std::deque<Parcel> queue;
  std::vector<std::unique_ptr<Fixed>> objects;
  for (std::size_t i = 0; i < kObjects; ++i) objects.push_back(std::make_unique<Object>(queue, objects, i));
  return seconds_of([&] {
           queue.push_back({objects[0].get(), count});
           while (!queue.empty()) {
             const Parcel next = queue.front();
             queue.pop_front();
             next.to->pass(next.left);
           }
         }) *
         1e6 / count;
}

/// One int there and back, by hand; on both processes.
double crossing_us(int rank, int count) {
  MPI_Barrier(MPI_COMM_WORLD);
  return seconds_of([&] {
           for (int left = count; left > 0; --left) {
             const int other = 1 - rank;
             if (left % 2 == rank % 2) {
               MPI_Send(&left, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
             } else {
               int got = 0;
               MPI_Recv(&got, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
             }
           }
         }) *
         1e6 / count;
}

/// What to do goes to all, each process adds up its objects, the sum comes back.
double reduction_us(int rank, int count) {
  std::vector<long> objects(kObjects, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  return seconds_of([&] {
           for (int i = 0; i < count; ++i) {
             int what = i;
             MPI_Bcast(&what, 1, MPI_INT, 0, MPI_COMM_WORLD);
             long sum = 0;
             for (const long each : objects) sum += each;
             long total = 0;
             MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
             if (rank == 0 && total == 0) std::abort();
           }
         }) *
         1e6 / count;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Session session(MPI_COMM_WORLD);
    const int runs = argc > 2 && std::strcmp(argv[1], "--runs") == 0 ? std::max(1, std::atoi(argv[2])) : 5;
    constexpr int kCalls = 300000;
    constexpr int kCrossings = 20000;
    constexpr int kReductions = 3000;
    const int rank = session.rank();
    const double queued = median_of(runs, [] { return queued_us(kCalls); });
    const double crossing = session.size() == 2 ? median_of(runs, [&] { return crossing_us(rank, kCrossings); }) : 0;
    const double reduction = median_of(runs, [&] { return reduction_us(rank, kReductions); });
    Array<Cell> cells(session, kObjects * session.size());
    session.run([&] {
      std::printf("%d processes, %d objects each%27s that stay   elements\n", session.size(), kObjects, "");
      report("invocation in a process, by a queue", queued, median_of(runs, [&] {
               return seconds_of([&] {
                        cells[0].send<&Cell::pass>(kCalls);
                        session.quiesce();
                      }) *
                      1e6 / kCalls;
             }));
      if (session.size() == 2) {
        report("invocation in the other process", crossing, median_of(runs, [&] {
                 return seconds_of([&] {
                          cells[0].send<&Cell::cross>(kCrossings);
                          session.quiesce();
                        }) *
                        1e6 / kCrossings;
               }));
      }
      report("broadcast and reduction", reduction, median_of(runs, [&] {
               return seconds_of([&] {
                        for (int i = 0; i < kReductions; ++i) {
                          Future<long> total(session);
                          cells.broadcast<&Cell::add>(total);
                          if (total.get() == 0) std::abort();
                        }
                      }) *
                      1e6 / kReductions;
             }));
    });
  }
  MPI_Finalize();
}
