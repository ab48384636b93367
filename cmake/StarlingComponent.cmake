# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# starling_component(<name> [LIBS <external libraries>...] [TOGETHER])
#
# TOGETHER: see starling_compile_together. Under a sanitizer all components are, as nothing is measured there.
#
# One folder of src/ = one component = one static library starling_<name>. Its sources are every .cpp in the folder
# tree; the components below it in src/layers.txt come as dependencies, so nothing is listed twice.
file(STRINGS ${PROJECT_SOURCE_DIR}/src/layers.txt STARLING_LAYER_LINES REGEX "^[a-z]")

# Sets <out> to the components on the lines below <name> that exist, nearest layer first.
function(starling_components_below name out)
  set(found FALSE)
  set(below)
  foreach(line IN LISTS STARLING_LAYER_LINES)
    string(REPLACE " " ";" names "${line}")
    if(found)
      foreach(lower IN LISTS names)
        if(EXISTS ${PROJECT_SOURCE_DIR}/src/${lower}/CMakeLists.txt)
          list(APPEND below starling_${lower})
        endif()
      endforeach()
    elseif(name IN_LIST names)
      set(found TRUE)
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "Component '${name}' has no line in src/layers.txt. Add it to the line of its layer.")
  endif()
  set(${out} ${below} PARENT_SCOPE)
endfunction()

# Under a sanitizer, whose checks keep the optimizer busy for half of the time to compile, it sees only what each message
# passes and what schedules are made of.
set(STARLING_OPTIMIZED_UNDER_SANITIZERS base observe memory progress transport p2p datatype collective arrival)

function(starling_component name)
  cmake_parse_arguments(ARG "TOGETHER" "" "LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  starling_components_below(${name} below)
  if(sources)
    add_library(starling_${name} STATIC ${sources})
    set(scope PUBLIC)
    if(STARLING_SANITIZE MATCHES "undefined")
      target_compile_options(starling_${name} PRIVATE -fsanitize=alignment)
    endif()
  else()
    add_library(starling_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(starling_${name} ${scope} ${PROJECT_SOURCE_DIR}/src)
  if(sources)
    if(STARLING_SANITIZE AND NOT name IN_LIST STARLING_OPTIMIZED_UNDER_SANITIZERS)
      target_compile_options(starling_${name} PRIVATE -O0)
      set(STARLING_COMMON_FAMILY _plain)
    endif()
    starling_precompile_common(starling_${name})
  endif()
  if(sources AND (ARG_TOGETHER OR STARLING_SANITIZE))
    starling_compile_together(starling_${name} 8)
  endif()
  target_link_libraries(starling_${name} ${scope} ${below} starling_options ${ARG_LIBS} Threads::Threads)
endfunction()
