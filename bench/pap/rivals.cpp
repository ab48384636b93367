// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rivals.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bench {
namespace {

constexpr int kTag = 7;

struct Ranks {
  int rank = 0;
  int size = 0;

  explicit Ranks(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
};

int first_of(int count, int part, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(count) * part / parts);
}

void add(const float* from, float* into, int count) { MPI_Reduce_local(from, into, count, MPI_FLOAT, MPI_SUM); }

/// Everybody's piece [first, last) to rank 0.
void gather_pieces(const std::vector<float>& sum, int first, int last, float* receive, MPI_Comm comm) {
  const Ranks ranks(comm);
  std::vector<int> bounds(2 * static_cast<std::size_t>(ranks.size));
  const int mine[2] = {first, last};
  MPI_Gather(mine, 2, MPI_INT, bounds.data(), 2, MPI_INT, 0, comm);
  if (ranks.rank != 0) {
    if (last > first) MPI_Send(sum.data() + first, last - first, MPI_FLOAT, 0, kTag, comm);
    return;
  }
  std::copy(sum.begin() + first, sum.begin() + last, receive + first);
  std::vector<MPI_Request> requests;
  for (int rank = 1; rank < ranks.size; ++rank) {
    const int from = bounds[2 * static_cast<std::size_t>(rank)];
    const int to = bounds[2 * static_cast<std::size_t>(rank) + 1];
    if (to > from) MPI_Irecv(receive + from, to - from, MPI_FLOAT, rank, kTag, comm, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// The largest group size of those the paper's radix-k tries, or the next prime factor.
int group_size(int rest) {
  for (const int size : {8, 4, 6, 3, 2, 5, 7}) {
    if (rest % size == 0) return size;
  }
  int factor = 11;
  while (rest % factor != 0) factor += 2;
  return factor;
}

}  // namespace

void reduce_default(const float* send, float* receive, int count, MPI_Comm comm) {
  MPI_Reduce(send, receive, count, MPI_FLOAT, MPI_SUM, 0, comm);
}

void reduce_binomial(const float* send, float* receive, int count, MPI_Comm comm) {
  const Ranks ranks(comm);
  std::vector<float> own(send, send + count);
  std::vector<float> other(static_cast<std::size_t>(count));
  for (int mask = 1; mask < ranks.size; mask *= 2) {
    if ((ranks.rank & mask) != 0) {
      MPI_Send(own.data(), count, MPI_FLOAT, ranks.rank - mask, kTag, comm);
      return;
    }
    if (ranks.rank + mask < ranks.size) {
      MPI_Recv(other.data(), count, MPI_FLOAT, ranks.rank + mask, kTag, comm, MPI_STATUS_IGNORE);
      add(other.data(), own.data(), count);
    }
  }
  std::copy(own.begin(), own.end(), receive);
}

void reduce_rabenseifner(const float* send, float* receive, int count, MPI_Comm comm) {
  const Ranks ranks(comm);
  std::vector<float> sum(send, send + count);
  std::vector<float> other(static_cast<std::size_t>(count));
  int power = 1;
  while (2 * power <= ranks.size) power *= 2;
  const int pairs = ranks.size - power;
  // The first 2 * pairs ranks fold into half of them; then a power of two is left, by their places.
  if (ranks.rank < 2 * pairs && ranks.rank % 2 == 1) {
    MPI_Send(sum.data(), count, MPI_FLOAT, ranks.rank - 1, kTag, comm);
    gather_pieces(sum, 0, 0, receive, comm);
    return;
  }
  if (ranks.rank < 2 * pairs) {
    MPI_Recv(other.data(), count, MPI_FLOAT, ranks.rank + 1, kTag, comm, MPI_STATUS_IGNORE);
    add(other.data(), sum.data(), count);
  }
  const int place = ranks.rank < 2 * pairs ? ranks.rank / 2 : ranks.rank - pairs;
  int first = 0;
  int last = count;
  for (int mask = power / 2; mask > 0; mask /= 2) {
    const int peer_place = place ^ mask;
    const int peer = peer_place < pairs ? 2 * peer_place : peer_place + pairs;
    const int middle = first + (last - first) / 2;
    const bool keep_low = (place & mask) == 0;
    const int give = keep_low ? middle : first;
    const int given = keep_low ? last - middle : middle - first;
    const int keep = keep_low ? first : middle;
    const int kept = keep_low ? middle - first : last - middle;
    MPI_Sendrecv(sum.data() + give, given, MPI_FLOAT, peer, kTag, other.data() + keep, kept, MPI_FLOAT, peer, kTag,
                 comm, MPI_STATUS_IGNORE);
    add(other.data() + keep, sum.data() + keep, kept);
    (keep_low ? last : first) = middle;
  }
  gather_pieces(sum, first, last, receive, comm);
}

void reduce_radix_k(const float* send, float* receive, int count, MPI_Comm comm) {
  const Ranks ranks(comm);
  std::vector<float> sum(send, send + count);
  int first = 0;
  int last = count;
  for (int stride = 1; stride < ranks.size;) {
    const int k = group_size(ranks.size / stride);
    const int place = ranks.rank / stride % k;
    const int length = last - first;
    const auto from = [&](int part) { return first + first_of(length, part, k); };
    const int mine = from(place + 1) - from(place);
    std::vector<float> parts(static_cast<std::size_t>(mine) * static_cast<std::size_t>(k));
    std::vector<MPI_Request> requests;
    for (int part = 0; part < k; ++part) {
      const int peer = ranks.rank + (part - place) * stride;
      if (part == place) continue;
      MPI_Irecv(parts.data() + static_cast<std::size_t>(mine) * static_cast<std::size_t>(part), mine, MPI_FLOAT, peer,
                kTag, comm, &requests.emplace_back());
      MPI_Isend(sum.data() + from(part), from(part + 1) - from(part), MPI_FLOAT, peer, kTag, comm,
                &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (int part = 0; part < k; ++part) {
      const auto* piece = parts.data() + static_cast<std::size_t>(mine) * static_cast<std::size_t>(part);
      if (part != place) add(piece, sum.data() + from(place), mine);
    }
    const int begin = from(place);
    first = begin;
    last = begin + mine;
    stride *= k;
  }
  gather_pieces(sum, first, last, receive, comm);
}

void reduce_ring(const float* send, float* receive, int count, MPI_Comm comm) {
  const Ranks ranks(comm);
  std::vector<float> sum(send, send + count);
  std::vector<float> other(static_cast<std::size_t>(count / ranks.size) + 1);
  const int next = (ranks.rank + 1) % ranks.size;
  const int before = (ranks.rank + ranks.size - 1) % ranks.size;
  const auto from = [&](int part) { return first_of(count, part, ranks.size); };
  for (int step = 1; step < ranks.size; ++step) {
    const int out = (ranks.rank - step + ranks.size) % ranks.size;
    const int in = (out - 1 + ranks.size) % ranks.size;
    const int length = from(in + 1) - from(in);
    MPI_Sendrecv(sum.data() + from(out), from(out + 1) - from(out), MPI_FLOAT, next, kTag, other.data(), length,
                 MPI_FLOAT, before, kTag, comm, MPI_STATUS_IGNORE);
    add(other.data(), sum.data() + from(in), length);
  }
  gather_pieces(sum, from(ranks.rank), from(ranks.rank + 1), receive, comm);
}

}  // namespace bench
