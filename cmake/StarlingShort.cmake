# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# The target 'short': what scripts/test builds without --long, which is all of 'all' but what only tests of label 'long' run,
# and benchmarks that no test runs.

# starling_leave_out_of_short(<target>...)
function(starling_leave_out_of_short)
  set_property(GLOBAL APPEND PROPERTY STARLING_LEFT_OUT_OF_SHORT ${ARGN})
endfunction()

# starling_targets_below(<folder> <out>): of a folder of sources and those in it.
function(starling_targets_below folder out)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    starling_targets_below(${subfolder} more)
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Call it last.
function(starling_make_short)
  add_custom_target(short)
  get_property(left_out GLOBAL PROPERTY STARLING_LEFT_OUT_OF_SHORT)
  starling_targets_below(${PROJECT_SOURCE_DIR} targets)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(only_by_name ${target} EXCLUDE_FROM_ALL)
    if(NOT only_by_name AND NOT type STREQUAL "INTERFACE_LIBRARY" AND NOT target IN_LIST left_out AND NOT target STREQUAL "short")
      add_dependencies(short ${target})
    endif()
  endforeach()
endfunction()
