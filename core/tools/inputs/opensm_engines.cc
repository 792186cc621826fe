// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/opensm_engines.h"

#include <algorithm>
#include <array>

#include "core/engines/engines.h"

namespace espalier::tools {
namespace {

constexpr std::array<std::string_view, 11> kOfOpenSm{"minhop", "updn",       "dnup", "file",   "ftree", "lash",
                                                     "dor",    "torus-2QoS", "nue",  "dfsssp", "sssp"};
constexpr std::string_view kPrefixOfOurs = "espalier-";

}  // namespace

bool is_of_opensm(std::string_view word) {
  return std::find(kOfOpenSm.begin(), kOfOpenSm.end(), word) != kOfOpenSm.end();
}

std::string_view engine_of_plugin(std::string_view word) {
  const bool has_prefix = word.starts_with(kPrefixOfOurs);
  const std::string_view name = has_prefix ? word.substr(kPrefixOfOurs.size()) : word;
  const auto names = engine_names();
  const bool exists = std::find(names.begin(), names.end(), name) != names.end();
  return exists && is_of_opensm(name) == has_prefix ? name : std::string_view();
}

}  // namespace espalier::tools
