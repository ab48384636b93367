# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# What is installed. 'cmake --install' first builds of it what is missing, for scripts/demo builds only a part, and refuses a
# prefix that cannot be written or holds another MPI before it writes anything. Configuring ends with a table of what is in
# the product, what is not, and why.
#
# Include it before anything is installed: install scripts run in the order in which they were given.
add_custom_target(product)
install(SCRIPT ${PROJECT_BINARY_DIR}/before_install.cmake)

# starling_product(<target>...): these targets are installed.
function(starling_product)
  add_dependencies(product ${ARGN})
  set_property(GLOBAL APPEND PROPERTY STARLING_PRODUCT ${ARGN})
endfunction()

# starling_product_file(<target> <file>): this target, which is no program or library, makes what is installed, the file too.
function(starling_product_file target file)
  add_dependencies(product ${target})
  set_property(GLOBAL APPEND PROPERTY STARLING_PRODUCT_FILES "${target}|${file}")
endfunction()

# starling_part(<name> <state>): a row of the table: "yes", "for starling mpich", or "no: " and why.
function(starling_part name state)
  set_property(GLOBAL APPEND PROPERTY STARLING_PARTS "${name}|${state}")
endfunction()

# Writes the script, and prints the table. Call it last.
function(starling_finish_product)
  get_property(targets GLOBAL PROPERTY STARLING_PRODUCT)
  set(pairs)
  foreach(target IN LISTS targets)
    string(APPEND pairs "  \"${target}|$<TARGET_FILE:${target}>\"\n")
  endforeach()
  get_property(files GLOBAL PROPERTY STARLING_PRODUCT_FILES)
  foreach(pair IN LISTS files)
    string(APPEND pairs "  \"${pair}\"\n")
  endforeach()
  file(READ ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check_prefix.cmake check_prefix)
  file(READ ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/before_install.cmake.in script)
  string(CONFIGURE "${script}" script @ONLY)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/before_install.cmake CONTENT "${script}")
  message(STATUS "${PROJECT_NAME} ${PROJECT_VERSION} has:")
  get_property(parts GLOBAL PROPERTY STARLING_PARTS)
  foreach(part IN LISTS parts)
    string(REPLACE "|" ";" part "${part}")
    list(GET part 0 name)
    list(GET part 1 state)
    string(LENGTH "${name}" length)
    math(EXPR blanks "44 - ${length}")
    string(REPEAT " " ${blanks} blanks)
    message(STATUS "  ${name}${blanks}${state}")
  endforeach()
endfunction()
