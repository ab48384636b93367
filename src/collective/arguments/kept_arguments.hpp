// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// KeptArguments: a copy of a call's arguments that keeps alive what they refer to, for calls that outlive the MPI call
// that made them. Arrays of counts, displacements and types are copied: the user may change or free them as soon as
// that call has returned. Buffers stay the user's. Thread safety: the holder of the world's lock.
// Source: MPI-5.0, 6.12 and 6.13.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/ref.hpp"
#include "collective/arguments/arguments.hpp"

namespace starling::collective {

class KeptArguments {
 public:
  KeptArguments(const Arguments& arguments, Form form);
  KeptArguments(const KeptArguments&) = delete;
  KeptArguments& operator=(const KeptArguments&) = delete;

  [[nodiscard]] const Arguments& get() const noexcept { return arguments_; }

 private:
  void keep(const datatype::Datatype* type);
  void keep_all(const datatype::Datatype* const* types, std::int32_t count);
  /// Copies the arrays, all into the room here or into one allocation.
  void copy_arrays();

  Arguments arguments_;
  Ref<comm::Communicator> comm_;
  Ref<const datatype::Op> op_;
  std::vector<Ref<const datatype::Datatype>> kept_types_;
  std::unique_ptr<std::byte[]> many_;
  alignas(std::int64_t) std::array<std::byte, 256> few_;  ///< four arrays of 16 counts
};

}  // namespace starling::collective
