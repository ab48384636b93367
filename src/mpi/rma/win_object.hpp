// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The object behind an MPI_Win: the engine's window and what only the C interface knows of it.
// Thread safety: the holder of the world's lock.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/info/info.hpp"
#include "rma/window/window.hpp"

namespace starling::mpi {

class WinObject final : public ErrhandlerHolder {
 public:
  [[nodiscard]] std::string text() const override { return name.empty() ? name : "window " + name; }

  std::unique_ptr<rma::Window> window;
  std::string name;
  AttributeSet attributes;
  Info info;

  // What its predefined attributes point to.
  MPI_Aint size = 0;
  int disp_unit = 1;
  int flavor = MPI_WIN_FLAVOR_CREATE;
  int model = MPI_WIN_UNIFIED;
};

/// The object behind a handle that the boundary has checked.
[[nodiscard]] inline WinObject& win_of(MPI_Win handle) {
  return static_cast<WinObject&>(**current()->wins.find(handle));
}

}  // namespace starling::mpi
