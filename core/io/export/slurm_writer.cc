// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/export/slurm_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/io/lists/host_list.h"

namespace espalier {
namespace {

// "MF0;leaf 3:MSB7800/U1" -> "MF0_leaf_3_MSB7800_U1".
std::string valid_name(std::string_view description) {
  std::string name;
  for (const char c : description) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (good)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "switch" : name;
}

std::vector<std::string> names_of_switches(const Fabric& fabric) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> count;
  for (const SwitchId s : fabric.switches()) {
    names.push_back(valid_name(fabric.at(s).description));
    ++count[names.back()];
  }
  for (const SwitchId s : fabric.switches())
    if (std::string& name = names[index(s)]; count[name] > 1) name += fmt::format("_{:016x}", index(fabric.at(s).guid));
  return names;
}

// Per switch the nodes on it, each once.
Result<std::vector<std::set<std::string>>> nodes_of_switches(const Fabric& fabric, std::span<const SlurmHost> hosts,
                                                             const std::vector<std::string>& names) {
  std::vector<std::set<std::string>> nodes(fabric.num_switches());
  std::map<std::string, SwitchId> leaf_of;
  for (const SlurmHost& host : hosts) {
    const SwitchId leaf = fabric.at(host.endport).leaf;
    if (leaf == kNoSwitch) continue;
    const auto [at, is_new] = leaf_of.emplace(host.node, leaf);
    if (!is_new && at->second != leaf)
      return fail(fmt::format("node {} is on {} and on {}, and Slurm allows a node on only one leaf", host.node,
                              names[index(at->second)], names[index(leaf)]),
                  "choose one rail with --rail, for example --rail mlx5_0");
    nodes[index(leaf)].insert(host.node);
  }
  if (leaf_of.empty()) return fail("no end port has a description that names a host", "give host names with --names");
  return nodes;
}

// The switches that reach most nodes come last; those that nothing stands above get one more above them, unless one of
// them reaches all nodes.
class TreeOfLines {
 public:
  TreeOfLines(std::vector<std::string> names, std::size_t num_nodes)
      : names_(std::move(names)), num_nodes_(num_nodes) {}

  void add(std::size_t s, const std::set<std::string>& nodes, const std::set<std::size_t>& children) {
    std::set<std::string> below = nodes;
    SlurmTree::Line line{names_[s], {}, {}};
    for (const std::size_t child : children) {
      if (!below_.contains(child) || below_[child].empty()) continue;
      below.insert(below_[child].begin(), below_[child].end());
      line.switches.push_back(names_[child]);
      has_parent_.insert(child);
    }
    if (below.empty()) return;
    if (!nodes.empty() && !line.switches.empty()) {
      tree_.lines.push_back({names_[s] + "_nodes", {nodes.begin(), nodes.end()}, {}});
      line.switches.push_back(names_[s] + "_nodes");
    } else if (line.switches.empty()) {
      line.nodes.assign(nodes.begin(), nodes.end());
    }
    tree_.lines.push_back(std::move(line));
    below_[s] = std::move(below);
  }

  SlurmTree finish() {
    SlurmTree::Line top{"all_nodes", {}, {}};
    for (const auto& [s, below] : below_) {
      if (below.size() == num_nodes_) return std::move(tree_);
      if (!has_parent_.contains(s) && !below.empty()) top.switches.push_back(names_[s]);
    }
    tree_.lines.push_back(std::move(top));
    return std::move(tree_);
  }

 private:
  std::vector<std::string> names_;
  std::size_t num_nodes_;
  std::map<std::size_t, std::set<std::string>> below_;  // nodes below each switch that has a line
  std::set<std::size_t> has_parent_;
  SlurmTree tree_;
};

}  // namespace

Result<SlurmTree> slurm_tree(const Fabric& fabric, std::span<const std::uint8_t> levels,
                             std::span<const SlurmHost> hosts) {
  check(levels.size() == fabric.num_switches(), "slurm_tree: a level for each switch");
  const std::vector<std::string> names = names_of_switches(fabric);
  ESPALIER_TRY(const auto nodes, nodes_of_switches(fabric, hosts, names));
  std::set<std::string> all;
  for (const std::set<std::string>& some : nodes) all.insert(some.begin(), some.end());

  std::vector<std::size_t> order(fabric.num_switches());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return levels[a] < levels[b]; });
  TreeOfLines tree(names, all.size());
  for (const std::size_t s : order) {
    std::set<std::size_t> children;
    for (const PortNum p : fabric.ports(id_at<SwitchId>(s)))
      if (const Peer& peer = fabric.peer(id_at<SwitchId>(s), p);
          peer.is_switch() && levels[index(peer.as_switch())] < levels[s])
        children.insert(index(peer.as_switch()));
    tree.add(s, nodes[s], children);
  }
  return tree.finish();
}

Result<SlurmTree> slurm_groups(const Fabric& fabric, std::span<const std::uint32_t> group_of,
                               const std::vector<std::string>& group_names, std::span<const SlurmHost> hosts) {
  check(group_of.size() == fabric.num_switches(), "slurm_groups: a group for each switch");
  std::vector<std::string> names = names_of_switches(fabric);
  ESPALIER_TRY(const auto nodes, nodes_of_switches(fabric, hosts, names));
  std::set<std::string> all;
  for (const std::set<std::string>& some : nodes) all.insert(some.begin(), some.end());
  const std::set<std::string> taken(names.begin(), names.end());
  for (const std::string& group : group_names) {
    names.push_back(valid_name(group));
    if (taken.contains(names.back())) names.back() += "_group";
  }
  std::vector<std::set<std::size_t>> routers(group_names.size());
  for (std::size_t s = 0; s < group_of.size(); ++s) routers[group_of[s]].insert(s);

  TreeOfLines tree(names, all.size());
  for (std::size_t s = 0; s < fabric.num_switches(); ++s) tree.add(s, nodes[s], {});
  for (std::size_t g = 0; g < group_names.size(); ++g) tree.add(fabric.num_switches() + g, {}, routers[g]);
  return tree.finish();
}

std::string write_slurm_conf(const SlurmTree& tree) {
  std::string text = "# Slurm topology/tree, levels from the leaves up.\n";
  for (const SlurmTree::Line& line : tree.lines)
    text += line.switches.empty() ? fmt::format("SwitchName={} Nodes={}\n", line.name, io::host_list(line.nodes))
                                  : fmt::format("SwitchName={} Switches={}\n", line.name, io::host_list(line.switches));
  return text;
}

std::string write_slurm_yaml(const SlurmTree& tree) {
  std::string text =
      "# Slurm topology/tree, levels from the leaves up.\n- topology: fabric\n  cluster_default: true\n  tree:\n    "
      "switches:\n";
  for (const SlurmTree::Line& line : tree.lines)
    text += line.switches.empty()
                ? fmt::format("      - switch: \"{}\"\n        nodes: \"{}\"\n", line.name, io::host_list(line.nodes))
                : fmt::format("      - switch: \"{}\"\n        children: \"{}\"\n", line.name,
                              io::host_list(line.switches));
  return text;
}

}  // namespace espalier
