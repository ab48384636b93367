// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/stack/shortened.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/format.hpp"

namespace starling::observe {
namespace {

enum class Origin { kUser, kMpi, kSystem, kThreads, kInterpreter };

bool begins_with_one_of(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Origin origin_of(const StackFrame& frame) {
  const std::string_view name = file_name(frame.module);
  if (frame.is_python || name.empty()) return Origin::kUser;
  // Starling's, Open MPI's and MPICH's, with the libraries that only those call.
  if (begins_with_one_of(name, {"libmpi_abi.", "libstarling_see_", "libmpi.so", "libopen-pal.", "libopen-rte.", "mca_",
                                "libmpich.so", "libpmix.", "libucp.", "libuct", "libucs", "libfabric.", "libevent"}))
    return Origin::kMpi;
  if (begins_with_one_of(name, {"libc.so", "libc-", "ld-linux", "libpthread", "libm.so", "librt.", "libdl.",
                                "libstdc++.", "libc++", "libgcc_s.", "[vdso]"}))
    return Origin::kSystem;
  if (begins_with_one_of(name, {"libgomp.", "libomp.", "libiomp5.", "libtbb.", "libopenblas", "libblas."}))
    return Origin::kThreads;
  const bool extension = frame.module.find("/lib-dynload/") != std::string::npos;
  if (extension || begins_with_one_of(name, {"python3", "libpython3", "libffi.", "_ctypes."}))
    return Origin::kInterpreter;
  return Origin::kUser;
}

bool starts_programs(const StackFrame& frame) {
  constexpr std::string_view kNames[] = {"_start",
                                         "__libc_start_main",
                                         "__libc_start_main_impl",
                                         "__libc_start_call_main",
                                         "clone",
                                         "clone3",
                                         "start_thread",
                                         "thread_start",
                                         "__clone",
                                         "__clone3",
                                         "execute_native_thread_routine"};
  return !frame.is_python && std::ranges::find(kNames, std::string_view(frame.function)) != std::end(kNames);
}

/// Behind what starts a program or a thread; the very first may have no name.
std::size_t start_of_program(const std::vector<StackFrame>& frames) {
  constexpr std::size_t kMostFrames = 4;
  std::size_t start = 0;
  for (std::size_t i = 0; i < frames.size() && i < kMostFrames; ++i) {
    if (starts_programs(frames[i])) start = i + 1;
  }
  return start;
}

/// As users call it: programs and debug information know functions of MPI by both of their names.
std::string mpi_name(const std::string& function) {
  return function.starts_with("PMPI_") ? function.substr(1) : function;
}

}  // namespace

std::vector<StackFrame> shortened(const std::vector<StackFrame>& frames) {
  std::vector<StackFrame> kept;
  Origin inside = Origin::kUser;  // whose functions go on here
  for (std::size_t i = start_of_program(frames); i < frames.size(); ++i) {
    const StackFrame& frame = frames[i];
    const Origin origin = origin_of(frame);
    if (origin == Origin::kInterpreter) {
      inside = Origin::kUser;
      continue;
    }
    // Libraries call each other, and are done when they call the user's functions.
    const bool goes_on =
        inside == Origin::kMpi ? origin != Origin::kUser : inside == Origin::kSystem && origin == inside;
    if (goes_on) continue;
    inside = origin == Origin::kMpi || origin == Origin::kSystem ? origin : Origin::kUser;
    kept.push_back(frame);
    if (origin == Origin::kMpi) kept.back().function = mpi_name(frame.function);
    if (inside != Origin::kUser && !frame.function.empty()) kept.back().file.clear();
  }
  return kept;
}

bool sleeps_outside_the_program(const ThreadStack& thread) {
  return !thread.is_main && thread.state == 'S' &&
         std::ranges::none_of(thread.frames, [](const StackFrame& frame) { return origin_of(frame) == Origin::kUser; });
}

std::string frame_text(const StackFrame& frame) {
  if (frame.function.empty()) {
    if (frame.module.empty()) return formatted("{:#x}", frame.offset);
    return formatted("{}+{:#x}", file_name(frame.module), frame.offset);
  }
  if (frame.file.empty()) return frame.function;
  return formatted("{} at {}:{}", frame.function, file_name(frame.file), frame.line);
}

}  // namespace starling::observe
