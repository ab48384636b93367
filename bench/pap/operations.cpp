// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// bench/pap/operations: what a late rank costs in calls of any operation and form. In each iteration: a double barrier,
// a computation that takes the late rank longer (always the last one, or each its own time), the call, and what a
// program does beside a nonblocking or persistent one.
//
// Prints a line of comma-separated values for each operation and form: exposed time (from the last arrival to the last
// end) and how long a rank is in the call after the last arrival, on average over the ranks; medians over the
// iterations, in milliseconds.
//
// usage: operations [--operations O,O,...] [--forms F,F,...] [--bytes N] [--delay S] [--late one|all] [--beside S]
// [--iterations N] [--name LABEL]
//   --bytes       of the vector, or of a block
//   --delay       by how much the late rank is late; with --late all each rank by a share of it, drawn once
//   --beside      how long a rank computes between start and wait
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "program.hpp"

namespace {

using starling::programs::now_s;
using starling::programs::words;

enum class Form { kBlocking, kNonblocking, kPersistent };

struct Options {
  std::vector<std::string> operations = {"reduce", "allreduce", "reduce_scatter_block"};
  std::vector<std::string> forms = {"blocking", "nonblocking", "persistent"};
  int bytes = 1 << 19;
  double delay_s = 0.02;
  bool all_late = false;
  double beside_s = 0;
  int iterations = 121;
  std::string name = "default";
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const std::string value = argv[i + 1];
    if (option == "--operations") options.operations = words(value);
    if (option == "--forms") options.forms = words(value);
    if (option == "--bytes") options.bytes = std::atoi(value.c_str());
    if (option == "--delay") options.delay_s = std::atof(value.c_str());
    if (option == "--late") options.all_late = value == "all";
    if (option == "--beside") options.beside_s = std::atof(value.c_str());
    if (option == "--iterations") options.iterations = std::atoi(value.c_str());
    if (option == "--name") options.name = value;
  }
  return options;
}

/// A computation that leaves its core to others.
void compute(double seconds) {
  if (seconds <= 0) return;
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>(1e9 * (seconds - std::floor(seconds)));
  nanosleep(&time, nullptr);
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), floats_(options.bytes / 4) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const std::size_t most = static_cast<std::size_t>(floats_) * static_cast<std::size_t>(size_);
    send_.assign(most, 1.0F);
    receive_.resize(most);
    counts_.assign(static_cast<std::size_t>(size_), floats_);
    for (int rank = 0; rank < size_; ++rank) displs_.push_back(rank * floats_);
    std::mt19937 random(20201120);
    std::uniform_real_distribution<double> share(0, 1);
    for (int rank = 0; rank < size_; ++rank) {
      const double drawn = options.delay_s * share(random);
      const double delay_s = options.all_late ? drawn : rank == size_ - 1 ? options.delay_s : 0;
      if (rank == rank_) delay_s_ = delay_s;
    }
  }

  void run() {
    if (rank_ == 0) std::printf("name,operation,form,processes,bytes,delay_s,beside_s,exposed_ms,in_call_ms\n");
    for (const std::string& operation : options_.operations) {
      for (const std::string& form : options_.forms) measure(operation, form);
    }
  }

 private:
  void measure(const std::string& operation, const std::string& form_name) {
    const Form form = form_name == "blocking"      ? Form::kBlocking
                      : form_name == "nonblocking" ? Form::kNonblocking
                                                   : Form::kPersistent;
    std::vector<double> exposed;
    std::vector<double> in_call;
    MPI_Request persistent = MPI_REQUEST_NULL;
    if (form == Form::kPersistent) persistent = call(operation, form);
    for (int i = 0; i < options_.iterations; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      compute(delay_s_);
      const double begin = now_s();
      iterate(operation, form, &persistent);
      const double end = now_s();
      check(operation);
      double last_begin = 0;
      double last_end = 0;
      MPI_Allreduce(&begin, &last_begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      MPI_Allreduce(&end, &last_end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      const double own = std::max(0.0, end - last_begin);
      double sum = 0;
      MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      exposed.push_back(1e3 * (last_end - last_begin));
      in_call.push_back(1e3 * sum / size_);
    }
    if (persistent != MPI_REQUEST_NULL) MPI_Request_free(&persistent);
    if (rank_ != 0) return;
    std::printf("%s,%s,%s,%d,%d,%g,%g,%.3f,%.3f\n", options_.name.c_str(), operation.c_str(), form_name.c_str(), size_,
                options_.bytes, options_.delay_s, options_.beside_s, median(exposed), median(in_call));
    std::fflush(stdout);
  }

  static double median(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  void iterate(const std::string& operation, Form form, MPI_Request* persistent) {
    if (form == Form::kBlocking) {
      call(operation, form);
      return;
    }
    MPI_Request request = *persistent;
    if (form == Form::kNonblocking) {
      request = call(operation, form);
    } else {
      MPI_Start(&request);
    }
    compute(options_.beside_s);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  /// Of a nonblocking one its request, of a persistent one that which starts it.
  MPI_Request call(const std::string& operation, Form form) {
    const float* send = send_.data();
    float* receive = receive_.data();
    const int n = floats_;
    const int* counts = counts_.data();
    const int* displs = displs_.data();
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
#define STARLING_OPERATION(Upper, lower, ...)                                                      \
  if (operation == #lower) {                                                                       \
    if (form == Form::kBlocking) MPI_##Upper(__VA_ARGS__, comm);                                   \
    if (form == Form::kNonblocking) MPI_I##lower(__VA_ARGS__, comm, &request);                     \
    if (form == Form::kPersistent) MPI_##Upper##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &request); \
    return request;                                                                                \
  }
    STARLING_OPERATION(Reduce, reduce, send, receive, n, MPI_FLOAT, MPI_SUM, 0)
    STARLING_OPERATION(Allreduce, allreduce, send, receive, n, MPI_FLOAT, MPI_SUM)
    STARLING_OPERATION(Reduce_scatter_block, reduce_scatter_block, send, receive, n / size_, MPI_FLOAT, MPI_SUM)
    STARLING_OPERATION(Scan, scan, send, receive, n, MPI_FLOAT, MPI_SUM)
    STARLING_OPERATION(Exscan, exscan, send, receive, n, MPI_FLOAT, MPI_SUM)
    STARLING_OPERATION(Bcast, bcast, receive, n, MPI_FLOAT, 0)
    STARLING_OPERATION(Gather, gather, send, n, MPI_FLOAT, receive, n, MPI_FLOAT, 0)
    STARLING_OPERATION(Gatherv, gatherv, send, n, MPI_FLOAT, receive, counts, displs, MPI_FLOAT, 0)
    STARLING_OPERATION(Scatter, scatter, send, n, MPI_FLOAT, receive, n, MPI_FLOAT, 0)
    STARLING_OPERATION(Scatterv, scatterv, send, counts, displs, MPI_FLOAT, receive, n, MPI_FLOAT, 0)
    STARLING_OPERATION(Allgather, allgather, send, n, MPI_FLOAT, receive, n, MPI_FLOAT)
    STARLING_OPERATION(Allgatherv, allgatherv, send, n, MPI_FLOAT, receive, counts, displs, MPI_FLOAT)
    STARLING_OPERATION(Alltoall, alltoall, send, n, MPI_FLOAT, receive, n, MPI_FLOAT)
    STARLING_OPERATION(Alltoallv, alltoallv, send, counts, displs, MPI_FLOAT, receive, counts, displs, MPI_FLOAT)
#undef STARLING_OPERATION
    std::fprintf(stderr, "there is no operation '%s'\n", operation.c_str());
    MPI_Abort(comm, 2);
    return request;
  }

  /// Everybody gives ones.
  void check(const std::string& operation) {
    const bool takes = rank_ == 0 || operation == "allreduce" || operation == "scan" || operation == "alltoall";
    const bool sums = operation == "reduce" || operation == "allreduce" || operation == "reduce_scatter_block";
    const float expected = sums ? static_cast<float>(size_) : operation == "scan" ? static_cast<float>(rank_ + 1) : 1;
    if (!takes || operation == "bcast" || operation == "exscan" || receive_[0] == expected) {
      std::fill(receive_.begin(), receive_.begin() + 1, -1.0F);
      return;
    }
    std::fprintf(stderr, "%s: rank %d has %g, should have %g\n", operation.c_str(), rank_, receive_[0], expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  const Options& options_;
  int floats_;
  int rank_ = 0;
  int size_ = 0;
  double delay_s_ = 0;
  std::vector<float> send_;
  std::vector<float> receive_;
  std::vector<int> counts_;
  std::vector<int> displs_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Options options = read_options(argc, argv);
  Bench(options).run();
  MPI_Finalize();
  return 0;
}
