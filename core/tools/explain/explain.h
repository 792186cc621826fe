// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the forms of `espalier explain` share. Each form asks core/analysis, writes the answer down as JSON, and renders
// its text from that, so that both say the same.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/fabric/fabric.h"
#include "core/tools/inputs/analysis_context.h"
#include "core/tree/fat_tree.h"

namespace espalier::tools {

using Json = nlohmann::ordered_json;

// An answer: what is true, for programs, and whether it is what an admin hopes for (exit code 0) or not (1).
struct Answer {
  Json json;
  std::string text;
  bool good = true;
};

[[nodiscard]] Answer explain_path(const AnalysisContext& context, const std::string& from, const std::string& to);
[[nodiscard]] Answer explain_credit_loop(const AnalysisContext& context);
[[nodiscard]] Answer explain_hot_links(const AnalysisContext& context, std::size_t count, const std::string& pattern,
                                       std::uint64_t seed);
// `rows`: how many channels of a list are shown.
[[nodiscard]] Answer explain_shared_links(const AnalysisContext& context, const std::string& a, const std::string& b,
                                          std::size_t rows);
[[nodiscard]] Answer explain_changes(const AnalysisContext& before, const AnalysisContext& after, std::size_t rows);

// ---- how things are written ----

[[nodiscard]] std::string hex(Guid guid);
// {"guid", "description", "level"} and {"guid", "description", "lid"}.
[[nodiscard]] Json to_json(const FatTree& tree, SwitchId s);
[[nodiscard]] Json to_json(const Fabric& fabric, EndportId e);
// {"from": switch, "port", "to": switch, "to_port", "direction": "up"|"down"|"self"}.
[[nodiscard]] Json to_json(const FatTree& tree, ChannelId c);
// The reverse for people: "0xGUID (description)" of anything with these two members; a whole channel.
[[nodiscard]] std::string node_text(const Json& node);
[[nodiscard]] std::string channel_text(const Json& channel);

}  // namespace espalier::tools
