# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What is installed, and the packages: espalier-plugin, espalier (the command) and espalier-models, as .deb and .rpm.

if(ESPALIER_PLUGIN)
  install(TARGETS espalier_plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT plugin)
  install(FILES COPYING docs/licenses.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/espalier-plugin COMPONENT plugin)
  install(DIRECTORY conf/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/espalier-plugin COMPONENT plugin)
  # opensm finds libespalier.so through the loader's cache. Not when staging: the packages do it when they are installed.
  install(CODE "if(\"\$ENV{DESTDIR}\" STREQUAL \"\" AND CMAKE_INSTALL_PREFIX STREQUAL \"${CMAKE_INSTALL_PREFIX}\")
    execute_process(COMMAND ldconfig RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed EQUAL 0)
      message(STATUS \"Run ldconfig as root, so that opensm finds libespalier.so\")
    endif()
  endif()" COMPONENT plugin)
  # Every option with its default. What an administrator changed stays: dpkg asks (conffile), and we do not overwrite.
  install(CODE "set(directory /etc/opensm) # where opensm of Debian looks, and plugin/config.h
    if(NOT CMAKE_INSTALL_PREFIX MATCHES \"^/usr(/local)?$\")
      set(directory \${CMAKE_INSTALL_PREFIX}/etc/opensm)
    endif()
    if(NOT EXISTS \"\$ENV{DESTDIR}\${directory}/espalier.conf\")
      file(INSTALL \"${PROJECT_SOURCE_DIR}/conf/espalier.conf.example\" DESTINATION \"\${directory}\" RENAME espalier.conf)
    endif()" COMPONENT plugin)
endif()

if(ESPALIER_COMMAND)
  install(TARGETS espalier RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(TARGETS espalier_schedule_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command)
  install(FILES core/schedule/client/espalier_schedule.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT command)
  install(FILES core/schedule/client/sample/mpi_exchange.c DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/espalier/examples
          COMPONENT command)
  install(PROGRAMS scripts/run_opensm.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/espalier COMPONENT command) # for compare
  install(FILES COPYING README.md docs/licenses.md docs/production.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/espalier
          COMPONENT command)
  if(TARGET espalier_probe)
    install(TARGETS espalier_probe LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command)
  endif()
  set(component_of_espalier command)
endif()
if(ESPALIER_MODELS)
  install(TARGETS espalier-models RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT models)
  install(FILES COPYING docs/licenses.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/espalier-models COMPONENT models)
  set(component_of_espalier-models models)
endif()

# Manual pages and completion, as the programs write them.
foreach(program espalier espalier-models)
  if(NOT TARGET ${program})
    continue()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/manual/${program})
  add_custom_command(OUTPUT ${folder}/completions/${program} COMMAND ${program} manual ${folder} DEPENDS ${program})
  add_custom_target(${program}_manual ALL DEPENDS ${folder}/completions/${program})
  install(DIRECTORY ${folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT ${component_of_${program}})
  install(FILES ${folder}/completions/${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          COMPONENT ${component_of_${program}})
endforeach()

# opensm refuses plugins that were built against another version than its own, so the package asks for that one.
if(ESPALIER_PLUGIN)
  get_directory_property(opensm_version DIRECTORY plugin DEFINITION OpenSM_VERSION)
  string(REGEX MATCH "^([0-9]+\\.[0-9]+)\\.([0-9]+)" opensm_release "${opensm_version}")
  math(EXPR next_patch "${CMAKE_MATCH_2} + 1")
  set(opensm_next ${CMAKE_MATCH_1}.${next_patch})
endif()

set(CPACK_PACKAGE_NAME espalier)
set(CPACK_PACKAGE_VENDOR "the Espalier contributors")
set(CPACK_PACKAGE_CONTACT "the Espalier contributors <espalier@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_COMPONENT_PLUGIN_DESCRIPTION
    "OpenSM routing engines for InfiniBand fabrics
 A plugin of the subnet manager OpenSM. It verifies every table before it is uploaded.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "Compute, judge and explain routes of InfiniBand fabrics
 The command espalier, which works offline on files and looks at running subnets.")
set(CPACK_COMPONENT_MODELS_DESCRIPTION
    "Simulations and throughput models for the command espalier
 Adds espalier simulate and espalier throughput, which need SimGrid and Clp.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/COPYING)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME espalier-plugin)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME espalier)
set(CPACK_DEBIAN_MODELS_PACKAGE_NAME espalier-models)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS "opensm (>= ${opensm_release}), opensm (<< ${opensm_next})")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "espalier-models, espalier-plugin, opensm, ibsim-utils")
set(CPACK_DEBIAN_MODELS_PACKAGE_DEPENDS "espalier (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(WRITE ${PROJECT_BINARY_DIR}/conffiles "/etc/opensm/espalier.conf\n")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/conffiles)

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "GPL-2.0-only OR Linux-OpenIB")
set(CPACK_RPM_PACKAGE_GROUP "System Environment/Daemons")
set(CPACK_RPM_PLUGIN_PACKAGE_NAME espalier-plugin)
set(CPACK_RPM_COMMAND_PACKAGE_NAME espalier)
set(CPACK_RPM_MODELS_PACKAGE_NAME espalier-models)
set(CPACK_RPM_PLUGIN_PACKAGE_REQUIRES "opensm >= ${opensm_release}, opensm < ${opensm_next}")
set(CPACK_RPM_PLUGIN_PACKAGE_AUTOPROV OFF) # a plugin: nobody links it
set(CPACK_RPM_MODELS_PACKAGE_REQUIRES "espalier = ${PROJECT_VERSION}")
set(CPACK_RPM_PLUGIN_USER_FILELIST "%config(noreplace) /etc/opensm/espalier.conf")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /etc /etc/opensm /usr/share/man /usr/share/man/man1 /usr/lib64
                                                   /usr/share/bash-completion /usr/share/bash-completion/completions)
file(WRITE ${PROJECT_BINARY_DIR}/ldconfig.sh "/sbin/ldconfig\n")
set(CPACK_RPM_PLUGIN_POST_INSTALL_SCRIPT_FILE ${PROJECT_BINARY_DIR}/ldconfig.sh)
set(CPACK_RPM_PLUGIN_POST_UNINSTALL_SCRIPT_FILE ${PROJECT_BINARY_DIR}/ldconfig.sh)
include(CPack)
