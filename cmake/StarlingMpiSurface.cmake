# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# The generated MPI surface. Sets
#   STARLING_MPI_INCLUDE_DIR       the folder of mpi.h, mpi-ext.h and mpi_compat.h in the build tree
#   STARLING_MPI_SURFACE_SOURCES   the generated C++ sources that the shared library compiles
#   STARLING_MPI_CHAPTERS          the names of the chapters
#   STARLING_MPI_EXPORT_MAP        the linker's version script: only MPI names leave the library
# and makes the target starling_mpi_headers: link it to include mpi.h and the generated headers, built in time.
set(STARLING_MPI_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
set(STARLING_MPI_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
set(STARLING_MPI_EXPORT_MAP ${PROJECT_SOURCE_DIR}/api/export.map)

file(GLOB starling_mpi_rows CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/api/functions/*.txt)
file(GLOB starling_mpi_generator CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/api/generator/*.py)

set(STARLING_MPI_SURFACE_SOURCES
  ${STARLING_MPI_GENERATED_DIR}/api/functions.cpp
  ${STARLING_MPI_GENERATED_DIR}/api/constant_names.cpp)
set(STARLING_MPI_CHAPTERS)
foreach(rows IN LISTS starling_mpi_rows)
  get_filename_component(chapter ${rows} NAME_WE)
  list(APPEND STARLING_MPI_CHAPTERS ${chapter})
  list(APPEND STARLING_MPI_SURFACE_SOURCES ${STARLING_MPI_GENERATED_DIR}/api/boundary_${chapter}.cpp)
endforeach()

# The generator leaves a file alone that would not change, so a stamp stands for the run and a changed row recompiles
# only its chapter.
add_custom_command(
  OUTPUT ${STARLING_MPI_GENERATED_DIR}/stamp
  BYPRODUCTS
    ${STARLING_MPI_SURFACE_SOURCES}
    ${STARLING_MPI_INCLUDE_DIR}/mpi.h
    ${STARLING_MPI_INCLUDE_DIR}/mpi_compat.h
    ${STARLING_MPI_INCLUDE_DIR}/mpi-ext.h
    ${STARLING_MPI_GENERATED_DIR}/api/functions.hpp
    ${STARLING_MPI_GENERATED_DIR}/api/calls.hpp
    ${STARLING_MPI_GENERATED_DIR}/api/constant_names.hpp
    ${STARLING_MPI_GENERATED_DIR}/api/seen_calls.cpp
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/api/generate.py ${PROJECT_SOURCE_DIR}
          ${STARLING_MPI_INCLUDE_DIR} ${STARLING_MPI_GENERATED_DIR}
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${PROJECT_SOURCE_DIR}/include/mpi_compat.h
          ${STARLING_MPI_INCLUDE_DIR}/mpi_compat.h
  COMMAND ${CMAKE_COMMAND} -E touch ${STARLING_MPI_GENERATED_DIR}/stamp
  DEPENDS ${starling_mpi_rows} ${starling_mpi_generator} ${PROJECT_SOURCE_DIR}/api/generate.py
          ${PROJECT_SOURCE_DIR}/api/kinds.txt ${PROJECT_SOURCE_DIR}/api/constants.txt
          ${PROJECT_SOURCE_DIR}/include/mpi.h.in ${PROJECT_SOURCE_DIR}/include/mpi_compat.h
          ${PROJECT_SOURCE_DIR}/include/mpi-ext.h.in
  COMMENT "Generating the MPI surface"
  VERBATIM)
add_custom_target(starling_mpi_surface DEPENDS ${STARLING_MPI_GENERATED_DIR}/stamp)

add_library(starling_mpi_headers INTERFACE)
add_dependencies(starling_mpi_headers starling_mpi_surface)
target_include_directories(starling_mpi_headers INTERFACE
  ${STARLING_MPI_INCLUDE_DIR} ${STARLING_MPI_GENERATED_DIR})

install(FILES ${STARLING_MPI_INCLUDE_DIR}/mpi.h ${STARLING_MPI_INCLUDE_DIR}/mpi_compat.h
              ${STARLING_MPI_INCLUDE_DIR}/mpi-ext.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/starling/replace_dead.hpp ${PROJECT_SOURCE_DIR}/include/starling/spares.hpp
              ${PROJECT_SOURCE_DIR}/include/starling/programs_of_ranks.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/starling)
