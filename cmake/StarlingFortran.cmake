# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# Fortran is optional: STARLING_HAS_FORTRAN says whether mpif.h, the modules mpi and mpi_f08, and libmpifort_abi are built.
# gfortran 12 or later, whose descriptors are those of the standard; not under a sanitizer.
set(STARLING_HAS_FORTRAN FALSE)
set(STARLING_NO_FORTRAN "no: STARLING_FORTRAN is OFF, or this is a build for a sanitizer")
if(STARLING_FORTRAN AND NOT STARLING_SANITIZE)
  if(NOT CMAKE_Fortran_COMPILER AND NOT DEFINED ENV{FC})
    find_program(STARLING_GFORTRAN gfortran)
    if(STARLING_GFORTRAN)
      set(CMAKE_Fortran_COMPILER ${STARLING_GFORTRAN})
    endif()
  endif()
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
  endif()
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU" AND CMAKE_Fortran_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(STARLING_HAS_FORTRAN TRUE)
  else()
    set(STARLING_NO_FORTRAN "no: gfortran 12 or later is not here (on Debian: apt install gfortran)")
  endif()
endif()

if(STARLING_HAS_FORTRAN)
  starling_part("Fortran (mpif.h, mpi, mpi_f08, mpifort)" "yes")
else()
  starling_part("Fortran (mpif.h, mpi, mpi_f08, mpifort)" "${STARLING_NO_FORTRAN}")
endif()

# starling_uses_modules(SOURCE...): sources that use mpi or mpi_f08 are compiled again when these change, which CMake sees
# within a target only.
function(starling_uses_modules)
  set(hand ${PROJECT_SOURCE_DIR}/src/fortran)
  set_source_files_properties(${ARGN} PROPERTIES
    OBJECT_DEPENDS "${PROJECT_BINARY_DIR}/generated/fortran/stamp;${hand}/callbacks.F90;${hand}/more.F90")
endfunction()
