// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients that survive the loss of ranks by buddy checkpoints, and end with the same answer to the last
// bit.
//
// The vectors are cut into as many blocks as there were ranks at the start. Every few iterations each rank keeps a copy
// of its blocks and sends one to its right neighbour, its buddy. After deaths the survivors shrink, the buddies take
// the dead ranks' blocks over, and all go back to the last copy that is whole. Sums are made block by block in the
// order of the blocks, so that who owns a block makes no difference. A rank and its buddy may not both die between two
// copies.
//
//   mpiexec --survive -n 6 survive_cg [DEATHS] [UNKNOWNS FOR EACH BLOCK]      so many ranks die, one after the other
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <vector>

namespace {

struct Lost : std::runtime_error {
  Lost() : std::runtime_error("a rank has died") {}
};
void must(int code) {
  if (code != MPI_SUCCESS) throw Lost();
}

constexpr int kCopyEvery = 10;

/// The part of the vectors that one block holds.
struct Block {
  std::vector<double> x, r, p;
};
using Blocks = std::map<int, Block>;

struct SolverState {
  int iteration = 0;
  double rr = 0;  ///< r * r
  Blocks blocks;
};

/// The one-dimensional Poisson equation, -u'' = 1.
class Solver {
 public:
  Solver(int blocks, int unknowns) : unknowns_(unknowns), owner_(static_cast<std::size_t>(blocks)) {
    for (int b = 0; b < blocks; ++b) owner_[static_cast<std::size_t>(b)] = b;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(MPI_COMM_WORLD, &me_);
    ranks_ = owner_;
    const auto n = static_cast<std::size_t>(unknowns);
    now_.blocks[me_] = {std::vector<double>(n, 0.0), std::vector<double>(n, 1.0), std::vector<double>(n, 1.0)};
    now_.rr = static_cast<double>(blocks) * unknowns;
    kept_ = now_;
  }

  /// Iterations until the residual is small; the first rank that lives prints.
  int run(int deaths) {
    if (everywhere([&] { copy_to_buddy(); })) {
      keep_copy();
    } else {
      recover();
    }
    while (now_.rr > 1e-16 && now_.iteration < 10 * unknowns_ * static_cast<int>(owner_.size())) {
      // Ranks 1, 3, 5, ... die in the middle of iterations 15, 35, 55, ...
      if (me_ % 2 == 1 && me_ / 2 < deaths && now_.iteration == 15 + 20 * (me_ / 2)) kill(getpid(), SIGKILL);
      const bool well = everywhere([&] {
        iterate();
        if (now_.iteration % kCopyEvery == 0) copy_to_buddy();
      });
      if (well) {
        keep_copy();
      } else {
        recover();
      }
    }
    return now_.iteration;
  }

  /// A number that all bits of the answer go into.
  double fingerprint() {
    for (auto& [b, block] : now_.blocks) block.p = block.x;
    return dot(&Block::x, &Block::p);
  }
  [[nodiscard]] bool prints() const { return ranks_.front() == me_; }
  [[nodiscard]] int recoveries() const { return recoveries_; }

 private:
  using Part = std::vector<double> Block::*;

  [[nodiscard]] int rank_of(int process) const {
    return static_cast<int>(std::find(ranks_.begin(), ranks_.end(), process) - ranks_.begin());
  }

  /// Does something, and agrees whether it went well at all ranks: alike at all of them.
  template <typename Action>
  bool everywhere(Action&& action) {
    int well = 1;
    try {
      action();
    } catch (const Lost&) {
      MPIX_Comm_revoke(comm_);
      well = 0;
    }
    return MPIX_Comm_agree(comm_, &well) == MPI_SUCCESS && well != 0;
  }

  double dot(Part a, Part b) {
    std::vector<double> sums(owner_.size(), 0.0);
    for (auto& [at, block] : now_.blocks) {
      double sum = 0;
      for (std::size_t i = 0; i < (block.*a).size(); ++i) sum += (block.*a)[i] * (block.*b)[i];
      sums[static_cast<std::size_t>(at)] = sum;
    }
    // Each block has one owner: adding zeros changes nothing.
    must(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, comm_));
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
  }

  /// The neighbours' ends of p, for each of our blocks: left and right.
  std::map<int, std::pair<double, double>> edges() {
    std::map<int, std::pair<double, double>> result;
    std::vector<MPI_Request> requests;
    const auto last = static_cast<int>(owner_.size()) - 1;
    for (auto& [number, block] : now_.blocks) {
      const int b = number;
      auto& [left, right] = result[b] = {0.0, 0.0};
      const auto talk = [&, b](int other, double* in, const double* out) {
        const int rank = rank_of(owner_[static_cast<std::size_t>(other)]);
        requests.resize(requests.size() + 2, MPI_REQUEST_NULL);
        must(MPI_Irecv(in, 1, MPI_DOUBLE, rank, other * 2 + (other < b), comm_, &requests[requests.size() - 2]));
        must(MPI_Isend(out, 1, MPI_DOUBLE, rank, b * 2 + (b < other), comm_, &requests.back()));
      };
      try {
        if (b > 0) talk(b - 1, &left, &block.p.front());
        if (b < last) talk(b + 1, &right, &block.p.back());
      } catch (const Lost&) {
        give_up(requests);
      }
    }
    if (MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
      give_up(requests);
    }
    return result;
  }

  /// Nothing may reach the buffers any more when they go.
  [[noreturn]] void give_up(std::vector<MPI_Request>& requests) {
    MPIX_Comm_revoke(comm_);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    throw Lost();
  }

  void iterate() {
    const auto ends = edges();
    std::map<int, std::vector<double>> product;
    std::vector<double> sums(owner_.size(), 0.0);
    for (auto& [b, block] : now_.blocks) {
      std::vector<double>& q = product[b];
      const std::size_t n = block.p.size();
      q.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double left = i > 0 ? block.p[i - 1] : ends.at(b).first;
        const double right = i + 1 < n ? block.p[i + 1] : ends.at(b).second;
        q[i] = 2 * block.p[i] - left - right;
        sums[static_cast<std::size_t>(b)] += block.p[i] * q[i];
      }
    }
    must(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, comm_));
    double pq = 0;
    for (const double sum : sums) pq += sum;
    const double alpha = now_.rr / pq;
    for (auto& [b, block] : now_.blocks) {
      for (std::size_t i = 0; i < block.p.size(); ++i) {
        block.x[i] += alpha * block.p[i];
        block.r[i] -= alpha * product[b][i];
      }
    }
    const double rr = dot(&Block::r, &Block::r);
    for (auto& [b, block] : now_.blocks) {
      for (std::size_t i = 0; i < block.p.size(); ++i) block.p[i] = block.r[i] + rr / now_.rr * block.p[i];
    }
    now_.rr = rr;
    ++now_.iteration;
  }

  /// The new copies count once all ranks have theirs: keep_copy().
  void copy_to_buddy() {
    std::vector<double> mine;
    for (const auto& [b, block] : now_.blocks) {
      mine.push_back(b);
      for (const auto* part : {&block.x, &block.r, &block.p}) mine.insert(mine.end(), part->begin(), part->end());
    }
    const auto size = static_cast<int>(ranks_.size());
    const int me = rank_of(me_);
    int count = static_cast<int>(mine.size());
    int theirs = 0;
    const int right = (me + 1) % size;
    const int left = (me + size - 1) % size;
    must(MPI_Sendrecv(&count, 1, MPI_INT, right, 1, &theirs, 1, MPI_INT, left, 1, comm_, MPI_STATUS_IGNORE));
    new_copy_.assign(static_cast<std::size_t>(theirs), 0.0);
    must(MPI_Sendrecv(mine.data(), count, MPI_DOUBLE, right, 2, new_copy_.data(), theirs, MPI_DOUBLE, left, 2, comm_,
                      MPI_STATUS_IGNORE));
  }
  void keep_copy() {
    if (new_copy_.empty()) return;
    kept_ = now_;
    copy_ = std::move(new_copy_);
    new_copy_.clear();
  }

  void recover() {
    ++recoveries_;
    bool whole = false;
    while (!whole) {
      new_copy_.clear();
      MPIX_Comm_revoke(comm_);
      MPI_Comm left = MPI_COMM_NULL;
      MPIX_Comm_shrink(comm_, &left);
      MPI_Comm_free(&comm_);
      comm_ = left;
      int size = 0;
      MPI_Comm_size(comm_, &size);
      std::vector<int> survivors(static_cast<std::size_t>(size));
      whole = everywhere([&] { must(MPI_Allgather(&me_, 1, MPI_INT, survivors.data(), 1, MPI_INT, comm_)); });
      if (!whole) continue;
      take_over(survivors);
      whole = everywhere([&] { copy_to_buddy(); });
    }
    keep_copy();
  }

  /// Everybody works out alike who has the blocks of the dead now: the right neighbour, in the ring of before.
  void take_over(const std::vector<int>& survivors) {
    now_ = kept_;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const int dead = ranks_[i];
      if (std::find(survivors.begin(), survivors.end(), dead) != survivors.end()) continue;
      const int buddy = ranks_[(i + 1) % ranks_.size()];
      for (int& owner : owner_) owner = owner == dead ? buddy : owner;
      if (buddy == me_) unpack_copy();
    }
    ranks_ = survivors;
    kept_ = now_;
  }

  void unpack_copy() {
    const auto n = static_cast<std::size_t>(unknowns_);
    for (std::size_t at = 0; at < copy_.size(); at += 1 + 3 * n) {
      const auto part = [&](std::size_t i) {
        const auto begin = copy_.begin() + static_cast<std::ptrdiff_t>(at + 1 + i * n);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n));
      };
      now_.blocks[static_cast<int>(copy_[at])] = {part(0), part(1), part(2)};
    }
  }

  int unknowns_;
  int me_ = 0;  ///< rank at the start, by which processes are known here
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> ranks_;  ///< the process behind each rank of comm_
  std::vector<int> owner_;  ///< of each block: a process
  SolverState now_;
  SolverState kept_;
  std::vector<double> copy_;  ///< of the left neighbour's blocks, of the same iteration as kept_
  std::vector<double> new_copy_;
  int recoveries_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int deaths = argc > 1 ? std::atoi(argv[1]) : 2;
  const int unknowns = argc > 2 ? std::atoi(argv[2]) : 40;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Solver solver(size, unknowns);
  const int iterations = solver.run(deaths);
  const double fingerprint = solver.fingerprint();
  if (solver.prints()) {
    std::printf("%d iterations, %d recoveries, answer %.17g\n", iterations, solver.recoveries(), fingerprint);
  }
  MPI_Finalize();
  return 0;
}
