// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/export/slurm_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/check.h"
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

class SlurmWriter {
 public:
  SlurmWriter(const Fabric& fabric, std::span<const std::uint8_t> levels) : fabric_(fabric), levels_(levels) {
    check(levels.size() == fabric.num_switches(), "write_slurm_topology: a level for each switch");
    nodes_.resize(fabric.num_switches());
    find_names();
  }

  std::string write(std::span<const EndportId> hosts) {
    add_nodes(hosts);
    std::string text = "# Slurm topology/tree, levels from the leaves up.\n";
    if (nameless_ > 0)
      text += fmt::format("# {} end ports are left out: their description names no host, as \"{}\".\n", nameless_,
                          *example_);
    std::vector<std::size_t> order(fabric_.num_switches());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return levels_[a] < levels_[b]; });
    std::vector<bool> written(fabric_.num_switches(), false);
    for (const std::size_t s : order) {
      std::vector<std::string> children = children_of(id_at<SwitchId>(s), written);
      const std::string nodes = io::host_list(nodes_[s]);
      if (!nodes.empty() && !children.empty()) {
        text += fmt::format("SwitchName={}_nodes Nodes={}\n", names_[s], nodes);
        children.push_back(names_[s] + "_nodes");
      }
      if (!children.empty())
        text += fmt::format("SwitchName={} Switches={}\n", names_[s], io::host_list(std::move(children)));
      else if (!nodes.empty())
        text += fmt::format("SwitchName={} Nodes={}\n", names_[s], nodes);
      else
        continue;
      written[s] = true;
    }
    return text;
  }

 private:
  void find_names() {
    std::map<std::string, std::size_t> count;
    for (const SwitchId s : fabric_.switches()) {
      names_.push_back(valid_name(fabric_.at(s).description));
      ++count[names_.back()];
    }
    for (const SwitchId s : fabric_.switches())
      if (std::string& name = names_[index(s)]; count[name] > 1)
        name += fmt::format("_{:016x}", index(fabric_.at(s).guid));
  }

  void add_nodes(std::span<const EndportId> hosts) {
    for (const EndportId id : hosts) {
      const Endport& e = fabric_.at(id);
      if (e.leaf == kNoSwitch || e.kind == EndportKind::kRouter) continue;
      std::optional<std::string> name = io::host_in_description(e.description);
      if (name) {
        nodes_[index(e.leaf)].push_back(*std::move(name));
      } else {
        ++nameless_;
        if (!example_) example_ = valid_name(e.description);
      }
    }
  }

  std::vector<std::string> children_of(SwitchId s, const std::vector<bool>& written) const {
    std::vector<std::string> children;
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
      const Peer& peer = fabric_.peer(s, id_at<PortNum>(p));
      if (!peer.is_switch()) continue;
      const std::size_t child = index(peer.as_switch());
      if (levels_[child] < levels_[index(s)] && written[child]) children.push_back(names_[child]);
    }
    return children;
  }

  const Fabric& fabric_;
  std::span<const std::uint8_t> levels_;
  std::vector<std::string> names_;               // per SwitchId
  std::vector<std::vector<std::string>> nodes_;  // per SwitchId
  std::size_t nameless_ = 0;
  std::optional<std::string> example_;
};

}  // namespace

std::string write_slurm_topology(const Fabric& fabric, std::span<const std::uint8_t> levels,
                                 std::span<const EndportId> hosts) {
  return SlurmWriter(fabric, levels).write(hosts);
}

}  // namespace espalier
