# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# Refuses a prefix that cannot be written or holds another MPI. A part of what 'cmake --install' does first; scripts/install
# asks before it builds: cmake -D prefix=FOLDER -P cmake/check_prefix.cmake

# The nearest folder that exists must take new files. A name without '/' before it is meant from where cmake was called.
cmake_path(ABSOLUTE_PATH prefix BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
set(folder "${prefix}")
while(NOT EXISTS "${folder}")
  cmake_path(GET folder PARENT_PATH folder)
endwhile()
execute_process(COMMAND test -d "${folder}" -a -w "${folder}" RESULT_VARIABLE refused)
if(refused)
  message(FATAL_ERROR "Nothing is installed: '${folder}' takes no files. Install as a user who may write there, or name "
                      "another place: scripts/install FOLDER, or cmake --install BUILD --prefix FOLDER")
endif()
if(NOT EXISTS "${prefix}/bin/starling")
  foreach(file IN ITEMS bin/mpicc bin/mpiexec bin/mpirun include/mpi.h lib/libmpi_abi.so.1)
    if(EXISTS "${prefix}/${file}")
      message(FATAL_ERROR "Nothing is installed: '${prefix}' holds another MPI (${file}), which would be overwritten. "
                          "Name another place: scripts/install FOLDER, or cmake --install BUILD --prefix FOLDER")
    endif()
  endforeach()
endif()
