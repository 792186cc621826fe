// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/split_tops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"

namespace espalier {
namespace {

bool is_top(const FatTree& tree, SwitchId s) { return tree.up_groups(s).empty() && !tree.down_groups(s).empty(); }

// The part of each down-group of a top, in their order.
class DownGroups {
 public:
  DownGroups(const FatTree& tree, const UpDownCosts& costs) : tree_(tree), costs_(costs) {
    for (const SwitchId s : tree.fabric().switches())
      if (!tree.hosts(s).empty()) leaves_.push_back(s);
  }

  [[nodiscard]] Result<std::vector<std::size_t>> parts(SwitchId top) const {
    if (!tree_.hosts(top).empty())
      return fail(fmt::format("{} is a top switch with hosts attached", tree_.fabric().label(top)));
    std::vector<std::size_t> part_of;
    std::vector<std::vector<bool>> reached;  // per part, by number in leaves_
    for (const PortGroup& group : tree_.down_groups(top)) {
      std::vector<bool> below(leaves_.size());
      for (std::size_t i = 0; i < leaves_.size(); ++i)
        below[i] = costs_.down_cost(group.remote, leaves_[i]) != kUnreachable;
      const auto part = std::find_if(reached.begin(), reached.end(), [&](const std::vector<bool>& others) {
        for (std::size_t i = 0; i < below.size(); ++i)
          if (below[i] && others[i]) return false;
        return true;
      });
      part_of.push_back(static_cast<std::size_t>(part - reached.begin()));
      if (part == reached.end())
        reached.push_back(std::move(below));
      else
        for (std::size_t i = 0; i < below.size(); ++i)
          if (below[i]) (*part)[i] = true;
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      for (const std::vector<bool>& part : reached)
        if (part[i] != reached[0][i])
          return fail(fmt::format("{} has fewer paths down to {} than to others, or paths that overlap",
                                  tree_.fabric().label(top), tree_.fabric().label(leaves_[i])));
    return part_of;
  }

 private:
  const FatTree& tree_;
  const UpDownCosts& costs_;
  std::vector<SwitchId> leaves_;
};

class Splitter {
 public:
  explicit Splitter(const FatTree& tree)
      : tree_(tree), fabric_(tree.fabric()), first_(fabric_.num_switches()), part_at_(fabric_.num_switches()) {}

  Result<SplitTree> run(const UpDownCosts& costs) {
    const DownGroups down_groups(tree_, costs);
    for (const SwitchId s : fabric_.switches()) {
      std::size_t num_parts = 1;
      if (is_top(tree_, s)) {
        ESPALIER_TRY(const auto part_of, down_groups.parts(s));
        num_parts = 1 + *std::max_element(part_of.begin(), part_of.end());
        set_ports(s, part_of);
      }
      add_parts(s, num_parts);
    }
    connect();
    ESPALIER_TRY(auto built, std::move(builder_).build());
    auto fabric = std::make_unique<const Fabric>(std::move(built));
    FatTree tree(*fabric, level_, positions(), {});
    return SplitTree{std::move(fabric), std::move(tree), std::move(whole_)};
  }

 private:
  void set_ports(SwitchId top, const std::vector<std::size_t>& part_of) {
    part_at_[top].assign(fabric_.at(top).num_ports + 1U, 0);
    for (std::size_t i = 0; i < part_of.size(); ++i)
      for (const PortNum port : tree_.ports(tree_.down_groups(top)[i])) part_at_[top][index(port)] = part_of[i];
  }

  // New GUIDs in the order of the old ones: ids are in the order of GUIDs, and groups are.
  void add_parts(SwitchId s, std::size_t num_parts) {
    first_[s] = whole_.size();
    for (std::size_t part = 0; part < num_parts; ++part) {
      Switch own = fabric_.at(s);
      own.guid = id_at<Guid>(whole_.size() + 1);
      if (num_parts > 1) own.lid = kNoLid;
      builder_.add_switch(std::move(own));
      whole_.push_back(s);
      level_.push_back(tree_.level(s));
    }
  }

  [[nodiscard]] FabricBuilder::SwitchHandle owner(SwitchId s, PortNum port) const {
    return id_at<FabricBuilder::SwitchHandle>(first_[s] + (part_at_[s].empty() ? 0 : part_at_[s][index(port)]));
  }

  void connect() {
    for (const EndportId e : fabric_.endports()) {
      const auto handle = builder_.add_endport(fabric_.at(e));
      if (fabric_.at(e).leaf != kNoSwitch)
        builder_.connect(owner(fabric_.at(e).leaf, fabric_.at(e).leaf_port), fabric_.at(e).leaf_port, handle);
    }
    for (const SwitchId s : fabric_.switches())
      for (const PortGroup& g : tree_.up_groups(s))
        for (const PortNum port : tree_.ports(g)) {
          const PortNum above = fabric_.peer(s, port).port;
          builder_.connect(owner(s, port), port, owner(g.remote, above), above);
        }
  }

  [[nodiscard]] IdVector<SwitchId, std::uint32_t> positions() const {
    IdVector<SwitchId, std::uint32_t> position(whole_.size());
    std::uint32_t next = 0;
    for (const SwitchId s : tree_.ascending())
      for (std::size_t i = first_[s]; i < whole_.size() && whole_[id_at<SwitchId>(i)] == s; ++i)
        position[id_at<SwitchId>(i)] = next++;
    return position;
  }

  const FatTree& tree_;
  const Fabric& fabric_;
  FabricBuilder builder_;
  IdVector<SwitchId, std::size_t> first_;                 // of a switch's parts
  IdVector<SwitchId, std::vector<std::size_t>> part_at_;  // per port; empty: it is whole
  IdVector<SwitchId, SwitchId> whole_;                    // per part, as the next
  IdVector<SwitchId, Level> level_;
};

}  // namespace

Result<SplitTree> split_tops(const FatTree& tree, const UpDownCosts& costs) { return Splitter(tree).run(costs); }

}  // namespace espalier
