// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/io/lanes/lanes_file.h"
#include "core/tools/command.h"
#include "core/tools/inputs/host_order.h"

namespace espalier::tools {

Scene::Scene(const Source& source, const RankOptions& rank_options, const std::string& lanes_path,
             const std::string& host_order)
    : Scene(load(source, TablesNeed::kRequired), rank_options, host_order) {
  if (!lanes_path.empty()) lanes = value_or_refuse(read_lanes(load_text(lanes_path), lanes_path, fabric));
}

Scene::Scene(FabricAndTables loaded, const RankOptions& rank_options, const std::string& host_order)
    : fabric(std::move(loaded.fabric)),
      tables(*std::move(loaded.tables)),
      tree(value_or_refuse(rank(fabric, rank_options))),
      costs(tree),
      order(tools::host_order(tree, host_order)),
      hosts(hosts_in_order(tree, order)) {}

Node Scene::find(const std::string& words) const { return value_or_refuse(find_node(fabric, words)); }

std::size_t Scene::host_rank(const Node& node) const {
  const auto it = node.is_switch() ? hosts.end() : std::find(hosts.begin(), hosts.end(), node.endport);
  if (it == hosts.end()) throw Refused{{fmt::format("{} is no host", label(fabric, node)), {}, 0, {}}};
  return static_cast<std::size_t>(it - hosts.begin());
}

}  // namespace espalier::tools
