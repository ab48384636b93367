# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# Checks on the shape of the sources that run with the build.
#
#   check_layers    part of every whole build: layers, rings, large classes, shared structs, pages (scripts/check_layers)
#   check_headers   on request: every header compiles alone
#
# Most headers are compiled alone anyway, as the first include of a .cpp: of the one of the same name (check_layers sees to the
# order) or of another. check_headers compiles the others, each as the only include of a source of its own.
add_custom_target(check_layers ALL
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_layers ${PROJECT_SOURCE_DIR} VERBATIM
  COMMENT "Checking the shape of the tree")
add_custom_target(check_headers)

# starling_check_headers(<name> <root> LIBS <libraries> [LANGUAGES <c cpp>] HEADERS <paths below root>)
function(starling_check_headers name root)
  cmake_parse_arguments(ARG "" "" "LIBS;LANGUAGES;HEADERS" ${ARGN})
  if(NOT ARG_LANGUAGES)
    set(ARG_LANGUAGES cpp)
  endif()
  set(sources)
  foreach(header IN LISTS ARG_HEADERS)
    foreach(language IN LISTS ARG_LANGUAGES)
      set(source ${PROJECT_BINARY_DIR}/check_headers/${name}/${header}.${language})
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
      list(APPEND sources ${source})
    endforeach()
  endforeach()
  if(sources)
    add_library(check_headers_${name} OBJECT EXCLUDE_FROM_ALL ${sources})
    target_include_directories(check_headers_${name} PRIVATE ${root})
    target_link_libraries(check_headers_${name} PRIVATE ${ARG_LIBS} starling_options)
    # An empty translation unit is what is wanted here.
    target_compile_options(check_headers_${name} PRIVATE -O0 -Wno-pedantic)
    add_dependencies(check_headers check_headers_${name})
  endif()
endfunction()

# The headers of each component that no .cpp begins with.
foreach(line IN LISTS STARLING_LAYER_LINES)
  string(REPLACE " " ";" components "${line}")
  foreach(component IN LISTS components)
    set(begun_with)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${component}/*.cpp)
    foreach(source IN LISTS sources)
      file(STRINGS ${source} include REGEX "^#include" LIMIT_COUNT 1)
      list(APPEND begun_with ${include})
    endforeach()
    set(alone)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src
      ${PROJECT_SOURCE_DIR}/src/${component}/*.hpp)
    foreach(header IN LISTS headers)
      if(NOT "#include \"${header}\"" IN_LIST begun_with)
        list(APPEND alone ${header})
      endif()
    endforeach()
    if(TARGET starling_${component})
      starling_check_headers(${component} ${PROJECT_SOURCE_DIR}/src LIBS starling_${component} HEADERS ${alone})
    endif()
  endforeach()
endforeach()
