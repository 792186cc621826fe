// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Paths in a dragonfly that has lost links or routers.
#include <algorithm>
#include <utility>

#include "core/dragonfly/parity_sign.h"
#include "core/packets/dragonfly.h"

namespace espalier::packets {

bool Dragonfly::is_whole() const {
  if (std::find(whole_.begin(), whole_.end(), 0) != whole_.end()) return false;
  for (std::uint32_t a = 0; a < num_groups_; ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      if (!linked(a, b)) return false;
  return true;
}

Status Dragonfly::find_damage(std::uint32_t group, UpDown::Neighbors neighbors) {
  whole_[group] = 0;
  damaged_[group].emplace(std::move(neighbors));
  if (damaged_[group]->joins_all()) return {};
  return fail("a group of the dragonfly is in pieces", "give tables (espalier route)");
}

void Dragonfly::list_ports_in_damaged(std::uint32_t group, const Network& network) {
  local_hops_.resize(group_.size() * group_size_, 0);
  for (std::uint32_t goal = 0; goal < size_[group]; ++goal) {
    const std::vector<std::uint32_t> next = damaged_[group]->toward({&goal, 1});
    for (std::uint32_t m = 0; m < size_[group]; ++m) {
      const Router r = router(group, m);
      std::uint8_t hops = 0;
      for (std::uint32_t at = m; at != goal; at = next[at]) ++hops;
      local_hops_[r * group_size_ + goal] = hops;
      if (hops < 2) continue;
      Port port = network.first_port[r];
      while (network.ports[port].kind != PortClass::kLocal || network.ports[port].neighbor != router(group, next[m]))
        ++port;
      local_port_[r * group_size_ + goal] = port;
    }
  }
}

void Dragonfly::list_ports_out(const Network& network) {
  const auto has_no_global = [](std::uint64_t ports) { return ports == 0; };
  if (is_whole() && std::none_of(global_ports_.begin(), global_ports_.end(), has_no_global)) return;
  ports_out_.resize(group_.size() * num_groups_);
  const auto of_all = [&](auto&& visit) {
    for (Port p = 0; p < network.num_ports(); ++p)
      for (std::uint32_t to = 0; network.ports[p].kind != PortClass::kNode && to < num_groups_; ++to)
        visit(p, network.ports[p], to, ports_out_[network.ports[p].router * num_groups_ + to]);
  };
  of_all([&](Port p, const PortEnd& port, std::uint32_t to, PortsOut& out) {
    const std::uint32_t behind = leads_to_[p];
    if (behind != kNone && (behind == to || linked(behind, to))) out.globals |= std::uint64_t{1} << port.position;
  });
  of_all([&](Port p, const PortEnd& port, std::uint32_t to, PortsOut& out) {
    if (leads_to_[p] == kNone && ports_out_[port.neighbor * num_groups_ + to].globals != 0)
      out.locals |= std::uint64_t{1} << port.position;
  });
}

void Dragonfly::list_paths_to_exits() {
  if (std::find(whole_.begin(), whole_.end(), 0) == whole_.end()) return;
  toward_exit_.assign(group_.size() * num_groups_, kNone);
  for (std::uint32_t from = 0; from < num_groups_; ++from)
    for (std::uint32_t to = 0; !is_whole(from) && to < num_groups_; ++to) {
      if (from == to) continue;
      std::vector<std::uint32_t> goals;
      for (const Exit& exit : exits(from, to)) goals.push_back(member_[exit.router]);
      const std::vector<std::uint32_t> next = damaged_[from]->toward(goals);
      for (std::uint32_t m = 0; m < size_[from]; ++m)
        if (next[m] != kNone) toward_exit_[router(from, m) * num_groups_ + to] = local_port(router(from, m), next[m]);
    }
}

bool Dragonfly::turn_allowed(Router a, Router b, Router c) const {
  if (a == c) return false;
  return is_whole(group_[a]) ? espalier::turn_allowed(member_[a], member_[b], member_[c])
                             : damaged_[group_[a]]->turn_allowed(member_[a], member_[b], member_[c]);
}

}  // namespace espalier::packets
