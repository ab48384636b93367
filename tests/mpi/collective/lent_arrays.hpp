// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Arrays that a call may read only until it returns: afterwards they are overwritten and freed, and so are the
// datatypes. What nonblocking and persistent calls move then has to be what the blocking call moves.
#pragma once

#include <algorithm>
#include <vector>

#include "mpi/collective/comms.hpp"

namespace starling::tests {

/// The arrays and the datatypes of one call. CountT and DispT are those of its form.
template <typename CountT, typename DispT>
class Lent {
 public:
  Lent() = default;
  ~Lent() { take_back(); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  const CountT* counts(const std::vector<int>& values) { return add(counts_, values); }
  const DispT* displs(const std::vector<int>& values) { return add(displs_, values); }
  /// Displacements in bytes of those functions that take them as addresses in both forms.
  const MPI_Aint* addresses(const std::vector<int>& values) { return add(addresses_, values); }

  /// Two ints, side by side or with a gap of one int between them and behind them.
  MPI_Datatype dense_pair() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &type);
    return commit(type);
  }
  MPI_Datatype spread_pair() {
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_create_resized(gaps, 0, 4 * sizeof(int), &type);
    MPI_Type_free(&gaps);
    return commit(type);
  }
  /// One type for each of `count` blocks.
  const MPI_Datatype* dense_pairs(std::size_t count) {
    return add_types(count, [this] { return dense_pair(); });
  }
  const MPI_Datatype* spread_pairs(std::size_t count) {
    return add_types(count, [this] { return spread_pair(); });
  }

  void take_back() {
    for (auto& array : counts_) std::fill(array.begin(), array.end(), CountT{0});
    for (auto& array : displs_) std::fill(array.begin(), array.end(), DispT{0});
    for (auto& array : addresses_) std::fill(array.begin(), array.end(), MPI_Aint{0});
    for (auto& array : types_) std::fill(array.begin(), array.end(), MPI_DATATYPE_NULL);
    counts_.clear();
    displs_.clear();
    addresses_.clear();
    types_.clear();
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
    made_.clear();
  }

 private:
  template <typename T>
  const T* add(std::vector<std::vector<T>>& arrays, const std::vector<int>& values) {
    return arrays.emplace_back(values.begin(), values.end()).data();
  }
  template <typename Make>
  const MPI_Datatype* add_types(std::size_t count, Make make) {
    std::vector<MPI_Datatype> types(count);
    for (MPI_Datatype& type : types) type = make();
    return types_.emplace_back(std::move(types)).data();
  }
  MPI_Datatype commit(MPI_Datatype type) {
    MPI_Type_commit(&type);
    made_.push_back(type);
    return type;
  }

  std::vector<std::vector<CountT>> counts_;
  std::vector<std::vector<DispT>> displs_;
  std::vector<std::vector<MPI_Aint>> addresses_;
  std::vector<std::vector<MPI_Datatype>> types_;
  std::vector<MPI_Datatype> made_;
};

using LentNarrow = Lent<int, int>;
using LentWide = Lent<MPI_Count, MPI_Aint>;

/// The blocks of one rank's side of a call: how many pairs each has, and where it begins, in pairs, with a hole behind
/// each block.
struct LentBlocks {
  void add(int count) {
    counts.push_back(count);
    places.push_back(end);
    end += count + 1;
  }
  [[nodiscard]] std::vector<int> byte_places(int ints_each) const {
    std::vector<int> bytes(places);
    for (int& place : bytes) place *= ints_each * static_cast<int>(sizeof(int));
    return bytes;
  }
  [[nodiscard]] std::vector<int> values(int rank) const { return values_of(rank, 2 * end + 1); }
  [[nodiscard]] std::vector<int> room() const { return unset(4 * end + 1); }

  std::vector<int> counts;
  std::vector<int> places;
  int end = 0;
};

/// How many pairs go from one rank to another. Blocks between different ranks have different sizes, some none.
inline int pairs_between(int from, int to) { return (from * 5 + to * 3) % 7; }

/// The three functions of an operation in one form.
template <typename Blocking, typename Nonblocking, typename Persistent>
struct Trio {
  Blocking blocking;
  Nonblocking nonblocking;
  Persistent persistent;
};
template <typename Blocking, typename Nonblocking, typename Persistent>
Trio(Blocking, Nonblocking, Persistent) -> Trio<Blocking, Nonblocking, Persistent>;

/// Keeps a call from completing before all but one rank have lost its arrays: that rank makes its call last.
class LastCaller {
 public:
  LastCaller(const Context& world, int last) : world_(world), last_(last) {}
  void before() const {
    for (int i = 1; world_.rank == last_ && i < world_.size; ++i) {
      MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 77, world_.comm, MPI_STATUS_IGNORE);
    }
  }
  void after() const {
    if (world_.rank != last_) MPI_Send(nullptr, 0, MPI_BYTE, last_, 77, world_.comm);
  }

 private:
  const Context& world_;
  int last_;
};

/// Makes the call in its three forms. `body(function, lent, received, tail...)` calls the function with arrays from
/// `lent`; `initial` is what the buffer `received` holds before.
template <typename LentArrays, typename Functions, typename Body>
void compare_forms(Context& world, const char* name, const Functions& functions, const std::vector<int>& initial,
                   const Body& body) {
  const auto check = [&](const std::vector<int>& got, const std::vector<int>& expected, const char* form) {
    if (got != expected) {
      FAIL(std::string(name) + ": the " + form + " call moved something else than the blocking one");
    }
  };
  std::vector<int> expected(initial);
  {
    LentArrays lent;
    body(functions.blocking, lent, expected.data());
  }
  for (const int last : {0, world.size - 1}) {
    const LastCaller order(world, last);
    std::vector<int> got(initial);
    LentArrays lent;
    MPI_Request request = MPI_REQUEST_NULL;
    order.before();
    body(functions.nonblocking, lent, got.data(), &request);
    lent.take_back();
    order.after();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(got, expected, "nonblocking");
  }
  std::vector<int> got(initial);
  LentArrays lent;
  MPI_Request request = MPI_REQUEST_NULL;
  body(functions.persistent, lent, got.data(), MPI_INFO_NULL, &request);
  lent.take_back();
  for (int round = 0; round < 2; ++round) {
    std::copy(initial.begin(), initial.end(), got.begin());
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(got, expected, "persistent");
  }
  MPI_Request_free(&request);
}

/// Both forms of an operation.
template <typename Narrow, typename Wide, typename Body>
void compare_all_forms(Context& world, const char* name, const Narrow& narrow, const Wide& wide,
                       const std::vector<int>& initial, const Body& body) {
  compare_forms<LentNarrow>(world, name, narrow, initial, body);
  compare_forms<LentWide>(world, (std::string(name) + "_c").c_str(), wide, initial, body);
}

}  // namespace starling::tests
