// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Attributes of windows, and their predefined ones. Source: MPI-5.0, chapters 7.7 and 12.2.6.
#include "mpi/attribute/attributes.hpp"

#include "api/calls.hpp"
#include "mpi/attribute/operations.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/rma/win_object.hpp"

namespace starling::mpi {
namespace {

/// What the pointer of a predefined attribute of a window is.
const void* predefined_win_value(const WinObject& win, int keyval) {
  switch (keyval) {
    case MPI_WIN_BASE: return win.window->base();
    case MPI_WIN_SIZE: return &win.size;
    case MPI_WIN_DISP_UNIT: return &win.disp_unit;
    case MPI_WIN_CREATE_FLAVOR: return &win.flavor;
    default: return &win.model;
  }
}

}  // namespace

int win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  WinObject& object = win_of(win);
  if (const Keyval* keyval = current()->keyvals->find(win_keyval, KeyvalKind::kWin)) {
    return get_attribute(object.attributes, *keyval, attribute_val, flag);
  }
  *flag = 1;
  store_pointer(attribute_val, predefined_win_value(object, win_keyval));
  return MPI_SUCCESS;
}

int win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  return set_attribute(win_of(win).attributes, KeyvalKind::kWin, win, win_keyval, attribute_val);
}

int win_delete_attr(MPI_Win win, int win_keyval) {
  return delete_attribute(win_of(win).attributes, KeyvalKind::kWin, win, win_keyval);
}

}  // namespace starling::mpi
