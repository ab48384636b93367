# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# starling_foreign_mpi(<name>): if mpicc.<name> (openmpi, mpich) is installed, the interface target starling_with_<name> that
# compiles and links against that MPI's C interface, and STARLING_LAUNCH_<name>, the command that starts a job of -n ranks.
# The project needs neither to build.
function(starling_foreign_mpi name)
  if(CMAKE_CROSSCOMPILING)
    return()  # what is here is for this processor
  endif()
  find_program(STARLING_WRAPPER_${name} mpicc.${name})
  if(name STREQUAL "openmpi")
    find_program(STARLING_LAUNCHER_${name} mpirun.${name})
    set(options --oversubscribe)
  else()
    find_program(STARLING_LAUNCHER_${name} NAMES mpiexec.${name} mpirun.${name})
  endif()
  if(NOT STARLING_WRAPPER_${name} OR NOT STARLING_LAUNCHER_${name})
    return()
  endif()
  execute_process(COMMAND ${STARLING_WRAPPER_${name}} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(words UNIX_COMMAND "${shown}")
  add_library(starling_with_${name} INTERFACE)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.*)")
      target_include_directories(starling_with_${name} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.*)")
      target_link_directories(starling_with_${name} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(.*)")
      target_link_libraries(starling_with_${name} INTERFACE ${CMAKE_MATCH_1})
    endif()
  endforeach()
  # The C++ bindings that the standard removed, which these headers would bring in.
  target_compile_definitions(starling_with_${name} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  set(STARLING_LAUNCH_${name} ${STARLING_LAUNCHER_${name}} ${options} PARENT_SCOPE)
endfunction()
