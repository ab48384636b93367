# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# Debian packages: 'cpack -G DEB' in the build folder, after the target product. They lie beside Debian's Open MPI and MPICH:
# the tree is in /usr/lib/<machine>/starling, commands have the suffix .starling in /usr/bin, and mpicc, mpirun and their kin
# are alternatives of the lowest priority. Include it last.
#
# Each install() of the project has a component, and each component but the license is a package.
if(NOT TARGET mpi_abi OR STARLING_SANITIZE OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()
set(STARLING_MULTIARCH ${CMAKE_LIBRARY_ARCHITECTURE})
if(NOT STARLING_MULTIARCH)  # not Debian
  set(STARLING_MULTIARCH ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
endif()
set(STARLING_PACKAGED_TREE lib/${STARLING_MULTIARCH}/starling)

set(components library tools dev arrays)
if(TARGET starling_farm_starling)
  list(APPEND components farm)
endif()
if(TARGET starling-simulate)
  list(APPEND components simulate)
endif()
foreach(mpi IN ITEMS openmpi mpich)
  if(TARGET starling_pap_${mpi})
    list(APPEND components ${mpi})
  endif()
endforeach()

# What lies outside of the tree: a folder that 'cmake --install' of the project leaves out.
add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/packages packages EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_INSTALL_CMAKE_PROJECTS
  ${PROJECT_BINARY_DIR} starling ALL / ${PROJECT_BINARY_DIR}/packages starling ALL /)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/${STARLING_PACKAGED_TREE})
set(CPACK_PACKAGE_NAME starling)
set(CPACK_PACKAGE_VENDOR "The Starling authors")
set(CPACK_PACKAGE_CONTACT "The Starling authors <starling@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# starling_package(<component> <summary> [<field> <value>]...)
macro(starling_package component summary)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME starling-${component})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}")
  set(fields ${ARGN})
  while(fields)
    list(POP_FRONT fields field value)
    set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${value}")
  endwhile()
  set(control)
  foreach(script IN ITEMS postinst prerm triggers)
    if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/packages/${component}.${script}.in)
      configure_file(${PROJECT_SOURCE_DIR}/cmake/packages/${component}.${script}.in
                     ${PROJECT_BINARY_DIR}/packages/${component}/${script} @ONLY)
      list(APPEND control ${PROJECT_BINARY_DIR}/packages/${component}/${script})
    endif()
  endforeach()
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${control}")
endmacro()
# Where no program is in a package, nothing is looked at for the libraries that it needs, file by file.
set(same "(= ${PROJECT_VERSION})")
starling_package(library "Starling's MPI libraries, with the standard MPI-5.0 ABI" SUGGESTS "libfabric1, libpmix2")
starling_package(tools "mpiexec and the tools of Starling, an MPI library" DEPENDS "starling-library ${same}" RECOMMENDS "openssh-client")
starling_package(dev "Headers, compiler wrappers and manual pages of Starling, an MPI library"
                 DEPENDS "starling-library ${same}, starling-tools ${same}, gcc, g++" SUGGESTS "gfortran" SHLIBDEPS OFF)
starling_package(farm "Starling's farm: independent work on every core, on any MPI" DEPENDS "g++" RECOMMENDS "starling-dev"
                 SHLIBDEPS OFF)
set(metis)
get_target_property(linked starling_metis INTERFACE_LINK_LIBRARIES)
if(linked)
  set(metis ", libmetis-dev")
endif()
starling_package(arrays "Starling's object arrays: objects that migrate, on any MPI" DEPENDS "g++${metis}"
                 RECOMMENDS "starling-dev" SHLIBDEPS OFF)
starling_package(simulate "Starling's collective operations on simulated clusters" DEPENDS "starling-tools ${same}")
starling_package(openmpi "Starling's libraries to preload into programs of Open MPI" RECOMMENDS "starling-tools")
starling_package(mpich "Starling's libraries to preload into programs of MPICH" RECOMMENDS "starling-tools")
include(CPack)
