// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/trees/pod_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/schedule/exchanges/exchange_plan.h"
#include "core/schedule/exchanges/idle_phases.h"
#include "core/schedule/leaf_spine/phase_bound.h"
#include "core/schedule/leaf_spine/phase_spines.h"

namespace espalier {
namespace {

// Leaves' links to planes without those that their middle switch has no tops for.
LeafSpine usable_shape(const PodTree& tree) {
  LeafSpine shape = tree.below.shape;
  const auto uplinks = [&](std::size_t leaf) { return shape.uplinks(leaf); };
  for (std::size_t pod = 0; pod < tree.num_pods; ++pod)
    for (std::size_t plane = 0; plane < tree.num_planes(); ++plane) {
      std::vector<std::size_t> leaves;
      for (std::size_t leaf = 0; leaf < tree.pod_of_leaf.size(); ++leaf)
        if (tree.pod_of_leaf[leaf] == pod && shape.joined(leaf, plane)) leaves.push_back(leaf);
      for (std::size_t tops = tree.above[plane].uplinks(pod); leaves.size() > tops;) {
        const auto most = std::max_element(leaves.begin(), leaves.end(),
                                           [&](std::size_t a, std::size_t b) { return uplinks(a) < uplinks(b); });
        shape.cut(*most, plane);
        leaves.erase(most);
      }
    }
  return shape;
}

class PodRouter {
 public:
  PodRouter(const Fabric& fabric, const PodTree& tree)
      : fabric_(fabric),
        tree_(tree),
        below_(tree.below),
        lmc_(common_lmc(fabric, below_.servers)),
        top_bits_(static_cast<std::uint8_t>(std::bit_width(std::max<std::size_t>(tree.num_tops, 1) - 1))) {}

  Result<RoutedExchange> run() {
    if (lmc_ < top_bits_) return too_few_lids();
    shape_ = usable_shape(tree_);
    std::optional<ExchangePlan> plan = plan_exchange(shape_, num_codes());
    if (!plan) return fail("no exchange was found within twice the least number of phases");
    plan_ = std::move(*plan);
    // Links of leaves carry one flow in each phase.
    choose_tops();
    // Links of middle switches, too; other flows are left over.
    position_ = number_by_guid(fabric_, below_.servers, result_.schedule);
    deal_lanes();
    write_upper_entries();
    write_schedule();
    drop_idle_phases(result_.schedule);
    result_.schedule.bound =
        std::max(phase_bound(below_.shape).for_schedule(result_.schedule.phases), pod_bound(tree_));
    collect_left_over();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Result<RoutedExchange> too_few_lids() const {
    const std::string need = fmt::format("{} top switches in a plane need LMC {}", tree_.num_tops, top_bits_);
    const std::size_t lids = fabric_.num_switches() + (fabric_.num_endports() << top_bits_);
    if (lids > index(kMaxUnicastLid))
      return fail(
          fmt::format("{}, which gives this fabric {} LIDs, but a subnet has {}", need, lids, index(kMaxUnicastLid)),
          "an AllGather needs no LMC (schedule --allgather), and FORS exchanges do with fewer top switches");
    return fail(fmt::format("{}, but the hosts have LMC {}", need, lmc_),
                "raise lmc in opensm.conf, or --lmc of espalier schedule");
  }

  [[nodiscard]] std::size_t num_servers() const { return below_.servers.size(); }
  [[nodiscard]] std::uint32_t num_codes() const { return 1U << (lmc_ - top_bits_); }
  [[nodiscard]] const Slot& slot(std::size_t server, std::size_t phase) const {
    return plan_.slots[server * plan_.phases + phase];
  }
  [[nodiscard]] std::uint32_t pod_of(std::size_t server) const {
    return tree_.pod_of_leaf[below_.leaf_of_server[server]];
  }
  [[nodiscard]] Lid lid(std::size_t server, std::size_t code, std::size_t top) const {
    return lid_at_offset(fabric_.at(below_.servers[server]).lid, (code << top_bits_) + top);
  }
  [[nodiscard]] std::uint8_t& code(std::size_t destination, std::size_t leaf, std::size_t plane) {
    return code_[(destination * below_.leaves.size() + leaf) * tree_.num_planes() + plane];
  }

  void choose_tops() {
    top_.assign(num_servers() * plan_.phases, kNoSpine);
    std::vector<std::vector<std::uint32_t>> senders(tree_.num_planes());
    for (std::size_t phase = 0; phase < plan_.phases; ++phase) {
      for (std::vector<std::uint32_t>& of_plane : senders) of_plane.clear();
      for (std::uint32_t s = 0; s < num_servers(); ++s) {
        const Slot& to = slot(s, phase);
        if (to.destination == Slot::kIdle || to.spine >= tree_.num_planes()) continue;
        if (pod_of(s) == pod_of(to.destination))
          top_[s * plan_.phases + phase] = 0;  // it turns at the middle switch
        else
          senders[to.spine].push_back(s);
      }
      for (std::size_t plane = 0; plane < senders.size(); ++plane) color(plane, phase, senders[plane]);
    }
  }

  // Tops for the flows of one plane in one phase; as long as there is no coloring, the last flow is left over.
  void color(std::size_t plane, std::size_t phase, std::vector<std::uint32_t>& senders) {
    const LeafSpine& above = tree_.above[plane];
    // Pods with few tops first: they have the least choice.
    std::stable_sort(senders.begin(), senders.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto choice = [&](std::uint32_t s) {
        return above.common_spines(pod_of(s), pod_of(slot(s, phase).destination));
      };
      return choice(a) < choice(b);
    });
    std::vector<LeafPair> flows;
    for (const std::uint32_t s : senders) flows.push_back({pod_of(s), pod_of(slot(s, phase).destination)});
    const std::vector<std::uint32_t> tops = spines_of_first_flows(above, flows);
    for (std::size_t i = 0; i < tops.size(); ++i) top_[senders[i] * plan_.phases + phase] = tops[i];
  }

  // Which planes lead from each leaf to each destination, a code for each of them, and the leaves' entries.
  void deal_lanes() {
    constexpr std::uint8_t kNoLane = 0xFF;
    code_.assign(num_servers() * below_.leaves.size() * tree_.num_planes(), kNoLane);
    std::vector<std::uint8_t> used(num_servers() * below_.leaves.size(), 0);
    for (std::size_t s = 0; s < num_servers(); ++s)
      for (std::size_t phase = 0; phase < plan_.phases; ++phase) {
        const Slot& to = slot(s, phase);
        if (to.destination == Slot::kIdle || to.spine >= tree_.num_planes()) continue;
        const std::size_t leaf = below_.leaf_of_server[s];
        std::uint8_t& at = code(to.destination, leaf, to.spine);
        if (at != kNoLane) continue;
        at = used[to.destination * below_.leaves.size() + leaf]++;
        for (std::size_t top = 0; top < std::size_t{1} << top_bits_; ++top)
          result_.entries.push_back({below_.leaves[leaf], lid(to.destination, at, top), below_.up(leaf, to.spine)});
      }
  }

  // Middle switches take the top that the offset names, tops and middle switches the path down; where that path is
  // whole. Elsewhere the entries stay what they are.
  void write_upper_entries() {
    for (std::size_t d = 0; d < num_servers(); ++d)
      for (std::size_t plane = 0; plane < tree_.num_planes(); ++plane) {
        if (!below_.shape.joined(below_.leaf_of_server[d], plane)) continue;
        for (std::size_t number = 0; number < tree_.num_tops; ++number)
          for (std::size_t at = 0; at < num_codes(); ++at) write_path(d, plane, number, lid(d, at, number));
        const SwitchId middle = tree_.middle_at(pod_of(d), plane);
        for (std::size_t k = 0; k < std::size_t{1} << lmc_; ++k)
          result_.entries.push_back({middle, lid(d, 0, k), below_.down(below_.leaf_of_server[d], plane)});
      }
  }

  void write_path(std::size_t d, std::size_t plane, std::size_t number, Lid lid) {
    const LeafSpine& above = tree_.above[plane];
    if (!above.joined(pod_of(d), number)) return;
    result_.entries.push_back(
        {tree_.top[plane * tree_.num_tops + number], lid, tree_.down_port[tree_.link(plane, pod_of(d), number)]});
    for (std::size_t pod = 0; pod < tree_.num_pods; ++pod)
      if (pod != pod_of(d) && above.joined(pod, number))
        result_.entries.push_back({tree_.middle_at(pod, plane), lid, tree_.up_port[tree_.link(plane, pod, number)]});
  }

  void write_schedule() {
    Schedule& schedule = result_.schedule;
    schedule.mode = ScheduleMode::kBlock;
    schedule.lmc = lmc_;
    schedule.phases = plan_.phases;
    schedule.sends.assign(num_servers() * plan_.phases, {});
    for (std::size_t s = 0; s < num_servers(); ++s)
      for (std::size_t phase = 0; phase < plan_.phases; ++phase) {
        const Slot& to = slot(s, phase);
        if (to.destination == Slot::kIdle || to.destination == s) continue;
        Send& send = schedule.at(position_[s], phase);
        if (to.spine >= tree_.num_planes())
          send = {position_[to.destination], lid(to.destination, 0, 0)};
        else if (const std::uint32_t top = top_[s * plan_.phases + phase]; top != kNoSpine)
          send = {position_[to.destination],
                  lid(to.destination, code(to.destination, below_.leaf_of_server[s], to.spine), top)};
        else
          leave_over(s, to.destination);
      }
  }

  void collect_left_over() {
    for (std::size_t s = 0; s < num_servers(); ++s)
      for (std::size_t d = 0; d < num_servers(); ++d)
        if (const std::size_t a = below_.leaf_of_server[s], b = below_.leaf_of_server[d];
            a != b && shape_.common_spines(a, b) == 0)
          leave_over(s, d);
  }

  void leave_over(std::size_t from, std::size_t to) {
    result_.left_over.push_back({position_[from], position_[to], lid(to, 0, 0), 1U << lmc_});
  }

  const Fabric& fabric_;
  const PodTree& tree_;
  const HostTree& below_;
  std::uint8_t lmc_;
  std::uint8_t top_bits_;
  LeafSpine shape_;
  ExchangePlan plan_;
  std::vector<std::uint32_t> top_;  // [server * phases + phase]
  std::vector<std::uint8_t> code_;  // [(destination * leaves + leaf) * planes + plane]
  std::vector<std::uint32_t> position_;
  RoutedExchange result_;
};

}  // namespace

Result<RoutedExchange> route_pod_exchange(const Fabric& fabric, const PodTree& tree) {
  return PodRouter(fabric, tree).run();
}

}  // namespace espalier
