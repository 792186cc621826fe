// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/steady_form.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/parallel.h"
#include "core/engines/lid_targets.h"
#include "core/tree/dividers.h"

namespace espalier {
namespace {

constexpr std::size_t kSpread = 4;

// planes(s), ascending.
std::vector<SwitchId> planes(const FatTree& tree, SwitchId s) {
  std::vector<SwitchId> own;
  std::vector<SwitchId> all;
  for (const PortGroup& up : tree.up_groups(s)) {
    own.push_back(up.remote);
    for (const PortGroup& down : tree.down_groups(up.remote))
      if (tree.level(down.remote) == tree.level(s))
        for (const PortGroup& of_sibling : tree.up_groups(down.remote)) all.push_back(of_sibling.remote);
  }
  all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return own.size() * 2 < all.size() ? own : all;
}

// Fills the rows of single switches; owns the scratch space that one row needs.
class RowFiller {
 public:
  RowFiller(const FatTree& tree, const UpDownCosts& costs, const std::vector<LidTargets>& targets,
            const IdVector<SwitchId, std::uint32_t>& divider)
      : tree_(tree), costs_(costs), targets_(targets), divider_(divider) {}

  void fill(SwitchId s, std::span<PortNum> row) {
    const std::vector<SwitchId> planes_of_s = planes(tree_, s);
    plane_of_group_.clear();
    for (const PortGroup& up : tree_.up_groups(s))
      plane_of_group_.push_back(static_cast<std::uint32_t>(
          std::lower_bound(planes_of_s.begin(), planes_of_s.end(), up.remote) - planes_of_s.begin()));
    num_planes_ = planes_of_s.size();
    for (const SwitchId t : tree_.fabric().switches()) {
      if (t == s) {
        for (const LidTarget& target : targets_[0].at(t))
          std::fill_n(at(row, target.base), std::size_t{1} << target.lmc, target.last_port);
      } else if (costs_.cost(s, t) != kUnreachable) {
        const std::size_t turns_at =
            (costs_.cost(s, t) + index(tree_.level(s)) + index(tree_.level(t))) / std::size_t{2};
        const bool is_below = costs_.down_cost(s, t) != kUnreachable;
        is_below ? select_down(s, t) : select_up(s, t);
        for (const LidTarget& target : targets_[std::min(turns_at, targets_.size() - 1)].at(t))
          for (std::uint32_t k = 0; k < (1U << target.lmc); ++k)
            at(row, target.base)[k] = port(target.id / divider_[s] + k / divider_[s]);
      }
    }
  }

 private:
  static std::span<PortNum>::iterator at(std::span<PortNum> row, Lid base) {
    return row.begin() + static_cast<std::ptrdiff_t>(index(base));
  }

  // Downward every group that leads closer is a plane.
  void select_down(SwitchId s, SwitchId t) {
    selected_.clear();
    for (const PortGroup& down : tree_.down_groups(s))
      if (costs_.down_cost(down.remote, t) < costs_.down_cost(s, t))
        selected_.push_back({static_cast<std::uint32_t>(selected_.size()), &down});
    modulus_ = selected_.size();
  }

  void select_up(SwitchId s, SwitchId t) {
    selected_.clear();
    const auto groups = tree_.up_groups(s);
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (costs_.cost(groups[g].remote, t) < costs_.cost(s, t)) selected_.push_back({plane_of_group_[g], &groups[g]});
    modulus_ = num_planes_;
  }

  // By a topological id (and LID offset) divided by the divider.
  [[nodiscard]] PortNum port(std::uint32_t quotient) const {
    const auto wanted = static_cast<std::uint32_t>(quotient % modulus_);
    const std::size_t rest = quotient / modulus_;
    auto choice = std::lower_bound(selected_.begin(), selected_.end(), wanted,
                                   [](const Selected& a, std::uint32_t plane) { return a.plane < plane; });
    if (choice == selected_.end() || choice->plane != wanted) {
      const auto next = static_cast<std::size_t>(choice - selected_.begin());
      choice = selected_.begin() +
               static_cast<std::ptrdiff_t>((next + rest % std::min(kSpread, selected_.size())) % selected_.size());
    }
    const auto ports = tree_.ports(*choice->group);
    return ports[rest % ports.size()];
  }

  struct Selected {
    std::uint32_t plane = 0;
    const PortGroup* group = nullptr;
  };
  const FatTree& tree_;
  const UpDownCosts& costs_;
  const std::vector<LidTargets>& targets_;
  const IdVector<SwitchId, std::uint32_t>& divider_;
  std::vector<std::uint32_t> plane_of_group_;  // per up-group of the switch
  std::size_t num_planes_ = 0;
  std::vector<Selected> selected_;  // C(s,t), ascending planes
  std::size_t modulus_ = 0;
};

}  // namespace

ForwardingTables steady_form(const FatTree& tree, const UpDownCosts& costs, const std::vector<NodeOrder>& orders) {
  check(orders.size() == tree.num_levels(), "steady_form: one order per level");
  const Fabric& fabric = tree.fabric();
  std::vector<LidTargets> targets;
  for (const NodeOrder& order : orders) targets.emplace_back(tree, order);
  const auto divider = dividers(tree);
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  parallel_blocks(fabric.num_switches(), 8, [&](std::size_t first, std::size_t last) {
    RowFiller filler(tree, costs, targets, divider);
    for (std::size_t s = first; s < last; ++s) filler.fill(id_at<SwitchId>(s), tables.row(id_at<SwitchId>(s)));
  });
  return tables;
}

}  // namespace espalier
