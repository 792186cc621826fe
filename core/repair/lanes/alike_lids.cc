// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/lanes/alike_lids.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace espalier {
namespace {

bool have_same_levels(const ServiceLevels& levels, Lid a, Lid b) {
  const std::uint32_t of_a = levels.destination_class(a);
  const std::uint32_t of_b = levels.destination_class(b);
  if (of_a == of_b) return true;
  for (std::uint32_t source = 0; source < levels.num_sources(); ++source)
    if (levels.of_classes(source, of_a) != levels.of_classes(source, of_b)) return false;
  return true;
}

// At all switches but that where both are delivered.
bool have_same_entries(const Fabric& fabric, const ForwardingTables& tables, Lid a, Lid b) {
  const SwitchId t = fabric.destination_switch(a);
  for (const SwitchId s : fabric.switches())
    if (s != t && tables.at(s, a) != tables.at(s, b)) return false;
  return true;
}

FlatLists<Lid> lids_by_switch(const Fabric& fabric) {
  return FlatLists<Lid>(fabric.num_switches(), [&](const auto& add) {
    for (std::size_t i = 1; i <= index(fabric.top_lid()); ++i)
      if (const SwitchId t = fabric.destination_switch(id_at<Lid>(i)); t != kNoSwitch) add(index(t), id_at<Lid>(i));
  });
}

// Below it each LID is repaired by itself: that takes milliseconds, and an eighth to a third fewer entries change.
constexpr std::size_t kManyEntries = std::size_t{1} << 20;

}  // namespace

std::vector<Lid> first_alike(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes) {
  std::vector<Lid> first;
  for (std::size_t i = 0; i <= index(fabric.top_lid()); ++i) first.push_back(id_at<Lid>(i));
  if (fabric.num_switches() * std::size_t{index(fabric.top_lid())} < kManyEntries) return first;
  const FlatLists<Lid> lids = lids_by_switch(fabric);
  parallel_for(lids.num_lists(), [&](std::size_t t) {
    std::vector<Lid> firsts;
    for (const Lid lid : lids.at(t)) {
      const auto like = std::find_if(firsts.begin(), firsts.end(), [&](Lid other) {
        return have_same_levels(lanes.levels(), other, lid) && have_same_entries(fabric, tables, other, lid);
      });
      if (like == firsts.end())
        firsts.push_back(lid);
      else
        first[index(lid)] = *like;
    }
  });
  return first;
}

AlikeLids::AlikeLids(const std::vector<Lid>& first_before, const Fabric& before, const Survivors& alive,
                     const Fabric& now)
    : group_of_(index(now.top_lid()) + 1) {
  std::vector<Lid> was(group_of_.size(), kNoLid);  // in the reference, where it has stayed at its switch
  for (std::size_t i = 1; i < alive.lid_now.size(); ++i) {
    const Lid is = alive.lid_now[i];
    const SwitchId t = is == kNoLid ? kNoSwitch : now.destination_switch(is);
    if (t != kNoSwitch && alive.before[t] != kNoSwitch && alive.before[t] == before.destination_switch(id_at<Lid>(i)))
      was[index(is)] = id_at<Lid>(i);
  }
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> group_before(first_before.size(), kNone);
  std::uint32_t num_groups = 0;
  for (std::size_t i = 0; i < group_of_.size(); ++i) {
    if (was[i] == kNoLid) {
      group_of_[i] = num_groups++;
      continue;
    }
    std::uint32_t& group = group_before[index(first_before[index(was[i])])];
    if (group == kNone) group = num_groups++;
    group_of_[i] = group;
  }
  groups_ = FlatLists<Lid>(num_groups, [&](const auto& add) {
    for (std::size_t i = 0; i < group_of_.size(); ++i) add(group_of_[i], id_at<Lid>(i));
  });
}

}  // namespace espalier
