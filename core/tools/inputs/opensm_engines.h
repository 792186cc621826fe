// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whose engine a word of OpenSM's option routing_engine is.
#pragma once

#include <string_view>

namespace espalier::tools {

// Of OpenSM itself: "minhop", "ftree", ... Not "no_fallback", which stands among them but routes nothing.
[[nodiscard]] bool is_of_opensm(std::string_view word);

// The engine of the plugin, by the name that it has in this command; empty: the plugin has none of that name. "dmodc" is
// dmodc, and "espalier-ftree" is ftree: OpenSM's own engines keep their names.
[[nodiscard]] std::string_view engine_of_plugin(std::string_view word);

}  // namespace espalier::tools
