// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Type and text of the exception that the program is dying of.
//
// The program's C++ runtime may be another copy than the one linked into this library, or absent (a C program), so its
// entry points are looked up by name at start. What is found is read without throwing: the handler runs inside abort().
// Source: the Itanium C++ ABI (exception handling) and libstdc++'s std::type_info::__do_catch, which compares types by
// name and so works across copies of the runtime.
// Thread safety: construct anywhere; describe() is for the thread that called std::terminate.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <typeinfo>

namespace starling::bootstrap {

class ExceptionProbe {
 public:
  /// Looks for the program's runtime: a few microseconds.
  static ExceptionProbe find() noexcept;

  /// Writes "<type>: <what()>" of the exception now being handled on this thread, zero-terminated; false: none.
  bool describe(std::span<char> text) const noexcept;

 private:
  // Of libstdc++, the only one that is asked.
  [[maybe_unused]] std::exception_ptr (*current_exception_)() noexcept = nullptr;
  [[maybe_unused]] std::type_info* (*current_type_)() = nullptr;
};

}  // namespace starling::bootstrap
