// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an exception says, and what a task that has failed carries of it.
//
// Thread safety: functions of their arguments.
#pragma once

#include <exception>
#include <starling/farm/buffer.hpp>
#include <string>

#include "task.hpp"

namespace starling::farm {

inline std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

inline std::string text_of(const Task& failed) {
  if (failed.value.holds<std::string>()) return failed.value.as<std::string>();
  const Slice& bytes = failed.value.as<Slice>();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size};
}

}  // namespace starling::farm
