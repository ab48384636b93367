# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# What tells other builds where an installed Starling is: the CMake package and the pkg-config file. The library, the
# headers and the tools are installed beside the targets that make them.
if(NOT TARGET mpi_abi)
  return()
endif()
include(CMakePackageConfigHelpers)

set(STARLING_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Starling)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/StarlingConfig.cmake.in ${PROJECT_BINARY_DIR}/StarlingConfig.cmake
  INSTALL_DESTINATION ${STARLING_CMAKE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/StarlingConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/StarlingConfig.cmake ${PROJECT_BINARY_DIR}/StarlingConfigVersion.cmake
        DESTINATION ${STARLING_CMAKE_DIR})

# A component of its own, which is in no package: each has it as its copyright.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/starling COMPONENT license)

file(RELATIVE_PATH STARLING_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/starling.pc.in ${PROJECT_BINARY_DIR}/starling.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/starling.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(STARLING_HAS_FORTRAN)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/starling-fortran.pc.in ${PROJECT_BINARY_DIR}/starling-fortran.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/starling-fortran.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
