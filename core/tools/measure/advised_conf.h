// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lines of configuration files with which a subnet gets the tables that `espalier advise` recommends.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace espalier::tools {

// For opensm.conf; `candidate` is what judge_ours() or judge_stock() says of an engine with tables.
[[nodiscard]] std::vector<std::string> opensm_conf(const nlohmann::ordered_json& candidate);

// For espalier.conf: how jobs number hosts, unless by names, which needs no line. Files have absolute paths. None, with a
// warning, for what the plugin cannot be told: LIDs, and standard input. REQUIRES: host_order() takes these words.
[[nodiscard]] std::vector<std::string> espalier_conf(const nlohmann::ordered_json& candidate, const std::string& order);

}  // namespace espalier::tools
