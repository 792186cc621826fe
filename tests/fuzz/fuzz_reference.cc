// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever reference is accepted is written and reads back the same, and can be repaired: what comes out may be unsound,
// but verification of the change says so. So that mutations get past the checksum, they get a good one first.
#include <optional>
#include <utility>

#include "core/analysis/soundness/verify.h"
#include "core/fabric/fabric_builder.h"
#include "core/repair/file/reference_file.h"
#include "core/repair/repairable_reference.h"
#include "tests/fuzz/expect.h"
#include "tests/support/without.h"

namespace {

using namespace espalier;

constexpr std::size_t kMostEntries = 100'000;  // an input is to take milliseconds

void repair_and_judge(const RepairableReference& reference, const Fabric& now) {
  const auto repaired = reference.patch(now, {});
  if (!repaired) return;
  const VerifyReport changed = reference.verify_change(now, *repaired);
  const VerifyReport whole = verify(now, repaired->tables.whole(), repaired->lanes);
  expect(changed.num_violations == whole.num_violations, "verification of a change finds something else");
  // With lanes, those that the reference made on links that are left count as well.
  expect(changed.num_dependencies >= whole.num_dependencies, "verification of a change leaves dependencies out");
}

PortNum free_port(const Fabric& fabric, SwitchId s) {
  for (const PortNum p : fabric.ports(s))
    if (fabric.peer(s, p).kind == Peer::Kind::kNone) return p;
  return kNoPort;
}

// With a new switch between the switches that have a port for it, and with a host on that. Nothing where no LIDs or GUIDs
// are left for them.
std::optional<Fabric> grown(const Fabric& fabric) {
  constexpr std::uint8_t kPorts = 4;
  if (index(fabric.top_lid()) + 2U > index(kMaxUnicastLid)) return std::nullopt;
  FabricBuilder builder(fabric);
  Switch s;
  s.guid = Guid{0xFEED};
  s.lid = id_at<Lid>(index(fabric.top_lid()) + 1U);
  s.num_ports = kPorts;
  const auto added = builder.add_switch(s);
  Endport host;
  host.node_guid = Guid{0xFEED00};
  host.port_guid = Guid{0xFEED01};
  host.lid = id_at<Lid>(index(fabric.top_lid()) + 2U);
  builder.connect(added, PortNum{1}, builder.add_endport(host));
  std::size_t port = 2;
  for (const SwitchId old : fabric.switches())
    if (const PortNum there = free_port(fabric, old); there != kNoPort && port <= kPorts)
      builder.connect(added, id_at<PortNum>(port++), id_at<FabricBuilder::SwitchHandle>(index(old)), there);
  Result<Fabric> result = std::move(builder).build();
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

void repair_with_and_without_more(const RepairableReference& reference, const Fabric& now) {
  repair_and_judge(reference, now);
  if (const std::optional<Fabric> more = grown(now)) repair_and_judge(reference, *more);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with("ESPREFER") && size >= 32) {
    const std::uint64_t checksum = reference_checksum(content);
    for (std::size_t i = 0; i < 8; ++i) {
      content[16 + i] = static_cast<char>(std::uint64_t{size} >> (8 * i) & 0xFF);
      content[24 + i] = static_cast<char>(checksum >> (8 * i) & 0xFF);
    }
  }
  const auto reference = read_reference(content, "fuzz");
  if (!reference) {
    expect(reference.error().file == "fuzz" && !reference.error().message.empty(), "an error without file or message");
    return 0;
  }
  const std::string written = write_reference(*reference);
  const auto again = read_reference(written, "written");
  expect(again.has_value() && again->tables == reference->tables, "other tables from the written file");
  expect(write_reference(*again) == written, "another file from the written one");
  if (reference->fabric.num_switches() * reference->tables.width() > kMostEntries) return 0;
  const auto prepared = prepare(*again);
  const Fabric& fabric = prepared->reference().fabric;
  repair_with_and_without_more(*prepared, fabric);
  for (const SwitchId s : fabric.switches()) {
    repair_with_and_without_more(*prepared, without_switch(fabric, s));
    for (const PortNum p : fabric.ports(s))
      if (fabric.peer(s, p).kind != Peer::Kind::kNone)
        repair_with_and_without_more(*prepared, without_link(fabric, s, p));
    if (index(s) == 3) break;
  }
  return 0;
}
