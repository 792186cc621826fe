// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/routed_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "core/base/try.h"
#include "core/schedule/exchanges/exchange_plan.h"
#include "core/schedule/exchanges/idle_phases.h"
#include "core/schedule/exchanges/traffic_plan.h"
#include "core/schedule/leaf_spine/phase_bound.h"

namespace espalier {
namespace {

constexpr std::uint32_t kUnset = ~std::uint32_t{0};
constexpr std::uint8_t kNoOffset = 0xFF;
constexpr std::uint8_t kWanted = 0xFE;  // an offset is to be assigned

Lid add_offset(Lid base, std::size_t offset) { return id_at<Lid>(index(base) + offset); }

// The offset of each uplink under mode spine.
std::vector<std::uint32_t> offsets_of_uplinks(const HostTree& tree, std::size_t lids_per_host) {
  const std::size_t num_uplinks = tree.uplinks.size();
  std::vector<std::uint32_t> by_port(num_uplinks, kUnset);
  std::vector<std::uint8_t> taken(lids_per_host, 0);
  bool by_port_fits = true;
  for (std::size_t uplink = 0; uplink < num_uplinks; ++uplink)
    for (std::size_t leaf = 0; leaf < tree.leaves.size(); ++leaf) {
      if (tree.up(leaf, uplink) == kNoPort) continue;
      const auto offset = static_cast<std::uint32_t>(index(tree.up(leaf, uplink)) % lids_per_host);
      if (by_port[uplink] == kUnset) {
        by_port_fits = by_port_fits && std::exchange(taken[offset], 1) == 0;
        by_port[uplink] = offset;
      }
      by_port_fits = by_port_fits && by_port[uplink] == offset;
    }
  if (by_port_fits) return by_port;
  std::vector<std::uint32_t> in_order(num_uplinks);
  std::iota(in_order.begin(), in_order.end(), 0U);
  return in_order;
}

class Router {
 public:
  Router(const Fabric& fabric, const HostTree& tree, WantedMode mode, SwitchId hub, const std::vector<Demand>* traffic)
      : fabric_(fabric),
        tree_(tree),
        hub_(position_of(tree, hub)),
        traffic_(traffic),
        lmc_(common_lmc(fabric, tree.servers)),
        lids_(std::size_t{1} << lmc_) {
    mode_ = mode == WantedMode::kBlock || (mode == WantedMode::kAuto && lids_ < tree.uplinks.size())
                ? ScheduleMode::kBlock
                : ScheduleMode::kSpine;
  }

  Result<RoutedExchange> run() {
    if (mode_ == ScheduleMode::kSpine && lids_ < tree_.uplinks.size())
      return fail(fmt::format("mode spine needs LMC {} for the {} paths up from the leaves, but the hosts have LMC {}",
                              std::bit_width(tree_.uplinks.size() - 1), tree_.uplinks.size(), lmc_),
                  "raise lmc in opensm.conf, or use mode block or auto");
    const auto lids = static_cast<std::uint32_t>(mode_ == ScheduleMode::kSpine ? tree_.uplinks.size() + 1 : lids_);
    position_ = number_by_guid(fabric_, tree_.servers, result_.schedule);
    ESPALIER_TRY_STATUS(make_plan(std::max(lids, 1U)));
    if (mode_ == ScheduleMode::kSpine)
      route_by_offset();
    else
      ESPALIER_TRY_STATUS(assign_offsets());
    route_detours();
    write_schedule();
    drop_idle_phases(result_.schedule);
    if (traffic_ == nullptr) result_.schedule.bound = phase_bound(tree_.shape).for_schedule(result_.schedule.phases);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Endport& server(std::size_t s) const { return fabric_.at(tree_.servers[s]); }
  [[nodiscard]] std::size_t num_servers() const { return tree_.servers.size(); }
  // [destination * leaves + leaf of the source][uplink] -> offset
  [[nodiscard]] std::uint8_t& offset(std::size_t destination, std::size_t leaf, std::size_t uplink) {
    return offset_[(destination * tree_.leaves.size() + leaf) * tree_.uplinks.size() + uplink];
  }

  [[nodiscard]] static std::optional<std::uint32_t> position_of(const HostTree& tree, SwitchId leaf) {
    const auto it = std::lower_bound(tree.leaves.begin(), tree.leaves.end(), leaf);
    if (it == tree.leaves.end() || *it != leaf) return std::nullopt;
    return static_cast<std::uint32_t>(it - tree.leaves.begin());
  }

  Status make_plan(std::uint32_t lids) {
    if (traffic_ != nullptr) {
      TrafficPlan plan = plan_traffic(tree_.shape, demand_of(*traffic_), lids);
      plan_ = std::move(plan.exchange);
      result_.schedule.bound = plan.bound;
      for (const auto& [from, to] : plan.left_over) leave_over(from, to);
      return {};
    }
    std::optional<ExchangePlan> plan = plan_exchange(tree_.shape, lids, hub_);
    if (!plan) return fail("no exchange was found within twice the least number of phases");
    plan_ = std::move(*plan);
    if (plan_.detours.empty()) leave_over_strangers();
    return {};
  }

  // By places in the tree. What others than its servers send is not looked at.
  [[nodiscard]] std::vector<ServerDemand> demand_of(const std::vector<Demand>& traffic) const {
    std::map<Guid, std::uint32_t> place;
    for (std::uint32_t s = 0; s < num_servers(); ++s) place[server(s).port_guid] = s;
    std::vector<ServerDemand> demand;
    for (const Demand& d : traffic)
      if (place.contains(d.from) && place.contains(d.to)) demand.push_back({place[d.from], place[d.to], d.count});
    return demand;
  }

  void leave_over(std::size_t from, std::size_t to) {
    result_.left_over.push_back({position_[from], position_[to], server(to).lid, static_cast<std::uint32_t>(lids_)});
  }

  void leave_over_strangers() {
    for (std::uint32_t s = 0; s < num_servers(); ++s)
      for (std::uint32_t d = 0; d < num_servers(); ++d)
        if (const std::size_t a = tree_.leaf_of_server[s], b = tree_.leaf_of_server[d];
            a != b && tree_.shape.common_spines(a, b) == 0)
          leave_over(s, d);
  }

  void add_entries(std::size_t leaf, std::size_t uplink, std::size_t destination, std::size_t k) {
    const std::size_t far = tree_.leaf_of_server[destination];
    const Lid lid = add_offset(server(destination).lid, k);
    result_.entries.push_back({tree_.leaves[leaf], lid, tree_.up(leaf, uplink)});
    result_.entries.push_back({tree_.uplinks[uplink].spine, lid, tree_.down(far, uplink)});
  }

  void route_by_offset() {
    offset_of_uplink_ = offsets_of_uplinks(tree_, lids_);
    for (std::size_t d = 0; d < num_servers(); ++d)
      for (std::size_t leaf = 0; leaf < tree_.leaves.size(); ++leaf)
        for (std::size_t uplink = 0; uplink < tree_.uplinks.size(); ++uplink)
          if (const std::size_t far = tree_.leaf_of_server[d];
              leaf != far && tree_.shape.joined(leaf, uplink) && tree_.shape.joined(far, uplink))
            add_entries(leaf, uplink, d, offset_of_uplink_[uplink]);
  }

  // Mode block: an offset for each uplink that the plan takes from a leaf to a destination.
  Status assign_offsets() {
    mark_uplinks_of_plan();
    std::vector<std::uint32_t> link_of(tree_.uplinks.size() * lids_);
    for (std::size_t d = 0; d < num_servers(); ++d) {
      std::fill(link_of.begin(), link_of.end(), kUnset);
      for (std::size_t leaf = 0; leaf < tree_.leaves.size(); ++leaf)
        if (Status ok = assign_offsets_at(leaf, d, link_of); !ok) return ok;
    }
    return {};
  }

  // Which uplinks lead from each leaf to each destination in the plan: kWanted in offset().
  void mark_uplinks_of_plan() {
    offset_.assign(num_servers() * tree_.leaves.size() * tree_.uplinks.size(), kNoOffset);
    for (std::size_t s = 0; s < num_servers(); ++s)
      for (std::size_t phase = 0; phase < plan_.phases; ++phase) {
        const Slot& slot = plan_.slots[s * plan_.phases + phase];
        if (slot.destination != Slot::kIdle && slot.spine < tree_.uplinks.size())
          offset(slot.destination, tree_.leaf_of_server[s], slot.spine) = kWanted;
      }
    for (const Detour& detour : plan_.detours)
      for (std::size_t d = 0; d < num_servers(); ++d)
        if (tree_.leaf_of_server[d] == detour.to) offset(d, *hub_, detour.second_spine) = kWanted;
  }

  // For one leaf and destination: each uplink the lowest offset that no other uplink of the leaf has, and that does not stand
  // for another of the parallel links down from the uplink's spine already.
  // `link_of`: [first uplink to a spine + offset by lids_] -> which of its parallel links the offset stands for, or
  // kUnset.
  Status assign_offsets_at(std::size_t leaf, std::size_t destination, std::vector<std::uint32_t>& link_of) {
    std::vector<std::uint8_t> taken(lids_, 0);
    for (std::size_t uplink = 0; uplink < tree_.uplinks.size(); ++uplink) {
      if (offset(destination, leaf, uplink) != kWanted) continue;
      const HostTree::Uplink& w = tree_.uplinks[uplink];
      std::uint32_t* const links = &link_of[(uplink - w.parallel) * lids_];
      std::size_t k = 0;
      while (k < lids_ && (taken[k] != 0 || (links[k] != kUnset && links[k] != w.parallel))) ++k;
      if (k == lids_)
        return fail(
            fmt::format("mode block needs a larger LMC than {} for parallel links to {}", lmc_, fabric_.label(w.spine)),
            "raise lmc in opensm.conf");
      taken[k] = 1;
      links[k] = w.parallel;
      offset(destination, leaf, uplink) = static_cast<std::uint8_t>(k);
      add_entries(leaf, uplink, destination, k);
    }
    return {};
  }

  // The offset under which the hub sends to a detour's destination by its second spine.
  [[nodiscard]] std::size_t offset_of_detour(const Detour& detour, std::size_t destination) {
    return mode_ == ScheduleMode::kSpine ? offset_of_uplink_[detour.second_spine]
                                         : offset(destination, *hub_, detour.second_spine);
  }

  void route_detours() {
    for (const Detour& detour : plan_.detours)
      for (std::size_t d = 0; d < num_servers(); ++d) {
        if (tree_.leaf_of_server[d] != detour.to) continue;
        const Lid lid = add_offset(server(d).lid, offset_of_detour(detour, d));
        const SwitchId spine = tree_.uplinks[detour.first_spine].spine;
        result_.detour_entries.push_back({tree_.leaves[detour.from], lid, tree_.up(detour.from, detour.first_spine)});
        result_.detour_entries.push_back({spine, lid, tree_.down(*hub_, detour.first_spine)});
      }
  }

  void write_schedule() {
    Schedule& schedule = result_.schedule;
    schedule.mode = mode_;
    schedule.lmc = lmc_;
    schedule.phases = plan_.phases;
    schedule.sends.assign(num_servers() * plan_.phases, {});
    for (std::size_t s = 0; s < num_servers(); ++s)
      for (std::size_t phase = 0; phase < plan_.phases; ++phase) {
        const Slot& slot = plan_.slots[s * plan_.phases + phase];
        if (slot.destination == Slot::kIdle || slot.destination == s) continue;
        std::size_t k = 0;
        if (slot.spine > tree_.uplinks.size())
          k = offset_of_detour(plan_.detours[slot.spine - tree_.uplinks.size() - 1], slot.destination);
        else if (slot.spine < tree_.uplinks.size())
          k = mode_ == ScheduleMode::kSpine ? offset_of_uplink_[slot.spine]
                                            : offset(slot.destination, tree_.leaf_of_server[s], slot.spine);
        schedule.at(position_[s], phase) = {position_[slot.destination], add_offset(server(slot.destination).lid, k)};
      }
  }

  const Fabric& fabric_;
  const HostTree& tree_;
  std::optional<std::uint32_t> hub_;  // among the leaves
  const std::vector<Demand>* traffic_;
  std::uint8_t lmc_;
  std::size_t lids_;
  ScheduleMode mode_;
  ExchangePlan plan_;
  std::vector<std::uint32_t> position_;          // of a server among the GUIDs
  std::vector<std::uint32_t> offset_of_uplink_;  // mode spine
  std::vector<std::uint8_t> offset_;             // mode block
  RoutedExchange result_;
};

}  // namespace

std::uint8_t common_lmc(const Fabric& fabric, std::span<const EndportId> servers) {
  std::uint8_t lmc = kMaxLmc;
  for (const EndportId e : servers) lmc = std::min(lmc, fabric.at(e).lmc);
  return lmc;
}

std::vector<std::uint32_t> number_by_guid(const Fabric& fabric, std::span<const EndportId> servers,
                                          Schedule& schedule) {
  std::vector<std::uint32_t> order(servers.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto guid = [&](std::uint32_t s) { return fabric.at(servers[s]).port_guid; };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return guid(a) < guid(b); });
  std::vector<std::uint32_t> position(servers.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    schedule.servers.push_back(guid(order[i]));
  }
  return position;
}

Result<RoutedExchange> route_exchange(const Fabric& fabric, const HostTree& tree, WantedMode mode, SwitchId hub,
                                      const std::vector<Demand>* traffic) {
  return Router(fabric, tree, mode, hub, traffic).run();
}

}  // namespace espalier
