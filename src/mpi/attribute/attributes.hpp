// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Attributes: pointers that a user keeps with a communicator, a datatype or a window under keys of his own, with
// functions that run when the object is duplicated or freed.
//
// Thread safety: the holder of the world's lock. The callbacks may call MPI.
// Invariants: a freed keyval stays a legal argument as long as attributes are set under it (7.7.2: it is freed when all
// references to it are gone); attributes are copied in the order in which they were set and deleted in the reverse
// order (7.7.5, 11.2.3). Source: MPI-5.0, chapter 7.7.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace starling::mpi {

enum class KeyvalKind { kComm, kDatatype, kWin };

struct Keyval {
  KeyvalKind kind;
  int number;
  void (*copy)();    ///< null: the attribute is not copied; kDuplicate: copied as it is
  void (*remove)();  ///< null: nothing to do
  void* extra_state;
  bool freed = false;
  int attributes = 0;  ///< set under it, on all objects

  [[nodiscard]] bool is_live() const noexcept { return !freed || attributes > 0; }
};

/// MPI_COMM_DUP_FN and its kin in the ABI.
inline constexpr std::uintptr_t kDuplicate = 1;

class KeyvalTable {
 public:
  static constexpr int kFirst = 0x1000;

  int create(KeyvalKind kind, void (*copy)(), void (*remove)(), void* extra_state);
  /// Null unless it is live and of this kind.
  [[nodiscard]] Keyval* find(int number, KeyvalKind kind) const;

 private:
  std::vector<std::unique_ptr<Keyval>> keyvals_;
};

struct Attribute {
  Keyval* keyval;
  void* value;
};

class AttributeSet {
 public:
  [[nodiscard]] bool empty() const noexcept { return attributes_.empty(); }
  [[nodiscard]] Attribute* find(const Keyval& keyval) noexcept;

  /// Sets, after the delete function of an attribute that was there. The code of a callback that failed, or
  /// MPI_SUCCESS.
  template <typename Handle>
  int set(Handle object, Keyval& keyval, void* value);
  /// Runs the delete function and forgets the attribute; it stays when the function fails.
  template <typename Handle>
  int remove(Handle object, const Keyval& keyval);
  /// Removes all, the latest first; stops at the first failure.
  template <typename Handle>
  int clear(Handle object);
  /// Copies from `source` what its copy functions let through.
  template <typename Handle>
  int copy_from(Handle source_object, AttributeSet& source);

 private:
  void add(Keyval& keyval, void* value);
  void forget(const Keyval& keyval);

  std::vector<Attribute> attributes_;
};

}  // namespace starling::mpi
