// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/readings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/parallel.h"
#include "plugin/subnet/foreseen_lids.h"
#include "plugin/subnet/map_items.h"

namespace espalier {
namespace {

Guid host_order(ib_net64_t guid) { return Guid{cl_ntoh64(guid)}; }

LinkRate rate(const osm_physp_t& port) {
  return {LinkRate::width_of(port.port_info.link_width_active),
          LinkRate::speed_of(ib_port_info_get_link_speed_active(&port.port_info),
                             (port.ext_port_info.link_speed_active & FDR10) != 0,
                             ib_port_info_get_link_speed_ext_active(&port.port_info))};
}

Readings::PortLanes lanes_of(const ib_port_info_t& port) {
  return {ib_port_info_get_vl_cap(&port), ib_port_info_get_op_vls(&port), port.vl_arb_low_cap, port.vl_arb_high_cap};
}

void prefetch(const osm_physp_t* port) {
  __builtin_prefetch(&port->port_info);
  __builtin_prefetch(&port->port_info.link_speed_ext);
  __builtin_prefetch(&port->ext_port_info.link_speed_active);
  __builtin_prefetch(&port->port_num);
  __builtin_prefetch(&port->p_remote_physp);
}

void prefetch(const osm_node_t* node) {
  __builtin_prefetch(&node->node_info);
  __builtin_prefetch(&node->print_desc);
}

class Reader {
 public:
  Reader(const osm_opensm_t& osm, const Readings* before, LidsRead lids)
      : osm_(osm), before_(before), lids_read_(lids) {}

  Readings read() && {
    parallel_for(2, [&](std::size_t i) { i == 0 ? read_nodes() : find_ends(); });
    if (before_ != nullptr && before_->live != now_.live) before_ = nullptr;
    now_.ports.resize(now_.live.size());
    now_.lanes.resize(now_.live.size());
    parallel_blocks(now_.ends.size(), kEnds, [&](std::size_t begin, std::size_t end) { read_ends(begin, end); });
    read_texts();
    read_switches();
    parallel_blocks(now_.switches.size(), kSwitches, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) read_switch_ports(now_.switches[i], tables_[i]);
    });
    return std::move(now_);
  }

 private:
  [[nodiscard]] Readings::Port read_port(const osm_physp_t& port, std::uint32_t number) const {
    const osm_physp_t* const remote = port.p_remote_physp;
    if (remote == nullptr || osm_physp_is_valid(&port) == 0) return {};
    const bool is_known = before_ != nullptr && before_->ports[number].at_remote == remote;
    return {remote, is_known ? before_->ports[number].remote : now_.live.number(remote), rate(port), port.port_num,
            port.healthy != 0 && osm_physp_get_port_state(&port) > IB_LINK_DOWN};
  }

  void read_nodes() { now_.live = LivePorts(osm_.subn, before_ == nullptr ? nullptr : &before_->live); }

  std::uint32_t add_text(const char* description) {
    const auto begin = static_cast<std::uint32_t>(now_.text.size());
    if (description != nullptr) now_.text += description;
    now_.text += '\0';
    return begin;
  }

  void find_ends() {
    logical_ = items_of<const osm_port_t>(osm_.subn.port_guid_tbl);
    now_.ends.resize(logical_.size());
    descriptions_.resize(logical_.size());
    if (lids_read_ == LidsRead::kForeseen) foreseen_ = foreseen_lids(osm_);
  }

  // All but their descriptions.
  void read_ends(std::size_t begin, std::size_t end) {
    const auto is_there = [&](std::size_t i) { return i < end; };
    for (std::size_t i = begin; i < end; ++i) {
      // What an end leads to is asked for in time, each step one that the step before has brought along.
      if (is_there(i + 3 * kAhead)) __builtin_prefetch(&logical_[i + 3 * kAhead]->p_physp);
      if (is_there(i + 2 * kAhead)) prefetch(logical_[i + 2 * kAhead]->p_node);
      if (is_there(i + kAhead)) {
        __builtin_prefetch(logical_[i + kAhead]->p_node->print_desc);
        if (logical_[i + kAhead]->p_physp != nullptr) prefetch(logical_[i + kAhead]->p_physp);
      }
      read_end(i);
      descriptions_[i] = now_.ends[i].node_type == IB_NODE_TYPE_SWITCH ? nullptr : logical_[i]->p_node->print_desc;
      if (before_ != nullptr && i < before_->ends.size() && before_->ends[i].at == now_.ends[i].at)
        now_.ends[i].number = before_->ends[i].number;
      else
        now_.ends[i].number = now_.live.number(now_.ends[i].at);
      const std::uint32_t number = now_.ends[i].number;
      if (number != LivePorts::kNone && now_.ends[i].node_type != IB_NODE_TYPE_SWITCH)
        now_.ports[number] = read_port(*now_.ends[i].at, number);
    }
  }

  void read_end(std::size_t i) {
    const osm_port_t& port = *logical_[i];
    Readings::End& end = now_.ends[i];
    const osm_node_t& node = *port.p_node;
    end.node_guid = host_order(osm_node_get_node_guid(&node));
    end.port_guid = host_order(port.guid);
    end.node_type = osm_node_get_type(&node);
    end.at = port.p_physp;
    if (end.at != nullptr) {
      end.port = osm_physp_get_port_num(port.p_physp);
      std::tie(end.lid, end.lmc) = lids(port, i);
    }
  }

  // LID and LMC of this port, which is at place `i`.
  std::pair<Lid, std::uint8_t> lids(const osm_port_t& port, std::size_t i) const {
    const std::uint16_t base = base_lid(port, i);
    if (base == 0) return {kNoLid, std::uint8_t{0}};
    return {Lid{base}, lids_read_ == LidsRead::kConfirmed ? osm_port_get_lmc(&port) : lmc_to_have(osm_, port)};
  }
  // 0: none, or somebody else has it.
  std::uint16_t base_lid(const osm_port_t& port, std::size_t i) const {
    if (lids_read_ == LidsRead::kForeseen) return foreseen_[i];
    const bool are_assigned = lids_read_ == LidsRead::kAssigned;
    const std::uint16_t base = cl_ntoh16(are_assigned ? port.lid : osm_port_get_base_lid(&port));
    return base != 0 && osm_get_port_by_lid_ho(&osm_.subn, base) == &port ? base : 0;
  }

  void read_texts() {
    constexpr std::size_t kLength = 24;  // most have less
    now_.text.reserve(descriptions_.size() * kLength);
    for (std::size_t i = 0; i < descriptions_.size(); ++i) {
      if (i + kAhead < descriptions_.size()) __builtin_prefetch(descriptions_[i + kAhead]);
      if (now_.ends[i].node_type != IB_NODE_TYPE_SWITCH) now_.ends[i].description = add_text(descriptions_[i]);
    }
  }

  void read_switches() {
    const auto switches = items_of<const osm_switch_t>(osm_.subn.sw_guid_tbl);
    now_.switches.reserve(switches.size());
    tables_.reserve(switches.size());
    for (std::size_t i = 0; i < switches.size(); ++i) {
      if (i + kAhead < switches.size()) prefetch(switches[i + kAhead]->p_node);
      const osm_switch_t& sw = *switches[i];
      const osm_node_t& node = *sw.p_node;
      Readings::Switch s;
      s.description = add_text(node.print_desc);
      s.guid = host_order(osm_node_get_node_guid(&node));
      s.num_ports = static_cast<std::uint8_t>(sw.num_ports - 1);  // OpenSM counts port 0
      s.port0 = ib_switch_info_is_enhanced_port0(&sw.switch_info) != 0 ? Port0Kind::kEnhanced : Port0Kind::kBase;
      s.lft_capacity = cl_ntoh16(sw.switch_info.lin_cap);
      s.first = now_.live.number(node.physp_table);
      s.table_size = node.physp_tbl_size;
      now_.switches.push_back(s);
      tables_.push_back(node.physp_table);
    }
  }

  void read_switch_ports(const Readings::Switch& s, const osm_physp_t* table) {
    if (s.first == LivePorts::kNone) return;
    const std::uint32_t size = std::min<std::uint32_t>(s.num_ports + 1U, s.table_size);
    for (std::uint32_t p = 1; p < std::min(size, kAhead); ++p) prefetch(table + p);
    for (std::uint32_t p = 1; p < size; ++p) {
      if (p + kAhead < size) prefetch(table + p + kAhead);
      now_.ports[s.first + p] = read_port(table[p], s.first + p);
      now_.lanes[s.first + p] = lanes_of(table[p].port_info);
    }
  }

  static constexpr std::uint32_t kAhead = 8;  // ports
  // So many are worth a thread's attention.
  static constexpr std::size_t kSwitches = 8;
  static constexpr std::size_t kEnds = 256;

  const osm_opensm_t& osm_;
  const Readings* before_;  // with the same numbers; null: none
  LidsRead lids_read_;
  Readings now_;
  std::vector<const osm_physp_t*> tables_;  // by place in `switches`
  LargeVector<const osm_port_t*> logical_;  // by place in `ends`
  LargeVector<const char*> descriptions_;   // likewise; of switches null
  std::vector<std::uint16_t> foreseen_;     // likewise
};

}  // namespace

Readings read_subnet(const osm_opensm_t& osm, const Readings* before, LidsRead lids) {
  return Reader(osm, before, lids).read();
}

}  // namespace espalier
