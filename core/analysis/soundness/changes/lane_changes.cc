// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/changes/lane_changes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/parallel.h"
#include "core/fabric/same_switches.h"

namespace espalier {
namespace {

constexpr std::size_t kClassesAtOnce = 64;

bool are_equal_maps(const LaneMaps& a, std::size_t map, const LaneMaps& b, std::size_t other) {
  const std::size_t classes = a.num_classes(map);
  if (classes != b.num_classes(other)) return false;
  for (std::size_t in = 0; in < classes; ++in)
    for (std::size_t out = 0; out < classes; ++out)
      if (a.entry(map, in, out) != b.entry(other, in, out)) return false;
  return true;
}

// From the LIDs of each switch.
FlatLists<SwitchId> lists_by_lid(const std::vector<std::vector<Lid>>& lids, std::size_t num_lids) {
  return FlatLists<SwitchId>(num_lids, [&](const auto& add) {
    for (std::size_t s = 0; s < lids.size(); ++s)
      for (const Lid lid : lids[s]) add(index(lid), id_at<SwitchId>(s));
  });
}

}  // namespace

LaneChanges::LaneChanges(const TablesOnLanes& before, const TablesOnLanes& now)
    : then_(before),
      now_(now),
      before_(same_switches(now.fabric, before.fabric)),
      has_new_maps_(now.fabric.num_switches(), 1),
      is_old_link_(now.fabric.num_channels(), 0) {
  forget_other_sizes();
  match_links();
  compare_maps();
  compare_all();
}

// A switch with another number of ports is a new one.
void LaneChanges::forget_other_sizes() {
  for (const SwitchId s : now_.fabric.switches()) {
    SwitchId& was = before_[s];
    if (was != kNoSwitch && then_.fabric.at(was).num_ports != now_.fabric.at(s).num_ports) was = kNoSwitch;
  }
}

void LaneChanges::match_links() {
  for (const SwitchId s : now_.fabric.switches()) {
    if (before_[s] == kNoSwitch) continue;
    for (const PortNum port : now_.fabric.ports(s)) {
      const Peer& is = now_.fabric.peer(s, port);
      const Peer& was = then_.fabric.peer(before_[s], port);
      is_old_link_[index(now_.fabric.channel(s, port))] = is_same_link(is, was, before_) ? 1 : 0;
    }
  }
}

void LaneChanges::compare_maps() {
  const LaneMaps& then = then_.lanes.maps();
  const LaneMaps& now = now_.lanes.maps();
  std::map<std::pair<std::size_t, std::size_t>, bool> known;
  for (const SwitchId s : now_.fabric.switches()) {
    const SwitchId was = before_[s];
    if (was == kNoSwitch) continue;
    const std::pair maps(then.map_of(was), now.map_of(s));
    auto found = known.find(maps);
    if (found == known.end()) found = known.emplace(maps, are_equal_maps(then, maps.first, now, maps.second)).first;
    bool same = found->second;
    for (std::size_t p = 0; p <= now_.fabric.at(s).num_ports; ++p)
      same = same && then.port_class(was, id_at<PortNum>(p)) == now.port_class(s, id_at<PortNum>(p));
    has_new_maps_[s] = same ? 0 : 1;
  }
}

std::vector<LaneChanges::Destinations> LaneChanges::old_destinations() const {
  struct Classes {
    std::uint32_t now, before;
    Lid lid;
    bool operator<(const Classes& other) const {
      return std::tie(now, before, lid) < std::tie(other.now, other.before, other.lid);
    }
  };
  std::vector<Classes> sorted;
  for (std::size_t i = 1; i < std::min(index(now_.fabric.top_lid()) + 1UL, now_.rows.width()); ++i) {
    const Lid lid = id_at<Lid>(i);
    if (now_.fabric.is_in_use(lid) && !is_new(lid))
      sorted.push_back({now_.lanes.levels().destination_class(lid), then_.lanes.levels().destination_class(lid), lid});
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<Destinations> old;
  for (const Classes& of : sorted) {
    if (old.empty() || old.back().class_now != of.now || old.back().class_before != of.before)
      old.push_back({of.before, of.now, {}});
    old.back().lids.push_back(of.lid);
  }
  return old;
}

std::vector<LaneChanges::Block> LaneChanges::in_blocks(const std::vector<Destinations>& all) {
  std::vector<Block> blocks;
  for (std::size_t first = 0; first < all.size(); first += kClassesAtOnce) {
    const auto some = std::span(all).subspan(first, std::min(kClassesAtOnce, all.size() - first));
    bool is_run = true;
    for (std::size_t i = 1; i < some.size(); ++i)
      is_run = is_run && some[i].class_now == some[i - 1].class_now + 1 &&
               some[i].class_before == some[i - 1].class_before + 1;
    blocks.push_back({some, is_run});
  }
  return blocks;
}

void LaneChanges::compare_all() {
  const std::vector<Destinations> old = old_destinations();
  const std::vector<Block> blocks = in_blocks(old);
  std::vector<std::vector<Lid>> entries(now_.fabric.num_switches()), levels(now_.fabric.num_switches());
  parallel_blocks(entries.size(), 8, [&](std::size_t first, std::size_t last) {
    std::vector<PortNum> buffer;
    for (std::size_t i = first; i < last; ++i) {
      const SwitchId s = id_at<SwitchId>(i);
      if (has_new_maps(s)) {
        for (const Destinations& to : old) entries[i].insert(entries[i].end(), to.lids.begin(), to.lids.end());
        continue;
      }
      compare_row(s, buffer, entries[i]);
      compare_levels(s, blocks, levels[i]);
    }
  });
  const std::size_t num_lids = index(now_.fabric.top_lid()) + 1;
  entries_ = lists_by_lid(entries, num_lids);
  levels_ = lists_by_lid(levels, num_lids);
  for (std::size_t i = 1; i < std::min(num_lids, now_.rows.width()); ++i) {
    const Lid lid = id_at<Lid>(i);
    if (now_.fabric.is_in_use(lid) && (is_new(lid) || !entries_.at(i).empty() || !levels_.at(i).empty()))
      lids_.push_back(lid);
  }
}

void LaneChanges::compare_row(SwitchId s, std::vector<PortNum>& buffer, std::vector<Lid>& found) const {
  std::array<bool, 256> is_new_link{};
  bool has_new_links = false;
  for (const PortNum port : now_.fabric.ports(s)) {
    is_new_link[index(port)] = now_.fabric.peer(s, port).is_switch() && !is_old_link(s, port);
    has_new_links = has_new_links || is_new_link[index(port)];
  }
  const PortNum* const is = now_.rows.row(s).in_one_piece(buffer);
  std::vector<PortNum> other_buffer;
  const PortNum* const was = then_.rows.row(before_[s]).in_one_piece(other_buffer);
  const std::size_t end = std::min({now_.rows.width(), then_.rows.width(), index(now_.fabric.top_lid()) + 1UL});
  for (std::size_t first = 0; first < end; first += kLidsPerBlock) {
    const std::size_t size = std::min(kLidsPerBlock, end - first);
    if (!has_new_links && std::memcmp(is + first, was + first, size) == 0) continue;
    for (std::size_t i = first; i < first + size; ++i) {
      const Lid lid = id_at<Lid>(i);
      if ((is[i] != was[i] || is_new_link[index(is[i])]) && now_.fabric.is_in_use(lid) && !is_new(lid))
        found.push_back(lid);
    }
  }
}

// Packets that a port of one class lets in have the lanes of those that another port of that class does.
void LaneChanges::compare_levels(SwitchId s, const std::vector<Block>& blocks, std::vector<Lid>& found) const {
  const ServiceLevels& then = then_.lanes.levels();
  const ServiceLevels& now = now_.lanes.levels();
  std::vector<std::uint32_t> classes;  // of those that sent here by such a port
  for (const LaneSource& source : now_.sources[s]) {
    classes.clear();
    const std::uint8_t in = now_.lanes.maps().port_class(s, source.in);
    for (const LaneSource& was : then_.sources[before_[s]])
      if (then_.lanes.maps().port_class(before_[s], was.in) == in) classes.push_back(was.source_class);
    const std::uint8_t* const row = now.row(source.source_class);
    for (const Block& block : blocks) {
      const Destinations& first = block.items.front();
      if (block.is_run && !classes.empty() &&
          std::memcmp(row + first.class_now, then.row(classes.front()) + first.class_before, block.items.size()) == 0)
        continue;  // nearly always
      for (const Destinations& to : block.items) {
        const auto had = [&](std::uint32_t c) { return then.of_classes(c, to.class_before) == row[to.class_now]; };
        if (std::none_of(classes.begin(), classes.end(), had))
          found.insert(found.end(), to.lids.begin(), to.lids.end());
      }
    }
  }
}

}  // namespace espalier
