// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Compiled, not run: how large OpenSM's options are in the release that these headers are of (docs/install.md).
#include "plugin/opensm.h"

static_assert(sizeof(osm_subn_opt_t) == BYTES_OF_OPTIONS);
// What layout_matches() looks at lies behind the options, so a plugin for the other release sees the difference.
static_assert(offsetof(osm_subn_t, p_osm) < offsetof(osm_subn_t, opt));
static_assert(offsetof(osm_opensm_t, sm) > offsetof(osm_opensm_t, subn));
