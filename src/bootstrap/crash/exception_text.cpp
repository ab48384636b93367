// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/crash/exception_text.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace starling::bootstrap {
namespace {

template <typename Function>
Function look_up(const char* name) noexcept {
  void* const address = dlsym(RTLD_DEFAULT, name);
  Function function = nullptr;
  static_assert(sizeof function == sizeof address);
  std::memcpy(&function, &address, sizeof function);
  return function;
}

}  // namespace

ExceptionProbe ExceptionProbe::find() noexcept {
  ExceptionProbe probe;
#if defined(__GLIBCXX__)
  // Only libstdc++ has this member; its type_info is the one whose __do_catch we know.
  if (!dlsym(RTLD_DEFAULT, "_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv")) return probe;
  probe.current_exception_ = look_up<decltype(probe.current_exception_)>("_ZSt17current_exceptionv");
  probe.current_type_ = look_up<decltype(probe.current_type_)>("__cxa_current_exception_type");
#endif
  return probe;
}

bool ExceptionProbe::describe(std::span<char> text) const noexcept {
#if defined(__GLIBCXX__)
  if (!current_exception_ || !current_type_) return false;
  const std::type_info* type = current_type_();
  if (!type) return false;
  const std::exception_ptr exception = current_exception_();
  void* object = nullptr;
  static_assert(sizeof exception == sizeof object, "libstdc++'s exception_ptr is one pointer to the thrown object");
  std::memcpy(&object, &exception, sizeof object);
  if (!object) return false;

  int failure = 0;
  char* const readable = abi::__cxa_demangle(type->name(), nullptr, nullptr, &failure);
  const char* const name = failure == 0 ? readable : type->name();
  const bool standard = typeid(std::exception).__do_catch(type, &object, 1);
  const char* const what = standard ? static_cast<const std::exception*>(object)->what() : "";
  std::snprintf(text.data(), text.size(), "%s%s%s", name, *what ? ": " : "", what);
  std::free(readable);
  return true;
#else
  (void)text;
  return false;
#endif
}

}  // namespace starling::bootstrap
