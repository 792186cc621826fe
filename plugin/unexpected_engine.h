// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tells an administrator when the subnet is not routed by the engine that opensm.conf asks for first. OpenSM takes the
// next engine of its list, or minhop, without a word that would stand out: a misspelled engine goes unnoticed for
// years.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier {

// The words of opensm.conf's routing_engine, which blanks and commas separate, but for no_fallback, which is no engine.
[[nodiscard]] std::vector<std::string> listed_engines(std::string_view routing_engine);

// One sentence: what was expected, what routes now, and why as far as can be told: who declined, who is unknown, and
// whether OpenSM has fallen back to an engine that nobody listed. Empty when `used` is the first of `listed`, or nothing is
// listed.
[[nodiscard]] std::string unexpected_engine(const std::vector<std::string>& listed, std::string_view used,
                                            const std::function<bool(const std::string&)>& is_known);

}  // namespace espalier
