// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/stable_form.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/check.h"
#include "core/base/large_array.h"
#include "core/base/parallel.h"
#include "core/engines/modulo/candidates.h"
#include "core/engines/modulo/fast_divide.h"
#include "core/engines/modulo/parents.h"
#include "core/engines/modulo/wanted_places.h"
#include "core/tree/planes.h"

namespace espalier {
namespace {

constexpr std::size_t kLeastSwitches = 64;  // of one task: the first of them makes a pattern

// Which switch could not send which LID to the parent that it wanted, or to one that could not.
class DeflectedRoutes {
 public:
  explicit DeflectedRoutes(const ForwardingTables& tables)
      : stride_((tables.width() + 7) / 8),
        bits_(tables.num_switches() * stride_),
        has_some_to_hosts_(tables.num_switches()) {}
  [[nodiscard]] bool at(SwitchId s, std::size_t lid) const {
    return ((bits_[index(s) * stride_ + lid / 8] >> lid % 8) & 1) != 0;
  }
  // Of any LID that is a host's, or its leaf's.
  [[nodiscard]] bool has_some_to_hosts(SwitchId s) const { return has_some_to_hosts_[index(s)] != 0; }
  void set(SwitchId s, std::size_t lid, bool is_to_hosts) {
    if (is_to_hosts) has_some_to_hosts_[index(s)] = 1;
    bits_[index(s) * stride_ + lid / 8] |= static_cast<std::uint8_t>(1 << lid % 8);
  }

 private:
  std::size_t stride_;
  // Bytes of one switch belong to no other: rows may be written at the same time.
  LargeVector<std::uint8_t> bits_;
  std::vector<std::uint8_t> has_some_to_hosts_;
};

// What is the same for all switches.
struct Form {
  const RoutingProblem& problem;
  const std::vector<LidTargets>& targets;  // by the level at which a path turns, as the orders
  const std::vector<SlottedOrder>& orders;
  const IdVector<EndportId, std::uint8_t>& stays;
  const GroupShares* shares;
  const IdVector<SwitchId, SwitchId>& plane;  // by which parents are in order; all alike: by GUID alone
};

// A group that leads closer to a destination.
struct Candidate {
  std::uint32_t parent = 0;  // its number among the parents
  const PortGroup* group = nullptr;
  bool is_above = true;  // by level: its routes are known
  float share = 1;       // of the rounds in which it is taken
};

// What a switch chooses from for the LIDs of one destination switch. Parents are numbered, and slots and pieces counted
// in parents.
struct Choices {
  std::vector<Candidate> candidates;  // C(s,t), ascending parents
  std::vector<std::uint32_t> place;   // per parent below the modulus: among the candidates, or behind all
  FastDivider modulus{1};
  std::uint32_t slots = 1;  // after which the slots of the order in use repeat
  std::uint32_t piece = 1;

  void set_modulus(std::size_t parents) {
    if (modulus.divisor() != parents) modulus = FastDivider(static_cast<std::uint32_t>(parents));
    place.assign(parents, static_cast<std::uint32_t>(candidates.size()));
    for (std::uint32_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].parent < parents) place[candidates[i].parent] = i;
  }
  void set_order(const SlottedOrder& order, std::uint32_t divider) {
    slots = std::max(order.slots / divider, 1U);
    piece = std::max(order.width / divider, 1U);
  }

  using Iterator = std::vector<Candidate>::const_iterator;
  [[nodiscard]] Iterator of_parent(std::uint32_t parent) const {
    return candidates.begin() + static_cast<std::ptrdiff_t>(place[parent]);
  }
  [[nodiscard]] Iterator first_from(std::uint32_t parent) const {
    return std::lower_bound(candidates.begin(), candidates.end(), parent,
                            [](const Candidate& a, std::uint32_t wanted) { return a.parent < wanted; });
  }
};

// Space of one thread.
struct Scratch {
  explicit Scratch(const WantedPlaces& places) : wanted(places) {}

  WantedPlaces wanted;
  // Of the row in hand, for hosts that every group leads closer to: the ports by place, kNoPort for parents over which not
  // every LID has a direct path. Without a group size it has no places.
  std::array<PortNum, 256> ports{};
  std::uint32_t group_size = 0;
  bool all_direct = false;
  Choices all_up;
  Choices some;  // of the destination in hand
};

// A LID that is to get its port: the parent that it wants, and the round of the modulo that it is in.
struct Wish {
  Wish(std::size_t of_lid, bool of_hosts, std::uint32_t of_quotient, const Choices& choices)
      : lid(of_lid),
        is_to_hosts(of_hosts),
        quotient(of_quotient),
        parent(choices.modulus.remainder(quotient)),
        round(choices.modulus.quotient(quotient)),
        // 40503 / 65536: the golden ratio, less 1.
        golden(static_cast<float>((round * 40503) % 65536) / 65536) {}

  std::size_t lid;
  bool is_to_hosts;        // a host's, or its leaf's
  std::uint32_t quotient;  // of its id (and offset) by the divider
  std::uint32_t parent;
  std::size_t round;
  float golden;  // of the round: spread evenly over 0 to 1, whatever the rounds
};

// The row of one switch.
class Row {
 public:
  Row(const Form& form, SwitchId s, DeflectedRoutes& deflected)
      : form_(form), tree_(form.problem.tree), s_(s), divider_(form.problem.divider[s]), deflected_(deflected) {
    std::vector<SwitchId> parents = parents_above(tree_, s);
    if (form.shares != nullptr) parents = leading_further(tree_, form.problem.costs, s, std::move(parents));
    const auto before = [&](SwitchId a, SwitchId b) {
      return std::pair(form.plane[a], a) < std::pair(form.plane[b], b);
    };
    std::sort(parents.begin(), parents.end(), before);
    const auto groups = tree_.up_groups(s);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      const auto parent = std::lower_bound(parents.begin(), parents.end(), groups[g].remote, before);
      const bool is_parent = parent != parents.end() && *parent == groups[g].remote;
      ups_.push_back({static_cast<std::uint32_t>(is_parent ? static_cast<std::size_t>(parent - parents.begin())
                                                           : parents.size() + g),
                      g});
    }
    std::sort(ups_.begin(), ups_.end());
    num_parents_ = std::max(static_cast<std::uint32_t>(parents.size()), 1U);
  }

  // `all`: of this switch.
  void fill(const Candidates& all, Scratch& scratch, std::span<PortNum> row) const {
    start(scratch, row);
    for (const SwitchId t : tree_.fabric().switches()) {
      const Candidates::Kind kind = all.kind(t);
      if (kind == Candidates::Kind::kAllUp)
        fill_all_up(t, scratch, row);
      else if (kind == Candidates::Kind::kItself)
        for (const LidTarget& target : form_.targets.front().at(t)) fill(target, target.last_port, row);
      else if (kind == Candidates::Kind::kNone)
        fill(t, kNoPort, row);
      else if (kind == Candidates::Kind::kOnePort && (goes_down(t) || is_lowest()))
        fill(t, all.port(t), row);
      else
        choose(t, find_choices(t, scratch.some), row);
    }
  }

 private:
  void fill(SwitchId t, PortNum port, std::span<PortNum> row) const {
    for (const LidTarget& target : form_.targets.front().at(t)) fill(target, port, row);
  }
  static void fill(const LidTarget& target, PortNum port, std::span<PortNum> row) {
    for (const Lid lid : lids_of(target)) row[index(lid)] = port;
  }

  // Nobody asks which of its routes are deflected.
  [[nodiscard]] bool is_lowest() const { return tree_.down_groups(s_).empty(); }

  // The level at which a path to t turns downward.
  [[nodiscard]] std::size_t turning_level(SwitchId t) const {
    const std::size_t climb = form_.problem.costs.cost(s_, t) + index(tree_.level(s_)) + index(tree_.level(t));
    return std::min(climb / 2, form_.targets.size() - 1);
  }

  // Where most paths turn.
  [[nodiscard]] std::size_t usual_turn() const { return form_.targets.size() - 1; }

  // The row of a switch from which everything goes up over the parent that it wants.
  void start(Scratch& scratch, std::span<PortNum> row) const {
    const auto groups = tree_.up_groups(s_);
    Choices& choices = scratch.all_up;
    choices.candidates.clear();
    for (const auto& [number, g] : ups_) choices.candidates.push_back(candidate(number, g));
    choices.set_modulus(num_parents_);
    scratch.group_size = 0;
    scratch.all_direct = false;
    const bool alike = std::ranges::all_of(
        groups, [&](const PortGroup& group) { return group.num_ports == groups.front().num_ports; });
    if (groups.empty() || !alike || num_parents_ * groups.front().num_ports >= PatternRow::kNowhere) {
      std::ranges::fill(row, kNoPort);
      return;
    }
    scratch.group_size = groups.front().num_ports;
    scratch.wanted.set_shape({divider_.divisor(), num_parents_, scratch.group_size});
    scratch.ports.fill(kNoPort);
    scratch.all_direct = true;
    for (std::uint32_t parent = 0; parent < num_parents_; ++parent) {
      const auto choice = choices.of_parent(parent);
      if (choice != choices.candidates.end() && is_always_direct(*choice))
        std::ranges::copy(tree_.ports(*choice->group), &scratch.ports[parent * scratch.group_size]);
      else
        scratch.all_direct = false;
    }
    scratch.wanted.turning_at(usual_turn()).map(scratch.ports.data(), row);
  }

  // For all t that every group upward leads closer to.
  void fill_all_up(SwitchId t, Scratch& scratch, std::span<PortNum> row) const {
    if (scratch.group_size == 0 || tree_.hosts(t).empty()) return choose(t, scratch.all_up, row);
    const std::size_t turns_at = turning_level(t);
    if (scratch.all_direct && turns_at == usual_turn()) return;
    const PatternRow& wanted = scratch.wanted.turning_at(turns_at);
    scratch.all_up.set_order(form_.orders[turns_at], divider_.divisor());
    for (const LidTarget& target : form_.targets[turns_at].at(t))
      for (std::uint32_t k = 0; k < (1U << target.lmc); ++k) {
        const std::size_t lid = index(target.base) + k;
        const PortNum direct = scratch.ports[wanted.place(lid)];
        row[lid] = direct != kNoPort ? direct : port(wish(t, target, k, scratch.all_up), scratch.all_up);
      }
  }

  [[nodiscard]] Wish wish(SwitchId t, const LidTarget& target, std::uint32_t k, const Choices& choices) const {
    return {index(target.base) + k, !tree_.hosts(t).empty(), divider_.quotient(target.id) + divider_.quotient(k),
            choices};
  }

  void choose(SwitchId t, Choices& choices, std::span<PortNum> row) const {
    const std::size_t turns_at = turning_level(t);
    choices.set_order(form_.orders[turns_at], divider_.divisor());
    for (const LidTarget& target : form_.targets[turns_at].at(t))
      for (std::uint32_t k = 0; k < (1U << target.lmc); ++k)
        row[index(target.base) + k] = port(wish(t, target, k, choices), choices);
  }

  [[nodiscard]] bool goes_down(SwitchId t) const { return form_.problem.costs.down_cost(s_, t) != kUnreachable; }

  Choices& find_choices(SwitchId t, Choices& choices) const {
    choices.candidates.clear();
    if (goes_down(t))
      add_down(t, choices.candidates);
    else
      add_up(t, choices.candidates);
    choices.set_modulus(goes_down(t) ? choices.candidates.size() : num_parents_);
    return choices;
  }

  // Downward every group that leads closer counts as a parent.
  void add_down(SwitchId t, std::vector<Candidate>& candidates) const {
    const UpDownCosts& costs = form_.problem.costs;
    for (const PortGroup& down : tree_.down_groups(s_))
      if (costs.down_cost(down.remote, t) < costs.down_cost(s_, t))
        candidates.push_back({static_cast<std::uint32_t>(candidates.size()), &down, false});
  }

  void add_up(SwitchId t, std::vector<Candidate>& candidates) const {
    const UpDownCosts& costs = form_.problem.costs;
    const auto groups = tree_.up_groups(s_);
    for (const auto& [number, g] : ups_)
      if (costs.cost(groups[g].remote, t) < costs.cost(s_, t)) candidates.push_back(candidate(number, g));
  }

  [[nodiscard]] Candidate candidate(std::uint32_t parent, std::uint32_t g) const {
    const PortGroup& group = tree_.up_groups(s_)[g];
    return {parent, &group, tree_.level(group.remote) > tree_.level(s_),
            form_.shares == nullptr ? 1 : (*form_.shares)[s_][g]};
  }

  [[nodiscard]] bool is_always_direct(const Candidate& candidate) const {
    return candidate.share >= 1 && (!candidate.is_above || !deflected_.has_some_to_hosts(candidate.group->remote));
  }
  [[nodiscard]] bool is_direct(const Candidate& candidate, const Wish& wish) const {
    return (candidate.share >= 1 || wish.golden < candidate.share) &&
           (!candidate.is_above || !deflected_.at(candidate.group->remote, wish.lid));
  }

  [[nodiscard]] bool stays_in_piece(std::size_t lid) const {
    const EndportId e = tree_.fabric().endport_of(id_at<Lid>(lid));
    return e != kNoEndport && form_.stays[e] != 0;
  }

  // What a LID takes where the path over the parent that it wants is not direct.
  [[nodiscard]] Choices::Iterator deflect(const Wish& wish, const Choices& choices) const {
    const auto goes = [&](const Candidate& candidate) { return is_direct(candidate, wish); };
    const std::uint32_t piece = choices.piece;
    auto begin = choices.first_from(wish.parent - wish.parent % piece);
    auto end = choices.first_from(wish.parent - wish.parent % piece + piece);
    auto count = static_cast<std::size_t>(std::count_if(begin, end, goes));
    if (count == 0 || (count * 3 < piece && !stays_in_piece(wish.lid))) {
      begin = choices.candidates.begin();
      end = choices.candidates.end();
      count = static_cast<std::size_t>(std::count_if(begin, end, goes));
    }
    // Odd times that: the ids of a slot, and of a piece, take different parents whatever is left of them.
    std::size_t turn = std::size_t{wish.quotient / choices.slots} * (piece | 1) + wish.parent % piece;
    if (count == 0) {
      const auto wanted = choices.of_parent(wish.parent);
      if (wanted != choices.candidates.end()) return wanted;
      return choices.candidates.begin() + static_cast<std::ptrdiff_t>(turn % choices.candidates.size());
    }
    turn %= count;
    return std::find_if(begin, end, [&](const Candidate& candidate) { return goes(candidate) && turn-- == 0; });
  }

  [[nodiscard]] PortNum port(const Wish& wish, const Choices& choices) const {
    auto choice = choices.of_parent(wish.parent);
    if (choice == choices.candidates.end() || !is_direct(*choice, wish)) {
      choice = deflect(wish, choices);
      deflected_.set(s_, wish.lid, wish.is_to_hosts);
    }
    const auto ports = tree_.ports(*choice->group);
    return ports[wish.round % ports.size()];
  }

  const Form& form_;
  const FatTree& tree_;
  SwitchId s_;
  FastDivider divider_;
  DeflectedRoutes& deflected_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ups_;  // per up-group, ascending: its parent's number, its own
  std::uint32_t num_parents_ = 1;
};

}  // namespace

ForwardingTables stable_form(const RoutingProblem& problem, const std::vector<SlottedOrder>& orders,
                             const IdVector<EndportId, std::uint8_t>& stays, const GroupShares* shares) {
  const FatTree& tree = problem.tree;
  check(orders.size() == tree.num_levels(), "stable_form: one order per level");
  const Fabric& fabric = tree.fabric();
  std::vector<LidTargets> targets;
  for (const SlottedOrder& order : orders) targets.emplace_back(tree, order.ids);
  IdVector<SwitchId, SwitchId> plane = planes(tree);
  if (follow_guids(plane, tree)) plane = IdVector<SwitchId, SwitchId>(fabric.num_switches());
  const Form form{problem, targets, orders, stays, shares, plane};
  ForwardingTables tables = ForwardingTables::unwritten(fabric.num_switches(), fabric.top_lid());
  DeflectedRoutes deflected(tables);
  const DownBlocks down(problem.costs, fabric.num_switches());
  for (std::size_t level = tree.num_levels(); level-- > 0;) {
    std::vector<SwitchId> row_of;
    for (const SwitchId s : fabric.switches())
      if (index(tree.level(s)) == level) row_of.push_back(s);
    parallel_blocks(row_of.size(), kLeastSwitches, [&](std::size_t first, std::size_t last) {
      Candidates all(tree, problem.costs, down);
      Scratch scratch(WantedPlaces(targets, fabric.num_switches(), tables.width()));
      for (std::size_t i = first; i < last; ++i) {
        all.find(row_of[i]);
        Row(form, row_of[i], deflected).fill(all, scratch, tables.row(row_of[i]));
      }
    });
    // All routes of this level are there, and which of them are deflected.
  }
  return tables;
}

}  // namespace espalier
