// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/lanes/lanes_now.h"

#include <algorithm>
#include <utility>

namespace espalier {
namespace {

// Those of the reference's switches. What is new has map 0, as a class of ports has that no engine gave one. Who is new at a
// port is told from others by the class of the port, and sends as the switch itself does: the reference's columns are
// sound with that, whatever hung on the port before.
LaneMaps maps_now(const LaneMaps& before, const Survivors& alive, const Fabric& now) {
  LaneMaps maps(now);
  for (std::size_t m = 0; m < before.num_maps(); ++m) {
    const std::size_t classes = before.num_classes(m);
    maps.add_map(classes);
    for (std::size_t in = 0; in < classes; ++in)
      for (std::size_t out = 0; out < classes; ++out) maps.entry(m, in, out) = before.entry(m, in, out);
  }
  for (const SwitchId s : now.switches()) {
    const SwitchId was = alive.before[s];
    if (was == kNoSwitch) continue;
    maps.use_map(s, before.map_of(was));
    for (std::size_t p = 0; p <= now.at(s).num_ports; ++p)
      maps.set_port_class(s, id_at<PortNum>(p), before.port_class(was, id_at<PortNum>(p)));
  }
  for (const EndportId e : alive.arrived) {
    const Endport& port = now.at(e);
    if (port.leaf != kNoSwitch && alive.before[port.leaf] != kNoSwitch)
      maps.set_port_class(port.leaf, port.leaf_port, maps.port_class(port.leaf, kManagementPort));
  }
  return maps;
}

}  // namespace

LanesNow::LanesNow(const Lanes& reference, const AlikeLids& alike, const Survivors& alive, const Fabric& now)
    : reference_(reference),
      alike_(alike),
      alive_(alive),
      now_(now),
      levels_(reference.levels()),
      maps_(maps_now(reference.maps(), alive, now)) {
  match_lids();
  if (!knows_all() || !alive.lids_are_the_same)
    static_cast<void>(make_single());
  else if (are_sources_single())
    count_classes();
  sources_ = lane_sources(now, levels_, maps_, nullptr);
}

void LanesNow::match_lids() {
  lid_before_.assign(index(now_.top_lid()) + 1, kNoLid);
  for (std::size_t lid = 1; lid < alive_.lid_now.size(); ++lid)
    if (const Lid is = alive_.lid_now[lid]; is != kNoLid) lid_before_[index(is)] = id_at<Lid>(lid);
}

// Whether the reference has every switch and LID.
bool LanesNow::knows_all() const {
  return std::find(alive_.before.begin(), alive_.before.end(), kNoSwitch) == alive_.before.end() && !has_new_lids();
}

bool LanesNow::has_new_lids() const {
  for (std::size_t i = 1; i < lid_before_.size(); ++i)
    if (now_.is_in_use(id_at<Lid>(i)) && lid_before_[i] == kNoLid) return true;
  return false;
}

// Whether levels_ has a class for each switch.
bool LanesNow::are_sources_single() const {
  std::vector<SwitchId> owner(levels_.num_sources(), kNoSwitch);
  std::vector<std::uint32_t> class_of(now_.num_switches(), static_cast<std::uint32_t>(levels_.num_sources()));
  for (std::size_t i = 1; i < lid_before_.size(); ++i) {
    const Lid lid = id_at<Lid>(i);
    const SwitchId s = now_.destination_switch(lid);
    if (!now_.is_in_use(lid) || s == kNoSwitch) continue;
    const std::uint32_t c = levels_.source_class(lid);
    if (owner[c] != kNoSwitch && owner[c] != s) return false;
    if (class_of[index(s)] < levels_.num_sources() && class_of[index(s)] != c) return false;
    owner[c] = s;
    class_of[index(s)] = c;
  }
  return true;
}

// Which classes of destinations nobody has.
void LanesNow::count_classes() {
  num_lids_of_.assign(levels_.num_destinations(), 0);
  for (std::size_t i = 1; i < lid_before_.size(); ++i)
    if (now_.is_in_use(id_at<Lid>(i))) ++num_lids_of_[levels_.destination_class(id_at<Lid>(i))];
  free_classes_.clear();
  for (std::uint32_t c = 0; c < num_lids_of_.size(); ++c)
    if (num_lids_of_[c] == 0) free_classes_.push_back(c);
  is_single_ = true;
}

// Gives levels_ a class for each switch, unless it has them. LIDs share those of the reference; new ones share one of their own.
bool LanesNow::make_single() {
  if (is_single_ || is_tangled_) return is_single_;
  const ServiceLevels& before = reference_.levels();
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  // Classes that nobody has must not seem to use a level either: so there is none for new LIDs where there are none.
  const auto num_old = static_cast<std::uint32_t>(before.num_destinations());
  const std::uint32_t of_new = has_new_lids() ? num_old : 0;
  ServiceLevels levels(now_.top_lid(), std::max<std::size_t>(1, now_.num_switches()),
                       num_old + (of_new == 0 ? std::size_t{0} : std::size_t{1}));
  std::vector<std::uint32_t> class_before(now_.num_switches(), kNone);
  for (std::size_t i = 0; i < lid_before_.size(); ++i) {
    const Lid lid = id_at<Lid>(i);
    const SwitchId s = i == 0 ? kNoSwitch : now_.destination_switch(lid);
    if (s != kNoSwitch) levels.set_source_class(lid, static_cast<std::uint32_t>(index(s)));
    const Lid was = lid_before_[i];
    levels.set_destination_class(lid, was == kNoLid ? of_new : before.destination_class(was));
    if (s == kNoSwitch || was == kNoLid) continue;
    const std::uint32_t c = before.source_class(was);
    if (class_before[index(s)] != kNone && class_before[index(s)] != c) {
      is_tangled_ = true;
      return false;
    }
    class_before[index(s)] = c;
  }
  for (std::size_t s = 0; s < class_before.size(); ++s)
    for (std::uint32_t to = 0; class_before[s] != kNone && to < num_old; ++to)
      levels.set(static_cast<std::uint32_t>(s), to, before.of_classes(class_before[s], to));
  levels_ = std::move(levels);
  count_classes();
  sources_ = lane_sources(now_, levels_, maps_, nullptr);
  return true;
}

// Twice as many classes of destinations, with the levels of those that there are.
void LanesNow::add_free_classes() {
  const auto had = static_cast<std::uint32_t>(levels_.num_destinations());
  ServiceLevels wider(now_.top_lid(), levels_.num_sources(), std::size_t{2} * had);
  for (std::size_t i = 0; i < lid_before_.size(); ++i) {
    const Lid lid = id_at<Lid>(i);
    wider.set_source_class(lid, levels_.source_class(lid));
    wider.set_destination_class(lid, levels_.destination_class(lid));
  }
  for (std::uint32_t from = 0; from < levels_.num_sources(); ++from)
    for (std::uint32_t to = 0; to < 2 * had; ++to)
      wider.set(from, to, levels_.of_classes(from, to < had ? to : to - had));
  levels_ = std::move(wider);
  num_lids_of_.resize(levels_.num_destinations(), 0);
  for (auto c = static_cast<std::uint32_t>(levels_.num_destinations()); c > had; --c) free_classes_.push_back(c - 1);
}

// Gives these, which are alike, a class of their own. REQUIRES: is_single_.
void LanesNow::split_off(std::span<const Lid> destinations) {
  const std::uint32_t shared = levels_.destination_class(destinations.front());
  const auto give = [this](Lid lid, std::uint32_t own) {
    const std::uint32_t before = levels_.destination_class(lid);
    if (before == own) return;
    if (--num_lids_of_[before] == 0) free_classes_.push_back(before);
    levels_.set_destination_class(lid, own);
    ++num_lids_of_[own];
  };
  for (const Lid lid : destinations) give(lid, shared);
  if (num_lids_of_[shared] == destinations.size()) return;
  if (free_classes_.empty()) add_free_classes();
  const std::uint32_t own = free_classes_.back();
  free_classes_.pop_back();
  for (std::uint32_t source = 0; source < levels_.num_sources(); ++source)
    levels_.set(source, own, levels_.of_classes(source, shared));
  for (const Lid lid : destinations) give(lid, own);
}

bool LanesNow::set_sl(SwitchId s, Lid destination, std::uint8_t sl) {
  if (!make_single()) return false;
  split_off(alike_.of(destination));
  for (const LaneSource& source : sources_[s])
    levels_.set(source.source_class, levels_.destination_class(destination), sl);
  return true;
}

bool LanesNow::copy_levels(Lid from, Lid to) {
  if (!make_single()) return false;
  split_off({&to, 1});
  for (const SwitchId s : now_.switches())
    for (const LaneSource& source : sources_[s])
      levels_.set(source.source_class, levels_.destination_class(to), sl(source, from));
  return true;
}

}  // namespace espalier
