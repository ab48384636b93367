// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exceptions.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

namespace starling::array::detail {

namespace {

std::string name_of(const std::type_info* type) {
  if (type == nullptr) return "another language";
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr));
  return name != nullptr ? name.get() : type->name();
}

}  // namespace

std::string text_of_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return text.empty() ? "an exception without a text" : text;
  } catch (...) {
    return "an exception of type " + name_of(abi::__cxa_current_exception_type());
  }
}

}  // namespace starling::array::detail
