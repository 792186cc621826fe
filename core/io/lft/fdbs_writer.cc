// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/fdbs_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/fabric/connectivity/breadth_first.h"
#include "core/io/lft/opensm_order.h"

namespace espalier {
namespace {

constexpr std::uint8_t kFar = 0xFF;  // no path, or a longer one than anybody has

class FdbsWriter {
 public:
  FdbsWriter(const Fabric& fabric, const ForwardingTables& tables) : fabric_(fabric), tables_(tables) {
    check(tables.num_switches() == fabric.num_switches(), "write_fdbs: the tables belong to another fabric");
    hops_.assign(fabric.num_switches() * fabric.num_switches(), kFar);
    for (const SwitchId s : fabric.switches()) search_from(s);
  }

  void append(fmt::memory_buffer& out, SwitchId s) const {
    fmt::format_to(std::back_inserter(out), "dump_ucast_routes: Switch 0x{:016x}\nLID    : Port : Hops : Optimal\n",
                   index(fabric_.at(s).guid));
    for (std::size_t lid = 1; lid < tables_.width(); ++lid) append_entry(out, s, id_at<Lid>(lid));
  }

 private:
  [[nodiscard]] std::uint8_t hops(SwitchId from, SwitchId to) const {
    return hops_[index(from) * fabric_.num_switches() + index(to)];
  }

  void search_from(SwitchId root) {
    const std::size_t row = index(root) * fabric_.num_switches();
    std::vector<SwitchId> queue{root};
    hops_[row + index(root)] = 0;
    search_breadth_first(fabric_, queue, [&](SwitchId s, PortNum, const Peer& peer) {
      const unsigned there = hops_[row + index(s)] + 1U;
      if (there >= kFar || hops_[row + peer.id] != kFar) return false;
      hops_[row + peer.id] = static_cast<std::uint8_t>(there);
      return true;
    });
  }

  // From s to `to` through `port`; nothing when no path goes there.
  [[nodiscard]] std::optional<unsigned> hops_through(SwitchId s, PortNum port, SwitchId to) const {
    if (s == to) return 0;
    if (port == kManagementPort || !fabric_.peer(s, port).is_switch()) return std::nullopt;
    const std::uint8_t rest = hops(fabric_.peer(s, port).as_switch(), to);
    return rest == kFar ? std::nullopt : std::optional<unsigned>(rest + 1U);
  }

  // The lowest port on a shortest path.
  [[nodiscard]] std::size_t best_port(SwitchId s, SwitchId to) const {
    for (const PortNum p : fabric_.ports(s))
      if (hops_through(s, p, to) == std::optional<unsigned>(hops(s, to))) return index(p);
    return 0;
  }

  void append_entry(fmt::memory_buffer& out, SwitchId s, Lid lid) const {
    auto at = std::back_inserter(out);
    fmt::format_to(at, "0x{:04X} : ", index(lid));
    const PortNum port = tables_.at(s, lid);
    const LidOwner owner = lid <= fabric_.top_lid() ? fabric_.owner(lid) : LidOwner{};
    if (owner.kind == LidOwner::Kind::kNone || index(port) > fabric_.at(s).num_ports) {
      fmt::format_to(at, "UNREACHABLE\n");
      return;
    }
    const SwitchId to = fabric_.destination_switch(lid);
    const std::optional<unsigned> through = to == kNoSwitch ? std::nullopt : hops_through(s, port, to);
    if (!through) {
      fmt::format_to(at, "{:03}  : HOPS UNKNOWN\n", index(port));
      return;
    }
    const unsigned last = owner.kind == LidOwner::Kind::kEndport ? 1 : 0;
    fmt::format_to(at, "{:03}  : {:02}   : ", index(port), *through + last);
    if (*through == hops(s, to))
      fmt::format_to(at, "yes\n");
    else
      fmt::format_to(at, "No {} hop path possible via port {}!\n", hops(s, to) + last, best_port(s, to));
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  std::vector<std::uint8_t> hops_;  // from row to column
};

}  // namespace

std::string write_fdbs(const Fabric& fabric, const ForwardingTables& tables) {
  const FdbsWriter writer(fabric, tables);
  fmt::memory_buffer out;
  for (const SwitchId s : io::opensm_order(fabric)) writer.append(out, s);
  return fmt::to_string(out);
}

}  // namespace espalier
