// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/foreseen_lids.h"

#include <algorithm>
#include <cstddef>

#include "plugin/opensm.h"
#include "plugin/subnet/map_items.h"

namespace espalier {
namespace {

class Lids {
 public:
  explicit Lids(const osm_lid_mgr_t* manager) : of_(kEnd, Of::kNobody) {
    for (std::size_t lid = 0; manager != nullptr && lid < kEnd; ++lid)
      if (manager->used_lids[lid] != 0) of_[lid] = Of::kFile;
  }
  // Gives a port `count`, a power of two, from `lid` on. False: others have them, or no port can have them.
  bool give(std::size_t lid, std::size_t count) {
    const bool exist = lid != 0 && lid % count == 0 && lid + count <= kEnd;
    return exist && give_those_of(Of::kFile, lid, count);
  }
  // The first ones that nobody has; 0: there are none.
  std::uint16_t give_first(std::size_t count) {
    std::size_t& lid = count == 1 ? next_one_ : next_block_;
    for (lid = (lid + count - 1) / count * count; lid + count <= kEnd; lid += count)
      if (give_those_of(Of::kNobody, lid, count)) return static_cast<std::uint16_t>(lid);
    return 0;
  }

 private:
  enum class Of : std::uint8_t { kNobody, kFile, kPort };
  static constexpr std::size_t kEnd = IB_LID_UCAST_END_HO + 1;

  // If nobody more than `most` has one of them.
  bool give_those_of(Of most, std::size_t lid, std::size_t count) {
    const auto begin = of_.begin() + static_cast<std::ptrdiff_t>(lid), end = begin + static_cast<std::ptrdiff_t>(count);
    if (std::any_of(begin, end, [&](Of of) { return of > most; })) return false;
    std::fill(begin, end, Of::kPort);
    return true;
  }

  std::vector<Of> of_;                         // by LID
  std::size_t next_one_ = 1, next_block_ = 1;  // below these somebody has them
};

std::uint16_t lid_in_file(const osm_lid_mgr_t* manager, const osm_port_t& port) {
  std::uint16_t first = 0, last = 0;
  if (manager == nullptr || osm_db_guid2lid_get(manager->p_g2l, cl_ntoh64(port.guid), &first, &last) != 0) return 0;
  return first;
}

}  // namespace

std::uint8_t lmc_to_have(const osm_opensm_t& osm, const osm_port_t& port) {
  const osm_subn_opt_t& options = osm.subn.opt;
  if (osm_physp_get_port_num(port.p_physp) != 0) return options.lmc;
  const osm_switch_t* const sw = port.p_node->sw;
  const bool is_enhanced = sw != nullptr && ib_switch_info_is_enhanced_port0(&sw->switch_info) != 0;
  return is_enhanced && options.lmc_esp0 != 0 ? options.lmc : std::uint8_t{0};
}

// In the order of osm_lid_mgr.c: what ports keep, then the subnet manager's own port, then the others.
std::vector<std::uint16_t> foreseen_lids(const osm_opensm_t& osm) {
  const bool all_new = osm.subn.opt.reassign_lids != 0;
  const bool has_file = !all_new && osm.sm.lid_mgr.p_subn == &osm.subn && osm.sm.lid_mgr.p_g2l != nullptr;
  const osm_lid_mgr_t* const manager = has_file ? &osm.sm.lid_mgr : nullptr;
  const auto ports = items_of<const osm_port_t>(osm.subn.port_guid_tbl);
  const auto lids_of = [&](std::size_t i) { return std::size_t{1} << lmc_to_have(osm, *ports[i]); };
  Lids all(manager);
  std::vector<std::uint16_t> lids(ports.size());
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i]->p_physp == nullptr) continue;
    const std::uint16_t now = all_new ? 0 : cl_ntoh16(osm_port_get_base_lid(ports[i]));
    // A port that has a LID has the one in the file, as a rule: to look there takes long.
    const std::uint16_t known = now != 0 ? now : lid_in_file(manager, *ports[i]);
    if (all.give(known, lids_of(i)))
      lids[i] = known;
    else
      left.insert(ports[i]->guid == osm.subn.sm_port_guid ? left.begin() : left.end(), i);
  }
  for (const std::size_t i : left) lids[i] = all.give_first(lids_of(i));
  return lids;
}

}  // namespace espalier
