// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// InputError: the user's file, matrix or command line cannot be used. The text says what is wrong and what to do; the
// program prints it once and exits with status 2.
// Thread safety: a value.
#pragma once

#include <stdexcept>

namespace cg {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cg
