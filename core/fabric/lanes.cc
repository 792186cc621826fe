// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/lanes.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/byte_block.h"

namespace espalier {

ServiceLevels::ServiceLevels(Lid top_lid, std::size_t num_sources, std::size_t num_destinations)
    : num_sources_(num_sources),
      num_destinations_(num_destinations),
      source_class_(index(top_lid) + 1, 0),
      destination_class_(index(top_lid) + 1, 0),
      sl_(num_sources * num_destinations, 0) {}

std::uint32_t ServiceLevels::used() const {
  std::uint32_t used = 0;
  const auto note = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) used |= std::uint32_t{1} << sl_[i];
  };
  // Soon all of the lowest have been seen, and a block of them has nothing new.
  std::size_t at = 0;
  for (; at + ByteBlock::kSize <= sl_.size(); at += ByteBlock::kSize) {
    const ByteBlock seen(static_cast<std::uint8_t>(std::countr_one(used)));
    if ((less(ByteBlock::load(sl_.data() + at), seen) ^ ByteBlock(255)).any()) note(at, at + ByteBlock::kSize);
  }
  note(at, sl_.size());
  return used;
}

LaneMaps::LaneMaps(const Fabric& fabric)
    : map_of_(fabric.num_switches(), 0), first_port_(fabric.num_switches(), 0), port_class_(fabric.num_channels(), 0) {
  for (const SwitchId s : fabric.switches())
    first_port_[s] = static_cast<std::uint32_t>(index(fabric.channel(s, kManagementPort)));
}

LaneMaps::LaneMaps(const Fabric& fabric, const VlsBySl& vls) : LaneMaps(fabric) { entry(add_map(1), 0, 0) = vls; }

std::size_t LaneMaps::add_map(std::size_t classes) {
  maps_.push_back({static_cast<std::uint32_t>(vls_.size()), static_cast<std::uint32_t>(classes)});
  vls_.resize(vls_.size() + classes * classes, VlsBySl{});
  return maps_.size() - 1;
}

std::uint32_t LaneMaps::used(std::uint32_t sls) const {
  std::vector<bool> has_switches(maps_.size(), false);
  for (const std::uint32_t map : map_of_) has_switches[map] = true;
  std::uint32_t used = 0;
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    if (!has_switches[m]) continue;
    for (std::size_t i = 0; i < std::size_t{maps_[m].classes} * maps_[m].classes; ++i)
      for (std::size_t sl = 0; sl < kNumSls; ++sl)
        if ((sls >> sl & 1U) != 0) used |= std::uint32_t{1} << vls_[maps_[m].first + i][sl];
  }
  return used & ~(std::uint32_t{1} << kDiscardVl);
}

Lanes::Lanes(ServiceLevels levels, LaneMaps maps) : levels_(std::move(levels)), maps_(std::move(maps)) {
  const std::uint32_t used = maps_.used(levels_.used());
  num_vls_ = std::max(1U, static_cast<unsigned>(std::bit_width(used)));
}

unsigned Lanes::num_sls() const { return static_cast<unsigned>(std::popcount(levels_.used())); }

Lanes one_lane(const Fabric& fabric) { return Lanes(ServiceLevels(), LaneMaps(fabric, VlsBySl{})); }

ServiceLevels levels_by_switch(const Fabric& fabric) {
  const std::size_t num_lids = index(fabric.top_lid()) + 1;
  ServiceLevels levels(fabric.top_lid(), std::max<std::size_t>(1, fabric.num_switches()), num_lids);
  for (std::size_t i = 0; i < num_lids; ++i) {
    const Lid lid = id_at<Lid>(i);
    levels.set_destination_class(lid, static_cast<std::uint32_t>(i));
    if (const SwitchId s = fabric.destination_switch(lid); s != kNoSwitch)
      levels.set_source_class(lid, static_cast<std::uint32_t>(index(s)));
  }
  return levels;
}

}  // namespace espalier
