// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/advised_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/engines/engines.h"
#include "core/io/lists/host_parts.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

bool is_of_plugin(const nlohmann::ordered_json& candidate) { return candidate.at("via") == "library"; }

// The plugin's engines with lanes decline without QoS (plugin/contract.md), even where one lane suffices today.
bool needs_qos(const nlohmann::ordered_json& candidate) {
  const auto engine = candidate.at("engine").get<std::string>();
  return candidate.at("vls") > 1 || (is_of_plugin(candidate) && traits_of(engine).lanes);
}

}  // namespace

std::vector<std::string> opensm_conf(const nlohmann::ordered_json& candidate) {
  const auto engine = candidate.at("engine").get<std::string>();
  std::vector<std::string> lines;
  if (is_of_plugin(candidate)) {
    lines = {"event_plugin_name espalier", "event_plugin_options /etc/opensm/espalier.conf",
             fmt::format("routing_engine {}{},updn", engine, engine == "dmodc" ? "" : ",dmodc")};
  } else {
    lines = {"routing_engine " + engine};
  }
  if (needs_qos(candidate)) lines.emplace_back("qos TRUE");
  return lines;
}

std::vector<std::string> espalier_conf(const nlohmann::ordered_json& candidate, const std::string& order) {
  if (!is_of_plugin(candidate) || order == "names") return {};
  if (order == "topology" || order == "topological") return {"host_order topology"};
  const HostOrderWish wish = value_or_refuse(parse_host_order(order));
  const auto is_stdin = [](const HostOrderWish::File& file) { return file.path == "-"; };
  if (order == "lid" || std::any_of(wish.files.begin(), wish.files.end(), is_stdin)) {
    warn("espalier.conf cannot name this order of hosts; write their port GUIDs into a file: host_order FILE");
    return {};
  }
  std::string line = "host_order ";
  for (const HostOrderWish::File& file : wish.files) {
    if (!line.ends_with(' ')) line += ',';
    line += std::filesystem::absolute(file.path).lexically_normal().string();
    if (file.weight != 1) line += fmt::format(":{}", file.weight);
  }
  return {line};
}

}  // namespace espalier::tools
