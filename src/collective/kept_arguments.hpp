// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// KeptArguments: a copy of a call's arguments that keeps alive what they refer to, for calls that outlive the MPI call
// that made them. Arrays of counts and displacements stay the caller's, as the standard says; arrays of types are
// copied. Thread safety: the holder of the world's lock. Source: MPI-5.0, 6.12 and 6.13.
#pragma once

#include <vector>

#include "base/ref.hpp"
#include "collective/arguments.hpp"

namespace starling::collective {

class KeptArguments {
 public:
  KeptArguments(const Arguments& arguments, Form form);
  KeptArguments(const KeptArguments&) = delete;
  KeptArguments& operator=(const KeptArguments&) = delete;

  [[nodiscard]] const Arguments& get() const noexcept { return arguments_; }

 private:
  using Types = std::vector<const datatype::Datatype*>;

  void keep(const datatype::Datatype* type);
  void keep_all(const datatype::Datatype* const*& types, std::int32_t count, Types& copy);

  Arguments arguments_;
  Ref<comm::Communicator> comm_;
  Ref<const datatype::Op> op_;
  std::vector<Ref<const datatype::Datatype>> kept_types_;
  Types send_types_;
  Types receive_types_;
};

}  // namespace starling::collective
