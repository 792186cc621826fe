// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/verify_alternatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/base/text.h"
#include "core/fabric/connectivity/connected_components.h"

namespace espalier {
namespace {

using ViolationKind = Violation::Kind;

class PortChecker {
 public:
  PortChecker(const Fabric& fabric, VerifyReport& report) : fabric_(fabric), report_(report) {}

  void check(SwitchId s, Lid lid, const PortSet& ports, bool needed) {
    if (needed && ports.none()) add(ViolationKind::kMissingEntry, s, lid, "has no port for");
    for (std::size_t p = 0; ports.any() && p < ports.size(); ++p)
      if (ports[p]) check_port(s, lid, p);
  }

 private:
  void check_port(SwitchId s, Lid lid, std::size_t p) {
    const LidOwner& owner = fabric_.owner(lid);
    if (p == 0) {
      if (owner.kind != LidOwner::Kind::kSwitch || SwitchId{owner.id} != s)
        add(ViolationKind::kWrongDelivery, s, lid, "keeps packets for");
      return;
    }
    if (p > fabric_.at(s).num_ports || fabric_.peer(s, id_at<PortNum>(p)).kind == Peer::Kind::kNone)
      return add(ViolationKind::kBadPort, s, lid, fmt::format("may use port {}, which leads nowhere, for", p));
    const Peer& peer = fabric_.peer(s, id_at<PortNum>(p));
    if (peer.is_endport() && (owner.kind != LidOwner::Kind::kEndport || owner.id != peer.id))
      add(ViolationKind::kWrongDelivery, s, lid, fmt::format("may use port {}, behind which is somebody else, for", p));
  }

  void add(ViolationKind kind, SwitchId s, Lid lid, const std::string& what) {
    ++report_.num_violations;
    const auto same = [&](const Violation& v) { return v.kind == kind; };
    if (std::any_of(report_.violations.begin(), report_.violations.end(), same)) return;
    report_.violations.push_back(
        {kind, s, lid, fmt::format("switch {} {} LID {}", fabric_.label(s), what, index(lid))});
  }

  const Fabric& fabric_;
  VerifyReport& report_;
};

// With the tables' own ports, as far as these lead somewhere.
AlternativePorts with_entries(const Fabric& fabric, const ForwardingTables& tables,
                              const AlternativePorts& alternatives) {
  AlternativePorts all = alternatives;
  for (const LidRange& range : owned_lids(fabric, std::min(tables.width(), alternatives.width())))
    for (const SwitchId s : fabric.switches())
      for (std::size_t i = range.first; i < range.end; ++i) {
        const PortNum port = tables.at(s, id_at<Lid>(i));
        if (port == kNoPort || all.at(s, id_at<Lid>(i))[index(port)]) continue;
        PortSet ports = all.at(s, id_at<Lid>(i));
        all.set(s, id_at<Lid>(i), ports.set(index(port)));
      }
  return all;
}

std::string loop_text(const Fabric& fabric, const VerifyReport& report) {
  std::string text =
      fmt::format("{} can wait for each other in a cycle:", counted(report.credit_loop.size(), "channel"));
  for (std::size_t i = 0; i < report.credit_loop.size(); ++i) {
    const ChannelId c = report.credit_loop[i];
    text += fmt::format("\n{} port {} VL {} -> {} port {}", fabric.label(fabric.source(c)), index(fabric.port(c)),
                        unsigned{report.credit_loop_vls[i]}, fabric.label(fabric.peer(c).as_switch()),
                        index(fabric.peer(c).port));
  }
  return text;
}

}  // namespace

VerifyReport verify_alternatives(const Fabric& fabric, const ForwardingTables& tables,
                                 const AlternativePorts& alternatives, const Lanes& lanes) {
  VerifyReport report;
  const AlternativePorts all = with_entries(fabric, tables, alternatives);
  const IdVector<SwitchId, std::uint32_t> component = connected_components(fabric);
  PortChecker checker(fabric, report);
  for (const LidRange& range : owned_lids(fabric, all.width()))
    for (std::size_t i = range.first; i < range.end; ++i) {
      const SwitchId to = fabric.destination_switch(id_at<Lid>(i));
      for (const SwitchId s : fabric.switches())
        checker.check(s, id_at<Lid>(i), all.at(s, id_at<Lid>(i)), to != kNoSwitch && component[to] == component[s]);
      report.num_entries += fabric.num_switches();
    }
  const ChannelDependencies graph(fabric, all, lanes);
  report.num_dependencies = graph.num_dependencies();
  if (const LaneFaults& faults = graph.faults(); faults.num_discarded > 0) {
    report.num_violations += faults.num_discarded;
    report.violations.push_back(
        {ViolationKind::kDiscarded, faults.at, faults.lid,
         fmt::format("switch {} discards packets for LID {} with service level {} that come in by port {}",
                     fabric.label(faults.at), index(faults.lid), unsigned{faults.sl}, index(faults.in))});
  }
  if (graph.faults().num_looping > 0) {
    report.num_violations += graph.faults().num_looping;
    report.violations.push_back({ViolationKind::kLoop, kNoSwitch, kNoLid,
                                 fmt::format("packets for {} may circle, depending on what switches choose",
                                             counted(graph.faults().num_looping, "LID"))});
  }
  for (const VirtualChannelId v : find_virtual_credit_loop(graph)) {
    report.credit_loop.push_back(graph.channel(v));
    report.credit_loop_vls.push_back(graph.vl(v));
  }
  if (report.credit_loop.empty()) return report;
  ++report.num_violations;
  report.violations.push_back(
      {ViolationKind::kCreditLoop, fabric.source(report.credit_loop.front()), kNoLid, loop_text(fabric, report)});
  return report;
}

AlternativeCounts count_alternatives(const Fabric& fabric, const AlternativePorts& alternatives) {
  AlternativeCounts counts;
  std::uint64_t ports = 0;
  for (const EndportId e : fabric.endports()) {
    const Endport& host = fabric.at(e);
    if (host.leaf == kNoSwitch) continue;
    for (const Lid lid : lids_of(host))
      for (const SwitchId s : fabric.switches()) {
        const std::size_t count = alternatives.at(s, lid).count();
        if (s == host.leaf || count == 0) continue;
        ++counts.entries;
        counts.with_choice += count > 1 ? 1 : 0;
        ports += count;
      }
  }
  if (counts.entries > 0) counts.mean = static_cast<double>(ports) / static_cast<double>(counts.entries);
  return counts;
}

}  // namespace espalier
