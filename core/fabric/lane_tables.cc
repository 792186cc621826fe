// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/lane_tables.h"

#include <map>
#include <utility>

namespace espalier {
namespace {

// From 1 on, per LID; 0: nobody has it.
std::vector<std::uint32_t> number_owners(const Fabric& fabric, std::vector<std::size_t>& num_lids) {
  std::vector<std::uint32_t> number(index(fabric.top_lid()) + 1, 0);
  std::map<std::pair<LidOwner::Kind, std::uint32_t>, std::uint32_t> known;
  num_lids.assign(1, 0);
  for (std::size_t i = 1; i < number.size(); ++i) {
    const LidOwner& owner = fabric.owner(id_at<Lid>(i));
    if (owner.kind == LidOwner::Kind::kNone) continue;
    number[i] = known.try_emplace({owner.kind, owner.id}, static_cast<std::uint32_t>(num_lids.size())).first->second;
    if (number[i] == num_lids.size()) num_lids.push_back(0);
    ++num_lids[number[i]];
  }
  return number;
}

}  // namespace

LaneTables::LaneTables(const Fabric& fabric) : fabric_(&fabric), tables_(fabric.num_switches()) {}

void LaneTables::set(SwitchId s, PortNum in, PortNum out, const VlsBySl& vls) {
  if (tables_[s].empty()) tables_[s].resize(num_ports(s) * num_ports(s), VlsBySl{});
  tables_[s][index(in) * num_ports(s) + index(out)] = vls;
}

LaneMaps LaneTables::maps() const {
  LaneMaps maps(*fabric_, VlsBySl{});
  std::map<std::vector<VlsBySl>, std::size_t> known;
  for (const SwitchId s : fabric_->switches()) {
    if (tables_[s].empty()) continue;
    const std::size_t classes = num_ports(s);
    const auto [at, is_new] = known.try_emplace(tables_[s], 0);
    if (is_new) {
      at->second = maps.add_map(classes);
      for (std::size_t in = 0; in < classes; ++in)
        for (std::size_t out = 0; out < classes; ++out)
          maps.entry(at->second, in, out) = tables_[s][in * classes + out];
    }
    maps.use_map(s, at->second);
    for (std::size_t p = 0; p < classes; ++p) maps.set_port_class(s, id_at<PortNum>(p), static_cast<std::uint8_t>(p));
  }
  return maps;
}

bool PairLevels::fits(const Fabric& fabric) {
  std::vector<std::size_t> num_lids;
  const auto owners = number_owners(fabric, num_lids);
  return num_lids.size() * owners.size() <= kMostPairs;
}

PairLevels::PairLevels(const Fabric& fabric) : owner_(number_owners(fabric, num_lids_)) {
  num_set_.assign(num_lids_.size(), 0);
  is_set_.assign(num_lids_.size() * owner_.size(), false);
  levels_ = ServiceLevels(fabric.top_lid(), num_lids_.size(), owner_.size());
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    levels_.set_source_class(id_at<Lid>(i), owner_[i]);
    levels_.set_destination_class(id_at<Lid>(i), static_cast<std::uint32_t>(i));
    num_owned_ += owner_[i] > 0 ? 1 : 0;
  }
}

void PairLevels::set(Lid source, Lid destination, std::uint8_t sl) {
  const std::uint32_t owner = owner_[index(source)];
  levels_.set(owner, static_cast<std::uint32_t>(index(destination)), sl);
  if (owner_[index(destination)] == owner) return;
  const std::size_t pair = owner * owner_.size() + index(destination);
  if (is_set_[pair]) return;
  is_set_[pair] = true;
  ++num_set_[owner];
}

std::size_t PairLevels::num_unknown() const {
  std::size_t unknown = 0;
  for (std::size_t owner = 1; owner < num_lids_.size(); ++owner)
    if (num_set_[owner] > 0) unknown += num_owned_ - num_lids_[owner] - num_set_[owner];
  return unknown;
}

}  // namespace espalier
