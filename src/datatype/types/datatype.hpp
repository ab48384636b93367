// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A datatype: where the bytes of one element lie, relative to the buffer's address, and in which order they travel.
//
// Owned by Ref; operations in flight hold one, so a type lives on after MPI_Type_free. Predefined types are constants.
// Thread safety: immutable after construction but for commit() and set_user_handle(), which the owner calls before it
// shares the type with other threads; committing a committed type is harmless from any thread.
// Invariants: no sum or product of sizes, extents and displacements of one element overflows 64 bits.
// Source: MPI-5.0 chapter 5.1 (typemaps, bounds, epsilon, markers of resized types).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "base/ref.hpp"
#include "base/status.hpp"
#include "datatype/types/basic.hpp"
#include "datatype/types/contents.hpp"
#include "datatype/types/layout.hpp"

namespace starling::datatype {

struct PlanNode;

class Datatype : public RefCounted<Datatype> {
 public:
  using Made = Result<Ref<Datatype>>;
  using Integers = std::span<const std::int64_t>;

  static Made contiguous(std::int64_t count, const Datatype& type, CountWidth width = CountWidth::kInt);
  /// stride in extents of type.
  static Made vector(std::int64_t count, std::int64_t block_length, std::int64_t stride, const Datatype& type,
                     CountWidth width = CountWidth::kInt);
  /// stride in bytes.
  static Made hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride, const Datatype& type,
                      CountWidth width = CountWidth::kInt);
  /// displacements in extents of type; both arrays have the same length.
  static Made indexed(Integers block_lengths, Integers displacements, const Datatype& type,
                      CountWidth width = CountWidth::kInt);
  /// displacements in bytes.
  static Made hindexed(Integers block_lengths, Integers displacements, const Datatype& type,
                       CountWidth width = CountWidth::kInt);
  static Made indexed_block(std::int64_t block_length, Integers displacements, const Datatype& type,
                            CountWidth width = CountWidth::kInt);
  static Made hindexed_block(std::int64_t block_length, Integers displacements, const Datatype& type,
                             CountWidth width = CountWidth::kInt);
  /// displacements in bytes; the three arrays have the same length.
  static Made structure(Integers block_lengths, Integers displacements, std::span<const Datatype* const> types,
                        CountWidth width = CountWidth::kInt);
  static Made resized(const Datatype& type, std::int64_t lb, std::int64_t extent, CountWidth width = CountWidth::kInt);
  static Made dup(const Datatype& type);
  static Made subarray(Integers sizes, Integers subsizes, Integers starts, Order order, const Datatype& type,
                       CountWidth width = CountWidth::kInt);

  /// The part of a global array that `rank` of `size` processes in a row-major grid owns.
  struct DarrayShape {
    std::int64_t size;
    std::int64_t rank;
    Integers global_sizes;
    Integers distributions;  ///< values of Distribution
    Integers arguments;
    Integers process_sizes;
    Order order;
  };
  static Made darray(const DarrayShape& shape, const Datatype& type, CountWidth width = CountWidth::kInt);
  /// An unnamed predefined type (MPI_Type_create_f90_real and its kin): computes as `type`, reports its parameters.
  static Made f90(Combiner combiner, Integers parameters, Basic type);

  ~Datatype();

  [[nodiscard]] std::int64_t size() const noexcept { return layout_.size; }
  [[nodiscard]] std::int64_t extent() const noexcept { return layout_.ub - layout_.lb; }
  [[nodiscard]] std::int64_t lb() const noexcept { return layout_.lb; }
  [[nodiscard]] std::int64_t ub() const noexcept { return layout_.ub; }
  [[nodiscard]] std::int64_t true_lb() const noexcept { return layout_.true_lb; }
  [[nodiscard]] std::int64_t true_ub() const noexcept { return layout_.true_ub; }
  [[nodiscard]] std::int64_t true_extent() const noexcept { return layout_.true_ub - layout_.true_lb; }

  /// The data of count elements, for any count, are the bytes [base + true_lb, base + true_lb + count * size).
  [[nodiscard]] bool is_contiguous() const noexcept { return layout_.contiguous; }
  [[nodiscard]] bool committed() const noexcept { return committed_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_predefined() const noexcept { return predefined_ != Basic::kNone; }
  /// The predefined type itself, or the only basic type that a derived type consists of, or Basic::kNone.
  [[nodiscard]] Basic basic() const noexcept { return layout_.basic; }
  /// Entries of the typemap of one element; a pair type has two.
  [[nodiscard]] std::int64_t element_count() const noexcept { return layout_.elements; }
  /// A hash of the sequence of basic types; equal signatures have equal hashes however the types were built.
  [[nodiscard]] std::uint64_t signature_hash() const noexcept { return layout_.signature; }
  /// The hash of count elements in sequence.
  [[nodiscard]] std::uint64_t signature_hash(std::int64_t count) const noexcept;
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }

  /// Entries of the typemap in the first `bytes` bytes of data, or -1 when they end inside one (MPI_Get_elements).
  [[nodiscard]] std::int64_t elements_in(std::int64_t bytes) const noexcept;

  /// Makes the type usable in communication: compiles its pack plan.
  void commit();

  /// What made this type; combiner kNamed for a predefined type.
  [[nodiscard]] const Contents& contents() const noexcept;

  /// "MPI_INT" for a predefined type, else "derived".
  [[nodiscard]] const char* name() const noexcept { return datatype::name(predefined_); }

  /// What user reduction functions get as their MPI_Datatype: the ABI constant of a predefined type; for a derived
  /// one what the MPI layer has set, and the address of this object before that.
  [[nodiscard]] void* user_handle() const noexcept;
  void set_user_handle(void* handle) noexcept { user_handle_ = handle; }

  /// The compiled layout of a committed type that is not contiguous (pack.hpp uses it).
  [[nodiscard]] const PlanNode& plan() const noexcept;

  constexpr Datatype(ImmortalTag tag, Basic type, const Layout& layout) noexcept
      : RefCounted(tag), layout_(layout), predefined_(type), committed_(true) {}

 private:
  Datatype(const Layout& layout, Basic predefined, Contents contents);
  static Made make(Contents contents);

  Layout layout_;
  Basic predefined_ = Basic::kNone;
  std::atomic<bool> committed_{false};
  std::atomic<const PlanNode*> plan_{nullptr};
  void* user_handle_ = nullptr;
  std::unique_ptr<const Contents> contents_;
};

/// The constant object of a predefined type.
[[nodiscard]] const Datatype& predefined(Basic type) noexcept;

/// What messages without a type of their own are made of.
[[nodiscard]] inline const Datatype& byte_type() noexcept { return predefined(Basic::kByte); }

}  // namespace starling::datatype
