# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# OpenSM's headers, for a plugin. Defines OpenSM_FOUND, OpenSM_VERSION and the target OpenSM::headers.
# There is nothing to link: opensm itself provides the symbols when it loads the plugin.
find_path(OpenSM_INCLUDE_DIR opensm/osm_opensm.h PATH_SUFFIXES infiniband)

if(OpenSM_INCLUDE_DIR)
  file(STRINGS ${OpenSM_INCLUDE_DIR}/opensm/osm_version.h _opensm_line REGEX "define OSM_VERSION")
  string(REGEX REPLACE ".*\"OpenSM ([^\"]*)\".*" "\\1" OpenSM_VERSION "${_opensm_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenSM REQUIRED_VARS OpenSM_INCLUDE_DIR VERSION_VAR OpenSM_VERSION)

if(OpenSM_FOUND AND NOT TARGET OpenSM::headers)
  add_library(OpenSM::headers INTERFACE IMPORTED GLOBAL)
  # IMPORTED include directories are SYSTEM ones: no warnings from headers that are not ours.
  set_target_properties(OpenSM::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${OpenSM_INCLUDE_DIR})
endif()
mark_as_advanced(OpenSM_INCLUDE_DIR)
