# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# Compiler settings that hold for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(STARLING_CCACHE ccache)
if(STARLING_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${STARLING_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STARLING_CCACHE})
endif()

# Two ways to compile less, for machines that build from nothing: without ccache, which would find less with them.
if(STARLING_CCACHE)
  set(build_from_nothing OFF)
else()
  set(build_from_nothing ON)
endif()
option(STARLING_PRECOMPILE "Precompile headers that many tests share" ${build_from_nothing})
if(STARLING_SANITIZE)
  set(build_from_nothing ON)  # their objects are seldom found again
endif()
option(STARLING_TOGETHER "Let the compiler read several files of a library as one" ${build_from_nothing})

# starling_compile_together(<target> [<files>]): names in the unnamed namespaces of such a target must differ. 8 files at a time
# cost a third of what they cost one by one, 24, which is the default, still less. But the compiler limits by how much all that
# it reads may grow by inlining, so what is measured has fewer (<files>), but not under a sanitizer.
function(starling_compile_together target)
  if(STARLING_TOGETHER)
    set(files 24)
    if(ARGC GREATER 1 AND NOT STARLING_SANITIZE)
      set(files ${ARGV1})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
    # The warning takes whatever is not in the file given to the compiler for a header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# starling_precompile(<family> <target> <header>...): the targets of a family, which are compiled with the same options, share
# these headers, precompiled with the first of them.
function(starling_precompile family target)
  if(NOT STARLING_PRECOMPILE)
    return()
  endif()
  # Precompiled, the standard library's headers are no system headers to GCC 12, which takes moved strings for overflows.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>)
  get_property(first GLOBAL PROPERTY starling_precompiled_${family})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY starling_precompiled_${family} ${target})
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# For the library and the tools: what most of their files include. Files with options for another processor leave it out
# (SKIP_PRECOMPILE_HEADERS). STARLING_COMMON_FAMILY: a name for folders with options of their own.
function(starling_precompile_common target)
  starling_precompile(common${STARLING_COMMON_FAMILY} ${target} <algorithm> <array> <atomic> <chrono> <cstdlib> <cstring> <functional> <map> <memory>
    <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <vector>)
endfunction()

# A warning ends the build with compilers that scripts/test_compilers has tried; what newer ones warn of is no reason not to
# build.
set(warnings_end_the_build ON)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
   OR (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 20))
  set(warnings_end_the_build OFF)
endif()
option(STARLING_WARNINGS_ARE_ERRORS "Let a warning of the compiler end the build" ${warnings_end_the_build})
set(STARLING_WERROR $<$<BOOL:${STARLING_WARNINGS_ARE_ERRORS}>:-Werror>)  # in whatever language

add_library(starling_options INTERFACE)
target_compile_options(starling_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic ${STARLING_WERROR} -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra ${STARLING_WERROR}>
  # What GCC 12's std::stable_sort calls itself is deprecated, and clang says so from 17 on.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,17>>:-Wno-deprecated-declarations>
  # Without the optimizer GCC 12 takes a coroutine frame's two operators, of which new is a template, for strangers.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-mismatched-new-delete>
  -fno-omit-frame-pointer)
# GCC looks for memory that it could use again once it has 128 MiB; where there is plenty, a tenth of its time goes into that.
cmake_host_system_information(RESULT memory_mib QUERY TOTAL_PHYSICAL_MEMORY)
if(memory_mib GREATER 8000)
  target_compile_options(starling_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=400000>)
endif()
if(STARLING_SANITIZE)
  find_program(STARLING_LLD ld.lld)  # takes a third of the time that ld takes for their debug information
  if(STARLING_LLD)
    target_link_options(starling_options INTERFACE -fuse-ld=lld)
  endif()
  # "undefined" by its parts: null and vptr are left out, for AddressSanitizer meets a null pointer anyway, and the check of
  # alignment is added for the engine only (StarlingComponent): these three double the time to compile the tests.
  set(STARLING_UNDEFINED_CHECKS
    shift,integer-divide-by-zero,unreachable,return,signed-integer-overflow,bounds,bool,enum,pointer-overflow,builtin)
  string(REPLACE "undefined" "${STARLING_UNDEFINED_CHECKS}" checks "${STARLING_SANITIZE}")
  option(STARLING_SANITIZER_LINES "Let the reports of sanitizers name lines beside functions: a sixth of the time to compile" ON)
  target_compile_options(starling_options INTERFACE -fsanitize=${checks} -fno-sanitize-recover=all
    $<$<BOOL:${STARLING_SANITIZER_LINES}>:-g1>)
  target_link_options(starling_options INTERFACE -fsanitize=${STARLING_SANITIZE})
  if(STARLING_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ThreadSanitizer does not model fences; ours guard only the sleep path (progress/), never data.
    target_compile_options(starling_options INTERFACE -Wno-tsan)
  endif()
endif()
