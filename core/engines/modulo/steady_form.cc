// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/steady_form.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

// Which switch could not send which LID to the plane that it wanted, or to one that could not.
class BentRoutes {
 public:
  explicit BentRoutes(const ForwardingTables& tables)
      : stride_((tables.width() + 7) / 8), bits_(tables.num_switches() * stride_) {}
  [[nodiscard]] bool at(SwitchId s, std::size_t lid) const {
    return ((bits_[index(s) * stride_ + lid / 8] >> lid % 8) & 1) != 0;
  }
  void set(SwitchId s, std::size_t lid) {
    bits_[index(s) * stride_ + lid / 8] |= static_cast<std::uint8_t>(1 << lid % 8);
  }

 private:
  std::size_t stride_;
  std::vector<std::uint8_t> bits_;  // bytes of one switch belong to no other: rows may be written at the same time
};

// Fills the rows of single switches; owns the scratch space that one row needs.
class RowFiller {
 public:
  RowFiller(const RoutingProblem& problem, const std::vector<LidTargets>& targets,
            const std::vector<SlottedOrder>& orders, const IdVector<EndportId, std::uint8_t>& stays,
            const GroupShares* shares, BentRoutes& bent)
      : tree_(problem.tree),
        costs_(problem.costs),
        targets_(targets),
        orders_(orders),
        divider_(problem.divider),
        stays_(stays),
        shares_(shares),
        bent_(bent) {}

  void fill(SwitchId s, std::span<PortNum> row) {
    const std::vector<SwitchId> planes_of_s =
        shares_ == nullptr ? planes_above(tree_, s) : leading_further(tree_, costs_, s, planes_above(tree_, s));
    plane_of_group_.clear();
    for (const PortGroup& up : tree_.up_groups(s)) {
      const auto plane = std::lower_bound(planes_of_s.begin(), planes_of_s.end(), up.remote);
      const bool is_plane = plane != planes_of_s.end() && *plane == up.remote;
      plane_of_group_.push_back(static_cast<std::uint32_t>(is_plane
                                                               ? static_cast<std::size_t>(plane - planes_of_s.begin())
                                                               : planes_of_s.size() + plane_of_group_.size()));
    }
    num_planes_ = std::max<std::size_t>(planes_of_s.size(), 1);
    for (const SwitchId t : tree_.fabric().switches()) {
      if (t == s) {
        for (const LidTarget& target : targets_[0].at(t))
          std::fill_n(at(row, target.base), std::size_t{1} << target.lmc, target.last_port);
      } else if (costs_.cost(s, t) != kUnreachable) {
        const std::size_t turns_at = std::min(
            (costs_.cost(s, t) + index(tree_.level(s)) + index(tree_.level(t))) / std::size_t{2}, targets_.size() - 1);
        slots_ = std::max(orders_[turns_at].slots / divider_[s], 1U);
        piece_ = std::max(orders_[turns_at].width / divider_[s], 1U);
        const bool is_below = costs_.down_cost(s, t) != kUnreachable;
        is_below ? select_down(s, t) : select_up(s, t);
        for (const LidTarget& target : targets_[turns_at].at(t))
          for (std::uint32_t k = 0; k < (1U << target.lmc); ++k)
            at(row, target.base)[k] = port(s, index(target.base) + k, target.id / divider_[s] + k / divider_[s]);
      }
    }
  }

 private:
  struct Selected {
    std::uint32_t plane = 0;
    const PortGroup* group = nullptr;
    bool is_above = true;  // by level: its routes are known
    float share = 1;       // of the rounds in which it is taken
  };
  using Choice = std::vector<Selected>::const_iterator;

  static std::span<PortNum>::iterator at(std::span<PortNum> row, Lid base) {
    return row.begin() + static_cast<std::ptrdiff_t>(index(base));
  }

  // Downward every group that leads closer is a plane.
  void select_down(SwitchId s, SwitchId t) {
    selected_.clear();
    for (const PortGroup& down : tree_.down_groups(s))
      if (costs_.down_cost(down.remote, t) < costs_.down_cost(s, t))
        selected_.push_back({static_cast<std::uint32_t>(selected_.size()), &down, false});
    modulus_ = selected_.size();
  }

  void select_up(SwitchId s, SwitchId t) {
    selected_.clear();
    const auto groups = tree_.up_groups(s);
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (costs_.cost(groups[g].remote, t) < costs_.cost(s, t))
        selected_.push_back({plane_of_group_[g], &groups[g], tree_.level(groups[g].remote) > tree_.level(s),
                             shares_ == nullptr ? 1 : (*shares_)[s][g]});
    modulus_ = num_planes_;
  }

  [[nodiscard]] Choice first_from(std::uint32_t plane) const {
    return std::lower_bound(selected_.begin(), selected_.end(), plane,
                            [](const Selected& a, std::uint32_t wanted) { return a.plane < wanted; });
  }

  [[nodiscard]] bool is_straight(const Selected& choice, std::size_t lid) const {
    return (choice.share >= 1 || golden_ < choice.share) && (!choice.is_above || !bent_.at(choice.group->remote, lid));
  }

  [[nodiscard]] bool stays_in_piece(std::size_t lid) const {
    const LidOwner& owner = tree_.fabric().owner(id_at<Lid>(lid));
    return owner.kind == LidOwner::Kind::kEndport && stays_[EndportId{owner.id}] != 0;
  }

  struct Straight {
    Choice begin, end;
    std::size_t count = 0;
  };
  [[nodiscard]] Straight straight(Choice begin, Choice end, std::size_t lid) const {
    const auto goes = [&](const Selected& choice) { return is_straight(choice, lid); };
    return {begin, end, static_cast<std::size_t>(std::count_if(begin, end, goes))};
  }

  // What `lid` takes where the way over the plane that it wants is not straight.
  [[nodiscard]] Choice detour(Choice from_wanted, std::uint32_t wanted, std::size_t lid, std::size_t round) const {
    // Odd times that: the ids of a slot, and of a piece, take different planes whatever is left of them.
    std::size_t turn = round * (piece_ | 1) + wanted % piece_;
    const std::uint32_t first = wanted - wanted % piece_;
    Straight among = straight(first_from(first), first_from(first + piece_), lid);
    if (among.count == 0 || (among.count * 3 < piece_ && !stays_in_piece(lid)))
      among = straight(selected_.begin(), selected_.end(), lid);
    if (among.count == 0) {
      if (from_wanted != selected_.end() && from_wanted->plane == wanted) return from_wanted;
      return selected_.begin() + static_cast<std::ptrdiff_t>(turn % selected_.size());
    }
    turn %= among.count;
    return std::find_if(among.begin, among.end,
                        [&](const Selected& choice) { return is_straight(choice, lid) && turn-- == 0; });
  }

  // By a topological id (and LID offset) divided by the divider.
  [[nodiscard]] PortNum port(SwitchId s, std::size_t lid, std::uint32_t quotient) {
    const auto wanted = static_cast<std::uint32_t>(quotient % modulus_);
    const std::size_t rest = quotient / modulus_;
    golden_ = static_cast<float>((rest * 40503) % 65536) / 65536;  // 40503 / 65536: the golden ratio, less 1
    Choice choice = first_from(wanted);
    if (choice == selected_.end() || choice->plane != wanted || !is_straight(*choice, lid)) {
      choice = detour(choice, wanted, lid, quotient / slots_);
      bent_.set(s, lid);
    }
    const auto ports = tree_.ports(*choice->group);
    return ports[rest % ports.size()];
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const std::vector<LidTargets>& targets_;
  const std::vector<SlottedOrder>& orders_;
  const IdVector<SwitchId, std::uint32_t>& divider_;
  const IdVector<EndportId, std::uint8_t>& stays_;
  const GroupShares* shares_;
  BentRoutes& bent_;
  float golden_ = 0;                           // of the round at hand: spread evenly over 0 to 1, whatever the rounds
  std::vector<std::uint32_t> plane_of_group_;  // per up-group of the switch
  std::size_t num_planes_ = 0;
  std::vector<Selected> selected_;  // C(s,t), ascending planes
  std::size_t modulus_ = 0;
  std::uint32_t slots_ = 1;  // planes after which the slots of the order in use repeat
  std::uint32_t piece_ = 1;  // planes of a piece
};

}  // namespace

std::vector<SwitchId> planes_above(const FatTree& tree, SwitchId s) {
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
  return own.size() * 4 < all.size() ? own : all;
}

std::vector<SwitchId> leading_further(const FatTree& tree, const UpDownCosts& costs, SwitchId s,
                                      std::vector<SwitchId> planes) {
  const auto own = costs.down_row(s);
  std::erase_if(planes, [&](SwitchId plane) {
    const auto below = costs.down_row(plane);
    for (const SwitchId t : tree.fabric().switches())
      if (!tree.hosts(t).empty() && below[index(t)] != kUnreachable && own[index(t)] == kUnreachable) return false;
    return true;
  });
  return planes;
}

ForwardingTables steady_form(const RoutingProblem& problem, const std::vector<SlottedOrder>& orders,
                             const IdVector<EndportId, std::uint8_t>& stays, const GroupShares* shares) {
  const FatTree& tree = problem.tree;
  check(orders.size() == tree.num_levels(), "steady_form: one order per level");
  const Fabric& fabric = tree.fabric();
  std::vector<LidTargets> targets;
  for (const SlottedOrder& order : orders) targets.emplace_back(tree, order.ids);
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  BentRoutes bent(tables);
  for (std::size_t level = tree.num_levels(); level-- > 0;) {
    std::vector<SwitchId> row_of;
    for (const SwitchId s : fabric.switches())
      if (index(tree.level(s)) == level) row_of.push_back(s);
    parallel_blocks(row_of.size(), 8, [&](std::size_t first, std::size_t last) {
      RowFiller filler(problem, targets, orders, stays, shares, bent);
      for (std::size_t i = first; i < last; ++i) filler.fill(row_of[i], tables.row(row_of[i]));
    });
    // All routes of this level are there, and which of them are bent.
  }
  return tables;
}

}  // namespace espalier
