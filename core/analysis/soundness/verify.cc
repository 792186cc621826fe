// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/verify.h"

#include <fmt/format.h>

#include <utility>

#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/analysis/soundness/entry_checker.h"
#include "core/analysis/soundness/loop_traffic.h"
#include "core/analysis/soundness/packet_loops.h"
#include "core/base/check.h"
#include "core/base/enum_names.h"
#include "core/base/parallel.h"
#include "core/base/text.h"

namespace espalier {
namespace {

using ViolationKind = Violation::Kind;

std::string owner_label(const Fabric& fabric, Lid lid) {
  const LidOwner& owner = fabric.owner(lid);
  return owner.kind == LidOwner::Kind::kSwitch ? fabric.label(SwitchId{owner.id}) : fabric.label(EndportId{owner.id});
}

std::string entry_text(const Fabric& fabric, const ForwardingTables& tables, ViolationKind kind, SwitchId s, Lid lid) {
  const std::string whose = fmt::format("LID {} of {}", index(lid), owner_label(fabric, lid));
  if (kind == ViolationKind::kMissingEntry) {
    if (index(lid) >= fabric.at(s).lft_capacity)
      return fmt::format("switch {} cannot hold an entry for {}: its table ends below LID {}", fabric.label(s), whose,
                         fabric.at(s).lft_capacity);
    return fmt::format("switch {} has no entry for {}", fabric.label(s), whose);
  }
  const PortNum port = tables.at(s, lid);
  if (kind == ViolationKind::kBadPort) {
    const char* const why = index(port) > fabric.at(s).num_ports ? "it does not have" : "that has no link";
    return fmt::format("switch {} sends {} to port {}, {}", fabric.label(s), whose, index(port), why);
  }
  const std::string taker = port == kManagementPort ? fabric.label(s) : fabric.label(fabric.peer(s, port).as_endport());
  return fmt::format("switch {} delivers {} through port {} to {}", fabric.label(s), whose, index(port), taker);
}

std::string loop_text(const Fabric& fabric, const ForwardingTables& tables, SwitchId s, Lid lid) {
  std::string hops;
  for (const ChannelId c : walk(fabric, tables, s, lid).channels)
    hops += fmt::format("{} port {}, ", fabric.label(fabric.source(c)), index(fabric.port(c)));
  return fmt::format("packets for LID {} of {} loop: {}and again", index(lid), owner_label(fabric, lid), hops);
}

std::string discard_text(const Fabric& fabric, const LaneFaults& faults) {
  return fmt::format("switch {} discards packets for LID {} of {} with service level {} that come in by port {}",
                     fabric.label(faults.at), index(faults.lid), owner_label(fabric, faults.lid), unsigned{faults.sl},
                     index(faults.in));
}

using Findings = IdVector<SwitchId, RowFindings>;

void report_findings(const Fabric& fabric, const ForwardingTables& tables, const Findings& rows, VerifyReport& report) {
  for (const RowFindings& row : rows) report.num_violations += row.count;
  if (report.num_violations == 0) return;
  for (const ViolationKind kind : kLocalKinds) {
    for (const SwitchId s : fabric.switches()) {
      const Lid lid = rows[s].first[static_cast<std::size_t>(kind)];
      if (lid == kNoLid) continue;
      report.violations.push_back({kind, s, lid, entry_text(fabric, tables, kind, s, lid)});
      break;
    }
  }
}

// Whose packets, and on which lanes; null: everybody's, on one lane.
struct Traffic {
  const HostTraffic* entries = nullptr;
  const std::vector<EndportId>* endports = nullptr;
  const Lanes* lanes = nullptr;
};

// Checks each entry by itself, and says what depends on what: in one pass on one lane.
ChannelDependencies examine(const Fabric& fabric, const ForwardingTables& tables, const Traffic& traffic,
                            VerifyReport& report) {
  const EntryChecker checker(fabric, tables.width(), traffic.entries);
  report.num_entries = checker.num_entries();
  Findings rows(fabric.num_switches());
  if (traffic.lanes != nullptr) {
    parallel_for(rows.size(), [&](std::size_t i) {
      const SwitchId s = id_at<SwitchId>(i);
      checker.check_row(s, tables.row(s).data(), rows[s]);
    });
    report_findings(fabric, tables, rows, report);
    return ChannelDependencies(fabric, tables, *traffic.lanes, traffic.endports);
  }
  ChannelDependencies dependencies(
      fabric, tables, [&](SwitchId s, Lid lid) { checker.check_entry(s, lid, tables.at(s, lid), rows[s]); });
  for (const SwitchId s : fabric.switches()) checker.check_end(s, rows[s]);
  report_findings(fabric, tables, rows, report);
  return dependencies;
}

VerifyReport verify_traffic(const Fabric& fabric, const ForwardingTables& tables, const Traffic& traffic) {
  VerifyReport report;
  auto dependencies = std::make_shared<const ChannelDependencies>(examine(fabric, tables, traffic, report));
  const ChannelDependencies& graph = *dependencies;
  if (traffic.lanes != nullptr) report.dependencies = std::move(dependencies);
  // Every entry that is not in the report leads to a switch or to the owner of its LID.
  report.num_dependencies = graph.num_dependencies();
  if (const LaneFaults& faults = graph.faults(); faults.num_discarded > 0) {
    report.violations.push_back({ViolationKind::kDiscarded, faults.at, faults.lid, discard_text(fabric, faults)});
    report.num_violations += faults.num_discarded;
  }
  const std::vector<VirtualChannelId> loop = find_virtual_credit_loop(graph);
  if (loop.empty() && graph.faults().num_looping == 0) return report;
  for (const VirtualChannelId v : loop) {
    report.credit_loop.push_back(graph.channel(v));
    if (traffic.lanes != nullptr) report.credit_loop_vls.push_back(graph.vl(v));
  }
  // There is a cycle: is it a forwarding loop, or is it several LIDs that each arrive?
  if (const PacketLoops loops = find_packet_loops(fabric, tables); loops.num_entries > 0) {
    report.violations.push_back(
        {ViolationKind::kLoop, loops.at, loops.lid, loop_text(fabric, tables, loops.at, loops.lid)});
    report.num_violations += loops.num_entries;
  }
  if (loop.empty()) return report;
  std::string text = fmt::format(
      "{} can wait for each other in a cycle:\n{}", counted(report.credit_loop.size(), "channel"),
      traffic.lanes == nullptr
          ? describe_credit_loop(fabric, tables, report.credit_loop)
          : describe_credit_loop(fabric, tables, *traffic.lanes, report.credit_loop, report.credit_loop_vls));
  text.pop_back();  // the newline
  report.violations.push_back(
      {ViolationKind::kCreditLoop, fabric.source(report.credit_loop.front()), kNoLid, std::move(text)});
  ++report.num_violations;
  return report;
}

}  // namespace

std::string_view name(Violation::Kind kind) {
  static constexpr EnumNames kNames(
      ViolationKind::kCreditLoop, {"missing entry", "bad port", "wrong delivery", "discarded", "loop", "credit loop"});
  return kNames[kind];
}

VerifyReport verify(const Fabric& fabric, const ForwardingTables& tables) {
  check(tables.num_switches() == fabric.num_switches(), "verify: tables of another fabric");
  return verify_traffic(fabric, tables, {});
}

VerifyReport verify(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes) {
  check(tables.num_switches() == fabric.num_switches(), "verify: tables of another fabric");
  return verify_traffic(fabric, tables, {nullptr, nullptr, &lanes});
}

VerifyReport verify_between(const Fabric& fabric, const ForwardingTables& tables,
                            const std::vector<EndportId>& endports, const Lanes* lanes) {
  check(tables.num_switches() == fabric.num_switches(), "verify_between: tables of another fabric");
  const HostTraffic traffic = host_traffic(fabric, tables, endports);
  return verify_traffic(fabric, traffic.tables, {&traffic, &endports, lanes});
}

}  // namespace espalier
